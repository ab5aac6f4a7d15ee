-- How many rounds does a game have: min, max, mean, standard deviation?
SELECT
    count(*) AS games, min(num_rounds) AS min, max(num_rounds) AS max, avg(num_rounds) AS mean,
    stdev(num_rounds) AS sd
FROM games;
