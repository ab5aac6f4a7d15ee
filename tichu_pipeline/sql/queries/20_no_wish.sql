-- How often is no wish made although the Mahjong was played?
SELECT
    count(*) AS mahjongs_played, count(*) FILTER (wish_value = 0) AS without_wish,
    percent(wish_value = 0) AS percent
FROM rounds
WHERE mahjong_by >= 0;
