-- Which players have much experience?
SELECT
    player_name, games, rounds, first_month, last_month, round(100 * wins / nullif(finished_games, 0), 1) AS percent_won,
    round(avg_score_diff, 2) AS avg_score_diff
FROM players
ORDER BY games DESC, rounds DESC, player_name
LIMIT 100;
