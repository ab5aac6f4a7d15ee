-- How well do the ratings, Elo and OpenSkill, predict the next game?
-- Log-loss and Brier score: smaller is better; always predicting one half gives 0.6931 and 0.25. Draws are left out.
-- The ratings over time are in table player_ratings.
WITH predictions AS (
    UNPIVOT rating_predictions ON elo_20, openskill_20 INTO NAME system VALUE p
),
scored AS (
    SELECT
        replace(system, '_20', '') AS system, year,
        CASE WHEN least_games < 10 THEN 'under 10 games' WHEN least_games < 50 THEN '10 to 49' ELSE '50 or more' END
            AS experience,
        greatest(1e-6, least(1 - 1e-6, CASE result_20 WHEN 1 THEN p ELSE 1 - p END)) AS chance_of_what_came
    FROM predictions
    WHERE result_20 <> 0.5
)
SELECT
    system, coalesce(year::VARCHAR, 'all') AS year, coalesce(experience, 'all') AS experience, count(*) AS games,
    -avg(ln(chance_of_what_came)) AS log_loss, avg((1 - chance_of_what_came) ** 2) AS brier,
    percent(chance_of_what_came > 0.5) AS percent_right
FROM scored
GROUP BY GROUPING SETS ((system), (system, experience), (system, year))
ORDER BY grouping(year) DESC, grouping(experience) DESC, year, experience, system;
