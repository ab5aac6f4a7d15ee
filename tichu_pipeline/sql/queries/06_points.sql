-- How many points has a player collected: before every turn, and at the end of the round?
-- The standard deviation over turns and seats is not here: the stage `scaling` computes it.
SELECT
    'before every turn' AS moment, min(min_points) AS min, max(max_points) AS max,
    sum(avg_points::DOUBLE * num_turns) / sum(num_turns) AS mean, NULL::DOUBLE AS sd
FROM rounds
UNION ALL
SELECT 'end of the round', min(points), max(points), avg(points), stdev(points)
FROM players_rounds;
