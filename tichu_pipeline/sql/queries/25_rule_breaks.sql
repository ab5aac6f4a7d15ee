-- Which rule breaks did the replay find, and how often?
-- Percentages are of all rounds that have a result. Fragments have none.
SELECT
    rule_break AS code, name, meaning,
    count(*) FILTER (NOT is_fragment) AS rounds, count(*) FILTER (is_fragment) AS fragments,
    count(DISTINCT game_id) AS games,
    round(100 * count(*) FILTER (NOT is_fragment) / (SELECT count(*) FROM rounds), 4) AS percent_of_rounds
FROM rule_breaks JOIN error_codes ON code = rule_break
GROUP BY ALL
UNION ALL
SELECT
    0, 'NONE', 'nothing is wrong', count(*), 0, count(DISTINCT game_id),
    round(100 * count(*) / (SELECT count(*) FROM rounds), 4)
FROM rounds
WHERE rule_break = 0
ORDER BY code;
