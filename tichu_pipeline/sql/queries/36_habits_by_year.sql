-- How have habits changed from year to year?
WITH seats AS (
    SELECT
        year,
        percent(call = 2) AS percent_grand, percent(CASE WHEN call = 2 THEN call_made END) AS percent_grand_made,
        percent(call = 1) AS percent_small, percent(CASE WHEN call = 1 THEN call_made END) AS percent_small_made,
        percent(tichu_position = -1) AS percent_small_before_schupfen,
        4 * avg(bombs_played) AS bombs_played_a_round,
        percent(card_value(given_right) % 2 = 0 AND card_value(given_left) % 2 = 1) AS percent_right_even_left_odd,
        percent(card_value(given_right) % 2 = 1 AND card_value(given_left) % 2 = 0) AS percent_right_odd_left_even
    FROM players_rounds
    WHERE rule_break = 0
    GROUP BY year
),
whole AS (
    SELECT
        year, count(*) AS rounds, avg(num_turns) AS turns_a_round, percent(is_double_victory) AS percent_double_victory,
        percent(CASE WHEN mahjong_by >= 0 THEN wish_value = 0 END) AS percent_no_wish,
        percent(CASE WHEN dragon_giver >= 0 THEN (dragon_recipient - dragon_giver + 4) % 4 = 3 END) AS percent_dragon_left
    FROM rounds
    WHERE rule_break = 0
    GROUP BY year
)
SELECT * FROM whole JOIN seats USING (year) ORDER BY year;
