-- How many games, rounds, tricks and turns are there in all, and from the four perspectives of the players?
-- The sum of num_rounds over games has to equal the number of rounds.
SELECT
    (SELECT count(*) FROM games) AS games,
    count(*) AS rounds,
    (SELECT sum(num_rounds) FROM games) AS rounds_of_games,
    count(*) = (SELECT sum(num_rounds) FROM games) AS agree,
    sum(num_tricks) AS tricks,
    sum(num_turns) AS turns,
    4 * count(*) AS perspective_rounds,
    4 * sum(num_tricks) AS perspective_tricks,
    4 * sum(num_turns) AS perspective_turns
FROM rounds;
