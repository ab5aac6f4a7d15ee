-- Table players_games: a row for each game, seat and player. Filled in batches of months.

CREATE TABLE players_games (
    game_id BIGINT, seat TINYINT, player_name VARCHAR, year SMALLINT, month TINYINT,
    num_rounds INTEGER, first_round INTEGER, last_round INTEGER, score_diff BIGINT, is_win BOOLEAN
);

INSERT INTO players_games
WITH sat AS (
    SELECT
        game_id, seat, player_name, count(*) AS num_rounds, min(round_index) AS first_round,
        max(round_index) AS last_round, sum(CASE WHEN seat % 2 = 0 THEN score_20 - score_31 ELSE score_31 - score_20 END) AS score_diff
    FROM new_seats
    GROUP BY game_id, seat, player_name
)
SELECT
    game_id, seat, player_name, year, month, sat.num_rounds, first_round, last_round, score_diff,
    CASE WHEN winner_team > 0 THEN (winner_team = 20) = (seat % 2 = 0) WHEN winner_team = 0 THEN FALSE END
FROM sat JOIN new_games USING (game_id)
ORDER BY game_id, seat, first_round;

COMMENT ON TABLE players_games IS 'A row a game, seat and player: more than four a game if somebody was replaced';
COMMENT ON COLUMN players_games.game_id IS 'Number of the log';
COMMENT ON COLUMN players_games.seat IS 'Seat 0..3';
COMMENT ON COLUMN players_games.player_name IS 'Name; may be empty';
COMMENT ON COLUMN players_games.year IS 'Year of the log';
COMMENT ON COLUMN players_games.month IS 'Month of the log, 1..12';
COMMENT ON COLUMN players_games.num_rounds IS 'Rounds of the game that the player sat here';
COMMENT ON COLUMN players_games.first_round IS 'First of these rounds';
COMMENT ON COLUMN players_games.last_round IS 'Last of these rounds';
COMMENT ON COLUMN players_games.score_diff IS 'Logged result of the own team less that of the other, over these rounds';
COMMENT ON COLUMN players_games.is_win IS 'Whether the own team won the game; NULL if it was not finished';
