-- How many tricks does a round have: min, max, mean, standard deviation?
SELECT
    count(num_tricks) AS rounds, min(num_tricks) AS min, max(num_tricks) AS max, avg(num_tricks) AS mean,
    stdev(num_tricks) AS sd
FROM rounds;
