-- How many proposals are in each stage, and since when the oldest of them.
-- stage | proposals | oldest_since | need_a_person
SELECT
    stage,
    count(*) AS proposals,
    min(since) AS oldest_since,
    sum(CASE WHEN review_count > 0 OR drift_count > 0 OR warned_at IS NOT NULL THEN 1 ELSE 0 END) AS need_a_person
FROM proposal
WHERE stage IS NOT NULL
GROUP BY stage
