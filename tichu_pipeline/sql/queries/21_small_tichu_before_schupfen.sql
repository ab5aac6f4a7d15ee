-- How often is a small Tichu called before or during schupfen?
SELECT
    count(*) FILTER (tichu_position = -1) AS before_schupfen, count(*) AS small_calls,
    percent(tichu_position = -1) AS percent,
    count(*) FILTER (tichu_position = -1 AND call_made) AS made,
    percent(CASE WHEN tichu_position = -1 THEN call_made END) AS percent_made
FROM players_rounds
WHERE call = 1;
