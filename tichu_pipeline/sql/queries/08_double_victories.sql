-- How many rounds end with a double victory?
SELECT
    count(is_double_victory) AS rounds,
    count(*) FILTER (is_double_victory) AS double_victories,
    percent(is_double_victory) AS percent,
    count(*) FILTER (is_double_victory AND winner_index % 2 = 0) AS by_team_20,
    count(*) FILTER (is_double_victory AND winner_index % 2 = 1) AS by_team_31
FROM rounds;
