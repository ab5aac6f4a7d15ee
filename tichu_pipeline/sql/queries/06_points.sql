-- How many points has a player collected so far: before every turn, and at the end of the round?
-- Over turns and seats there is no standard deviation here: the stage `scaling` has it.
SELECT
    'before every turn' AS moment, min(min_points) AS min, max(max_points) AS max,
    sum(avg_points::DOUBLE * num_turns) / sum(num_turns) AS mean, NULL::DOUBLE AS sd
FROM rounds
UNION ALL
SELECT 'end of the round', min(points), max(points), avg(points), stdev(points)
FROM players_rounds;
