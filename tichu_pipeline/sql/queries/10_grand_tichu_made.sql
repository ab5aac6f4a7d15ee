-- How often is a called grand Tichu made?
SELECT count(*) AS calls, count(*) FILTER (call_made) AS made, percent(call_made) AS percent
FROM players_rounds
WHERE call = 2 AND call_made IS NOT NULL;
