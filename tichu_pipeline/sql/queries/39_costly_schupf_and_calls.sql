-- Which schupf and which calls cost most against the referee?
-- Reads table reviews, which is empty until decisions have been judged (docs/review.md).
-- What was answered and what was better: decisions that cost something, what they cost on average, and how many points
-- that is in 1,000 judged decisions of the kind. A schupf that should have been other cards is in a row for each of them.
WITH costly AS (
    SELECT
        *, from_json(if(kind = 'schupf', answer, '[]'), '["VARCHAR"]') AS gave,
        from_json(if(kind = 'schupf', best, '[]'), '["VARCHAR"]') AS should
    FROM reviews
    WHERE loss > 0 AND kind IN ('grand', 'tichu', 'small', 'schupf')
),
cards AS (
    SELECT agent, kind, loss, certain, unnest(['right', 'partner', 'left']) AS recipient, unnest(gave) AS gave,
        unnest(should) AS should
    FROM costly
    WHERE kind = 'schupf'
),
answers AS (
    SELECT
        agent, kind, loss, certain, recipient, value_name(card_value(gave)) AS answered,
        value_name(card_value(should))
        || if(card_value(gave) = card_value(should), ' of another colour', '') AS better
    FROM cards
    WHERE gave <> should
    UNION ALL
    SELECT
        agent, kind, loss, certain, '', if(answer = 'true', 'announced', 'not announced'),
        if(best = 'true', 'announced', 'not announced')
    FROM costly
    WHERE kind <> 'schupf'
),
judged AS (
    SELECT agent, kind, count(*) AS decisions FROM reviews GROUP BY agent, kind
)
SELECT
    agent, kind, recipient, answered, better, count(*) AS costly, count(*) FILTER (certain) AS certain,
    round(avg(loss), 2) AS mean_loss, round(margin95(loss), 2) AS margin_95,
    round(1000 * sum(loss) / any_value(judged.decisions), 2) AS points_in_1000
FROM answers JOIN judged USING (agent, kind)
GROUP BY agent, kind, recipient, answered, better
QUALIFY row_number() OVER (PARTITION BY agent ORDER BY sum(loss) DESC, kind, recipient, answered, better) <= 50
ORDER BY agent, sum(loss) DESC, kind, recipient, answered, better;
