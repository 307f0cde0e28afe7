-- The history in force: without corrections and the entries that they retracted.
-- step counts the moves of one proposal from 1.
SELECT
    t.number,
    row_number() OVER (PARTITION BY t.number ORDER BY t.position) AS step,
    t.source,
    t.target,
    t.at,
    t.rule,
    t.actor,
    t.policy_version,
    t.recorded_at,
    t.run_id,
    t.id
FROM transition t
WHERE t.rule <> 'correction'
    AND NOT EXISTS (
        SELECT 1
        FROM transition c, TEXTS_OF(c.retracts)
        WHERE c.number = t.number AND c.rule = 'correction' AND texts.value = t.id
    )
