-- How often is a small Tichu called?
SELECT
    count(*) AS seats, count(*) FILTER (call = 1) AS calls, percent(call = 1) AS percent_of_seats,
    (SELECT count(*) FROM rounds WHERE list_max(tichu_positions::SMALLINT[]) >= -1) AS rounds_with_a_call
FROM players_rounds;
