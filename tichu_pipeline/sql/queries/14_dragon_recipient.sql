-- Who is given the Dragon's trick?
-- Percentages are of the tricks that were given away. In broken rounds the giver is unknown.
WITH gifts AS (
    SELECT
        dragon_recipient AS seat,
        CASE
            WHEN dragon_recipient < 0 THEN 'nobody'
            WHEN dragon_giver IS NULL OR dragon_giver < 0 THEN 'giver unknown'
            ELSE ['self', 'right opponent', 'partner', 'left opponent'][(dragon_recipient - dragon_giver + 4) % 4 + 1]
        END AS recipient
    FROM rounds
)
SELECT
    recipient, count(*) AS rounds,
    CASE WHEN recipient <> 'nobody'
        THEN round(100 * count(*) / sum(count(*)) FILTER (recipient <> 'nobody') OVER (), 3) END AS percent,
    count(*) FILTER (seat = 0) AS seat_0, count(*) FILTER (seat = 1) AS seat_1,
    count(*) FILTER (seat = 2) AS seat_2, count(*) FILTER (seat = 3) AS seat_3
FROM gifts
GROUP BY recipient
ORDER BY rounds DESC, recipient;
