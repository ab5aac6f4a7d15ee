-- Which kinds of decisions cost most, by strength of player?
-- Reads table reviews, which is empty until decisions have been judged (docs/review.md).
-- Points lost a round with half their 95% interval over rounds, and a decision. Players are in four groups of equal size
-- by their latest Elo, the weakest first; those without a rating are left out. Referees do not compare.
WITH judged AS (
    SELECT DISTINCT agent, game_id, player FROM reviews
),
ratings AS (
    SELECT player_name AS player, arg_max(elo, 12 * year + month) AS elo FROM player_ratings GROUP BY player
),
players AS (
    SELECT agent, player, elo, ntile(4) OVER (PARTITION BY agent ORDER BY elo, player) AS quarter
    FROM (SELECT DISTINCT agent, player FROM judged) JOIN ratings USING (player)
),
seats AS (
    SELECT agent, quarter, elo, player, game_id, s.round_index, s.seat
    FROM judged
    JOIN players USING (agent, player)
    JOIN players_rounds AS s USING (game_id)
    WHERE s.player_name = player AND s.rule_break = 0
),
lost AS (
    SELECT
        agent, game_id, round_index, seat, coalesce(kind, 'all') AS kind,
        count(*) AS decisions, count(*) FILTER (certain) AS certain, sum(loss) AS points
    FROM reviews
    GROUP BY GROUPING SETS ((agent, game_id, round_index, seat, kind), (agent, game_id, round_index, seat))
),
kinds AS (
    SELECT DISTINCT kind FROM lost
),
by_seat AS (
    SELECT
        agent, quarter, elo, player, kind,
        coalesce(decisions, 0) AS decisions, coalesce(certain, 0) AS certain, coalesce(points, 0) AS points
    FROM seats CROSS JOIN kinds LEFT JOIN lost USING (agent, game_id, round_index, seat, kind)
)
SELECT
    agent, quarter, round(min(elo)) AS elo_from, round(max(elo)) AS elo_to, count(DISTINCT player) AS players,
    kind, count(*) AS rounds, sum(decisions)::BIGINT AS decisions, sum(certain)::BIGINT AS certain,
    round(sum(points) / nullif(sum(decisions), 0), 3) AS loss_a_decision,
    round(avg(points), 3) AS loss_a_round, round(margin95(points), 3) AS margin_95
FROM by_seat
GROUP BY agent, quarter, kind
ORDER BY agent, quarter, kind <> 'all', loss_a_round DESC, kind;
