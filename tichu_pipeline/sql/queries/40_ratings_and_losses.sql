-- Do the Elo ratings follow the loss a decision?
-- Reads table reviews, which is empty until decisions have been judged (docs/review.md).
-- Spearman's rank correlation over players of their latest Elo with their loss a decision, with its 95% interval (Fisher's
-- z), by how many judged decisions a player must have: -1 if whoever loses less is rated higher. Few decisions and few
-- games draw it towards 0.
WITH losses AS (
    SELECT agent, player, count(*) AS decisions, avg(loss) AS loss FROM reviews GROUP BY agent, player
),
ratings AS (
    SELECT player_name AS player, arg_max(elo, 12 * year + month) AS elo, max(games) AS games
    FROM player_ratings
    GROUP BY player
),
compared AS (
    SELECT * FROM losses JOIN ratings USING (player) CROSS JOIN (VALUES (1), (20), (50), (100), (200), (500)) AS t (least)
    WHERE decisions >= least
),
ranked AS (
    SELECT
        agent, least, decisions, games,
        rank() OVER (PARTITION BY agent, least ORDER BY loss)
        + (count(*) OVER (PARTITION BY agent, least, loss) - 1) / 2 AS loss_rank,
        rank() OVER (PARTITION BY agent, least ORDER BY elo)
        + (count(*) OVER (PARTITION BY agent, least, elo) - 1) / 2 AS elo_rank
    FROM compared
),
correlated AS (
    SELECT
        agent, least, count(*) AS players, sum(decisions)::BIGINT AS decisions, median(games) AS rated_games,
        greatest(-0.999999, least(0.999999, corr(loss_rank, elo_rank))) AS r
    FROM ranked
    GROUP BY agent, least
    HAVING count(*) > 3
)
SELECT
    agent, least AS least_decisions, players, decisions, rated_games, round(r, 3) AS rank_correlation,
    round(tanh(atanh(r) - 1.96 * sqrt(1.06 / (players - 3))), 3) AS low,
    round(tanh(atanh(r) + 1.96 * sqrt(1.06 / (players - 3))), 3) AS high
FROM correlated
ORDER BY agent, least;
