-- How long each proposal stayed in each stage that it entered. left_at and hours are NULL for the stage that
-- it is in now. Reads standing_transitions.
SELECT
    number,
    step,
    target AS stage,
    at AS entered_at,
    left_at,
    HOURS_BETWEEN(at, left_at) AS hours
FROM (
    SELECT
        number,
        step,
        target,
        at,
        lead(at) OVER (PARTITION BY number ORDER BY step) AS left_at
    FROM standing_transitions
    -- an amendment of an accepted proposal changes no stage
    WHERE source IS NULL OR source <> target
) AS stays
