-- How often is a grand Tichu called?
SELECT
    count(*) AS seats, count(*) FILTER (call = 2) AS calls, percent(call = 2) AS percent_of_seats,
    (SELECT count(*) FROM rounds WHERE list_contains(tichu_positions::SMALLINT[], -2)) AS rounds_with_a_call
FROM players_rounds;
