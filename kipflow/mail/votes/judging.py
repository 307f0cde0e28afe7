"""The table of the rules: what is no vote, talk, doubts, votes. The first that takes a value decides."""

from __future__ import annotations

from kipflow.mail.votes import people, rules, talk
from kipflow.mail.votes.changes import says_it_stands
from kipflow.mail.votes.mentions import Mention
from kipflow.mail.votes.verdicts import Rule, Verdict

RULES: tuple[Rule, ...] = (*talk.rule, *rules.rule)


def judge(mention: Mention) -> tuple[Rule, Verdict]:
    """The first rule that takes the mention, and what is made of it."""
    found = next(row for row in RULES if row.when(mention))
    is_own = (mention.opens and mention.sentence.starts_line) or mention.speaks_of_mine
    # "I could not read your -1", "one -1 from Ravi", "Is that a +1?", "I keep my vote, even with Jun's -1"
    is_yours = (
        mention.segment.endswith("your")
        or mention.whom
        or people.asks_of_it(mention.lead)
        or (people.is_somebodys(mention.lead) and says_it_stands(mention.sentence.text))
    )
    # "As far as I know, a -1 is a veto"
    is_any = mention.segment in {"a", "an", "any", "every", "each"} and not mention.mine_follows
    return found, found.mine if found.mine and is_own and not (is_yours or is_any) else found.verdict
