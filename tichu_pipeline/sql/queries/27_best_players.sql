-- Who are the top 10% of the players by avg_score_diff?
-- Only players with 50 games or more, or with as many as the median player if that is fewer.
WITH experienced AS (
    SELECT * FROM players WHERE games >= (SELECT least(50, median(games)) FROM players)
)
SELECT
    row_number() OVER (ORDER BY avg_score_diff DESC, player_name) AS place,
    player_name, games, rounds, avg_score_diff, 1.96 * sd_score_diff / sqrt(sound_rounds) AS margin_95,
    round(100 * wins / nullif(finished_games, 0), 1) AS percent_won
FROM experienced
WHERE sound_rounds > 0
QUALIFY place <= ceil((SELECT count(*) FROM experienced WHERE sound_rounds > 0) / 10)
ORDER BY place;
