-- Open votes as last decided: counts, quorum and earliest close. One row for each proposal in stage Vote.
SELECT
    p.number,
    v.key,
    p.title,
    v.round,
    v.opened_by,
    v.opened_at,
    v.earliest_close,
    v.quorum,
    v.outcome,
    v.binding_for,
    v.binding_abstain,
    v.binding_against,
    v.other_for,
    v.other_abstain,
    v.other_against,
    v.depends_on_review,
    p.decided_at
FROM proposal p
JOIN vote v ON v.number = p.number AND v.is_current
WHERE p.stage = 'Vote'
