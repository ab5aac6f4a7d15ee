-- How often is a combination beaten: by type, length and rank, by calls, and by the number of cards in the hand?
-- Percentages are of the plays; empty if there was no such play.
SELECT
    combination_name(type) AS combination, length, rank, sum(plays)::BIGINT AS plays,
    round(100 * sum(plays * beaten::INT) / sum(plays), 2) AS percent_beaten,
    round(100 * sum(plays * beaten::INT) FILTER (call > 0)
        / sum(plays) FILTER (call > 0), 2) AS if_player_called,
    round(100 * sum(plays * beaten::INT) FILTER (call = 2)
        / sum(plays) FILTER (call = 2), 2) AS if_player_called_grand,
    round(100 * sum(plays * beaten::INT) FILTER (opponents_call > 0)
        / sum(plays) FILTER (opponents_call > 0), 2) AS if_opponent_called,
    round(100 * sum(plays * beaten::INT) FILTER (cards_before = 14)
        / sum(plays) FILTER (cards_before = 14), 2) AS as_first_play,
    round(100 * sum(plays * beaten::INT) FILTER (cards_before - length <= 3)
        / sum(plays) FILTER (cards_before - length <= 3), 2) AS with_3_cards_left
FROM combination_stats
GROUP BY type, length, rank
ORDER BY type, length, rank;
