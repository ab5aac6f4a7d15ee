-- What does the card that is given to the partner say about the giver's hand?
-- Honours are aces, Dragon and Phoenix among the fourteen cards. Calls and places of both partners.
SELECT
    card_value(own.given_partner) AS value, value_name(card_value(own.given_partner)) AS name,
    count(*) AS cards, round(100 * count(*) / sum(count(*)) OVER (), 3) AS percent,
    round(avg(
        value_count(own.start_hand, 14) + has_card(own.start_hand, 'Dr')::INT + has_card(own.start_hand, 'Ph')::INT
    ), 2) AS honours,
    percent(own.call > 0) AS percent_giver_calls, percent(other.call > 0) AS percent_partner_calls,
    percent(own.place = 1) AS percent_giver_first, percent(other.place = 1) AS percent_partner_first
FROM players_rounds AS own JOIN players_rounds AS other USING (game_id, round_index)
WHERE other.seat = (own.seat + 2) % 4 AND own.rule_break = 0
GROUP BY value
ORDER BY value;
