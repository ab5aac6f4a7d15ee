-- Where do bombs come from, and what are they worth?
-- By when a seat held a bomb: in the first eight cards, in all fourteen, only after schupfen, or only before it.
WITH hands AS (
    SELECT
        CASE
            WHEN NOT bomb AND NOT has_bomb(start_hand) THEN 'none'
            WHEN NOT bomb THEN 'given away'
            WHEN has_bomb(first_hand) THEN 'first eight cards'
            WHEN has_bomb(start_hand) THEN 'fourteen cards'
            ELSE 'schupfen'
        END AS origin,
        CASE
            WHEN NOT bomb THEN ''
            WHEN has_four(hand) AND has_flush(hand) THEN 'both'
            WHEN has_four(hand) THEN 'four of a kind'
            ELSE 'straight flush'
        END AS kind,
        bombs_played, place = 1 AS came_first, score_diff
    FROM players_rounds
    WHERE rule_break = 0
)
SELECT
    origin, kind, count(*) AS seats, round(100 * count(*) / sum(count(*)) OVER (), 3) AS percent_of_seats,
    percent(bombs_played > 0) AS percent_played, sum(bombs_played)::BIGINT AS bombs_played,
    percent(came_first) AS percent_first,
    round(avg(score_diff), 2) AS mean_result, round(margin95(score_diff), 2) AS margin_95
FROM hands
GROUP BY origin, kind
ORDER BY origin, kind;
