-- How often does team 31 give by the rule 'right even, left odd', or the reverse?
-- Both players have to follow it. Even and odd go by the card's value: Dog 0, Mahjong 1, 2..14, Dragon 15, Phoenix 16.
-- The last column counts only rounds in which these four were not given to opponents.
WITH given AS (
    SELECT
        game_id, round_index,
        bool_and(card_value(given_right) % 2 = 0 AND card_value(given_left) % 2 = 1) AS even_odd,
        bool_and(card_value(given_right) % 2 = 1 AND card_value(given_left) % 2 = 0) AS odd_even,
        bool_and(card_value(given_right) BETWEEN 2 AND 14 AND card_value(given_left) BETWEEN 2 AND 14) AS no_specials
    FROM players_rounds
    WHERE seat % 2 = 1
    GROUP BY game_id, round_index
    HAVING count(given_right) = 2 AND count(given_left) = 2
)
SELECT
    CASE WHEN even_odd THEN 'right even, left odd' WHEN odd_even THEN 'right odd, left even' ELSE 'neither' END AS rule,
    count(*) AS rounds, round(100 * count(*) / sum(count(*)) OVER (), 3) AS percent,
    count(*) FILTER (no_specials) AS rounds_without_special_cards
FROM given
GROUP BY rule
ORDER BY rule;
