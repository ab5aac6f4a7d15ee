-- What is the Dog worth to a player who has called?
-- For every call: who held the Dog after schupfen, and whether it gave the caller the lead.
WITH holders AS (
    SELECT game_id, round_index, seat AS holder FROM players_rounds WHERE rule_break = 0 AND has_card(hand, 'Hu')
),
calls AS (
    SELECT
        p.call, p.call_made, p.score_diff,
        CASE
            WHEN holder = seat THEN 'the caller held it'
            WHEN (holder + seat) % 2 = 1 THEN 'an opponent held it'
            WHEN dog_by < 0 THEN 'the partner held it and did not lead it'
            WHEN dog_to = seat THEN 'the partner led it: the caller had the lead'
            ELSE 'the partner led it: the caller was out'
        END AS dog
    FROM players_rounds AS p JOIN holders USING (game_id, round_index) JOIN rounds USING (game_id, round_index)
    WHERE p.call > 0 AND p.rule_break = 0
)
SELECT
    CASE call WHEN 2 THEN 'grand' ELSE 'small' END AS tichu, dog, count(*) AS calls, percent(call_made) AS percent_made,
    round(avg(score_diff), 1) AS mean_result, round(margin95(score_diff), 1) AS margin_95
FROM calls
GROUP BY call, dog
ORDER BY call, calls DESC, dog;
