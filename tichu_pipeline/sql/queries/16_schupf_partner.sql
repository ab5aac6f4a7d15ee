-- Which card is given to the partner?
SELECT
    card_value(given_partner) AS value, value_name(card_value(given_partner)) AS name,
    count(*) AS cards, round(100 * count(*) / sum(count(*)) OVER (), 3) AS percent
FROM players_rounds
WHERE given_partner IS NOT NULL
GROUP BY value
ORDER BY value;
