-- How do calls depend on the game score of both teams before the round?
SELECT
    greatest(-1, least(3, floor(score_before / 250)))::INT * 250 AS own_score_from,
    greatest(-1, least(3, floor((score_before - lead_before) / 250)))::INT * 250 AS other_score_from,
    count(*) AS seats,
    percent(call = 2) AS percent_grand, percent(CASE WHEN call = 2 THEN call_made END) AS percent_grand_made,
    percent(call = 1) AS percent_small, percent(CASE WHEN call = 1 THEN call_made END) AS percent_small_made
FROM players_rounds
WHERE rule_break = 0
GROUP BY own_score_from, other_score_from
ORDER BY own_score_from, other_score_from;
