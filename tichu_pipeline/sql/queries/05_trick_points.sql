-- How many points is a trick worth: min, max, mean, standard deviation?
SELECT count(*) AS tricks, min(points) AS min, max(points) AS max, avg(points) AS mean, stdev(points) AS sd
FROM tricks;
