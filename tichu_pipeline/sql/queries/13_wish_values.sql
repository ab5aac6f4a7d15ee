-- Which value is wished when the Mahjong is played?
SELECT
    wish_value, CASE wish_value WHEN 0 THEN 'no wish' ELSE value_name(wish_value) END AS name,
    count(*) AS rounds, round(100 * count(*) / sum(count(*)) OVER (), 3) AS percent
FROM rounds
WHERE mahjong_by >= 0
GROUP BY wish_value
ORDER BY wish_value;
