-- What is each convention of schupfen worth: even/odd, low/high, duplicates?
-- Mean result of a team by how many of its two players followed the convention, with the 95% interval of the mean. Each
-- round counts for both teams. The intervals treat teams as independent; players with conventions may be better players.
WITH given AS (
    SELECT
        game_id, round_index, seat % 2 AS team, score_diff,
        card_value(given_right) AS r, card_value(given_left) AS l
    FROM players_rounds
    WHERE rule_break = 0
),
teams AS (
    SELECT
        any_value(score_diff) AS score_diff,
        count(*) FILTER (r % 2 = 0 AND l % 2 = 1) AS "right even, left odd",
        count(*) FILTER (r % 2 = 1 AND l % 2 = 0) AS "right odd, left even",
        count(*) FILTER (r < l) AS "right low, left high",
        count(*) FILTER (r > l) AS "right high, left low",
        count(*) FILTER (r = l) AS "a duplicate to the opponents"
    FROM given
    GROUP BY game_id, round_index, team
),
counted AS (
    UNPIVOT teams ON COLUMNS(* EXCLUDE score_diff) INTO NAME convention VALUE players
)
SELECT
    convention, players, count(*) AS teams, round(100 * count(*) / sum(count(*)) OVER (PARTITION BY convention), 2)
        AS percent,
    round(avg(score_diff), 2) AS mean_result,
    round(avg(score_diff) - margin95(score_diff), 2) AS low, round(avg(score_diff) + margin95(score_diff), 2) AS high
FROM counted
GROUP BY convention, players
ORDER BY convention, players;
