-- Table players: a row for each name but the empty one. Run once, after all months.

CREATE TABLE players AS
WITH of_rounds AS (
    SELECT
        player_name,
        count(*) AS rounds,
        count(*) FILTER (rule_break = 0) AS sound_rounds,
        avg(score_diff) FILTER (rule_break = 0) AS avg_score_diff,
        stddev_samp(score_diff) FILTER (rule_break = 0) AS sd_score_diff,
        count(*) FILTER (call = 2) AS grand_calls,
        count(*) FILTER (call = 2 AND call_made) AS grand_made,
        count(*) FILTER (call = 1) AS small_calls,
        count(*) FILTER (call = 1 AND call_made) AS small_made,
        count(*) FILTER (place = 1) AS first_places,
        sum(bombs_played)::BIGINT AS bombs_played,
        min(year * 12 + month - 1) AS first_number,
        max(year * 12 + month - 1) AS last_number
    FROM players_rounds
    WHERE player_name <> ''
    GROUP BY player_name
),
of_games AS (
    SELECT
        player_name,
        count(DISTINCT game_id) AS games,
        count(DISTINCT game_id) FILTER (is_win IS NOT NULL) AS finished_games,
        count(DISTINCT game_id) FILTER (is_win) AS wins
    FROM players_games
    WHERE player_name <> ''
    GROUP BY player_name
)
SELECT
    player_name, games, finished_games, wins, rounds, sound_rounds, avg_score_diff, sd_score_diff,
    grand_calls, grand_made, small_calls, small_made, first_places, bombs_played,
    format('{:04d}-{:02d}', first_number // 12, first_number % 12 + 1) AS first_month,
    format('{:04d}-{:02d}', last_number // 12, last_number % 12 + 1) AS last_month
FROM of_rounds JOIN of_games USING (player_name)
ORDER BY player_name;

COMMENT ON TABLE players IS 'A row a name; the empty name is left out';
COMMENT ON COLUMN players.player_name IS 'Name in the logs';
COMMENT ON COLUMN players.games IS 'Games in which the player sat, for one round at least';
COMMENT ON COLUMN players.finished_games IS 'Those of them that somebody won, or that ended in a draw';
COMMENT ON COLUMN players.wins IS 'Those of them that the own team won';
COMMENT ON COLUMN players.rounds IS 'Rounds played';
COMMENT ON COLUMN players.sound_rounds IS 'Those of them that break no rule';
COMMENT ON COLUMN players.avg_score_diff IS 'Mean result of the own team less that of the other, in sound rounds';
COMMENT ON COLUMN players.sd_score_diff IS 'Its standard deviation';
COMMENT ON COLUMN players.grand_calls IS 'Grand Tichus called';
COMMENT ON COLUMN players.grand_made IS 'Grand Tichus made';
COMMENT ON COLUMN players.small_calls IS 'Small Tichus called';
COMMENT ON COLUMN players.small_made IS 'Small Tichus made';
COMMENT ON COLUMN players.first_places IS 'Rounds in which the player came in first';
COMMENT ON COLUMN players.bombs_played IS 'Bombs played';
COMMENT ON COLUMN players.first_month IS 'Month of the first round, 2007-01';
COMMENT ON COLUMN players.last_month IS 'Month of the last round';
