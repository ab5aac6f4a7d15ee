-- How many turns does a round have: min, max, mean, standard deviation?
-- A turn is a play or a pass. Collecting a trick is not a turn.
SELECT
    count(num_turns) AS rounds, min(num_turns) AS min, max(num_turns) AS max, avg(num_turns) AS mean,
    stdev(num_turns) AS sd
FROM rounds;
