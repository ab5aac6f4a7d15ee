-- What are the results of a round (game_score): score_20, score_31, score_diff: min, max, mean, standard deviation?
-- Results are as logged, and include broken rounds.
SELECT 'score_20' AS score, min(score_20) AS min, max(score_20) AS max, avg(score_20) AS mean, stdev(score_20) AS sd
FROM rounds
UNION ALL
SELECT 'score_31', min(score_31), max(score_31), avg(score_31), stdev(score_31) FROM rounds
UNION ALL
SELECT 'score_diff', min(score_diff), max(score_diff), avg(score_diff), stdev(score_diff) FROM rounds;
