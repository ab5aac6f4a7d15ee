-- Wishing for a card that one gave away, or for an ace: who has to play it, and what is the result?
-- Percentages of the wishes that each player fulfils, as seen from the player who wished; mean result of that team.
WITH wishes AS (
    SELECT
        (wish_fulfilled_by - mahjong_by + 4) % 4 AS by_whom, wish_fulfilled_by < 0 AS never, p.score_diff,
        CASE
            WHEN card_value(given_right) = wish_value THEN 'given to the right opponent'
            WHEN card_value(given_left) = wish_value THEN 'given to the left opponent'
            WHEN card_value(given_partner) = wish_value THEN 'given to the partner'
            WHEN wish_value = 14 THEN 'an ace'
            ELSE 'another value'
        END AS wished
    FROM rounds AS r JOIN players_rounds AS p USING (game_id, round_index)
    WHERE r.rule_break = 0 AND seat = mahjong_by AND wish_value > 0
)
SELECT
    wished, count(*) AS wishes,
    percent(NOT never AND by_whom = 1) AS right_opponent, percent(NOT never AND by_whom = 2) AS partner,
    percent(NOT never AND by_whom = 3) AS left_opponent, percent(NOT never AND by_whom = 0) AS self,
    percent(never) AS nobody,
    round(avg(score_diff), 2) AS mean_result, round(margin95(score_diff), 2) AS margin_95
FROM wishes
GROUP BY wished
ORDER BY wishes DESC, wished;
