-- Which card is given to the right opponent?
SELECT
    card_value(given_right) AS value, value_name(card_value(given_right)) AS name,
    count(*) AS cards, round(100 * count(*) / sum(count(*)) OVER (), 3) AS percent
FROM players_rounds
WHERE given_right IS NOT NULL
GROUP BY value
ORDER BY value;
