-- Every ballot that was read, with its vote, its line and its status:
-- counted, superseded, withdrawn, review (unclear: in no count) or void.
SELECT
    b.number,
    v.key,
    v.round,
    v.root_message_id AS vote_message_id,
    b.voter,
    b.name,
    b.choice,
    b.value,
    b.binding,
    b.claimed_binding,
    b.cast_at,
    b.status,
    b.why,
    b.known_by,
    b.rule,
    b.line,
    b.message_id
FROM ballot b
JOIN vote v ON v.number = b.number AND v.position = b.vote_position
