-- Which card is given to the left opponent?
SELECT
    card_value(given_left) AS value, value_name(card_value(given_left)) AS name,
    count(*) AS cards, round(100 * count(*) / sum(count(*)) OVER (), 3) AS percent
FROM players_rounds
WHERE given_left IS NOT NULL
GROUP BY value
ORDER BY value;
