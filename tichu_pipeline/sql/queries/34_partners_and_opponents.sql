-- Who plays with whom, and how do they fare together and against each other?
-- Mean results of a round, as seen from the first of the two.
WITH pairs AS (
    SELECT
        a.player_name AS player, b.player_name AS other, (a.seat + b.seat) % 2 = 0 AS together,
        a.is_win, a.num_rounds, a.score_diff
    FROM players_games AS a JOIN players_games AS b USING (game_id)
    WHERE a.player_name < b.player_name AND a.player_name <> '' AND a.seat <> b.seat
)
SELECT
    player, other,
    count(*) FILTER (together) AS games_together,
    round(100 * avg(is_win::INT) FILTER (together), 1) AS percent_won_together,
    round(sum(score_diff) FILTER (together) / sum(num_rounds) FILTER (together), 2) AS result_together,
    count(*) FILTER (NOT together) AS games_against,
    round(100 * avg(is_win::INT) FILTER (NOT together), 1) AS percent_won_against,
    round(sum(score_diff) FILTER (NOT together) / sum(num_rounds) FILTER (NOT together), 2) AS result_against
FROM pairs
GROUP BY player, other
ORDER BY count(*) DESC, player, other
LIMIT 200;
