-- Grand Tichu by the first eight cards: how often is it called, how often made, and what does calling gain?
-- Mean results of the own team. The gain is the difference between callers and others with the same class of hand.
WITH hands AS (
    SELECT
        value_count(first_hand, 14) AS aces, has_card(first_hand, 'Dr') AS dragon, has_card(first_hand, 'Ph') AS phoenix,
        has_card(first_hand, 'Hu') AS dog, has_card(first_hand, 'Ma') AS mahjong,
        call = 2 AS called, call_made, score_diff
    FROM players_rounds
    WHERE rule_break = 0
)
SELECT
    aces, dragon, phoenix, dog, mahjong, count(*) AS hands,
    percent(called) AS percent_called,
    percent(CASE WHEN called THEN call_made END) AS percent_made,
    round(avg(score_diff) FILTER (called), 1) AS result_called,
    round(avg(score_diff) FILTER (NOT called), 1) AS result_not_called,
    round(avg(score_diff) FILTER (called) - avg(score_diff) FILTER (NOT called), 1) AS gain,
    round(1.96 * sqrt(var_samp(score_diff) FILTER (called) / count(*) FILTER (called)
        + var_samp(score_diff) FILTER (NOT called) / count(*) FILTER (NOT called)), 1) AS margin_95
FROM hands
GROUP BY aces, dragon, phoenix, dog, mahjong
ORDER BY percent_called DESC, hands DESC, aces DESC, dragon DESC, phoenix DESC, dog DESC, mahjong DESC;
