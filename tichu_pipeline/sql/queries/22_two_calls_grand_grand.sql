-- How often do both players of a team call: grand + grand?
WITH teams AS (
    SELECT seat % 2 AS team, min(call) AS lower, max(call) AS higher
    FROM players_rounds
    GROUP BY game_id, round_index, team
)
SELECT
    count(*) AS teams_and_rounds, count(*) FILTER (lower = 2 AND higher = 2) AS both_called,
    percent(lower = 2 AND higher = 2) AS percent,
    count(*) FILTER (lower = 2 AND higher = 2 AND team = 0) AS by_team_20,
    count(*) FILTER (lower = 2 AND higher = 2 AND team = 1) AS by_team_31
FROM teams;
