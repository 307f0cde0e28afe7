"""Judges values by the table of rules: no vote, talk, doubts, votes. The first rule that takes a value decides."""

from __future__ import annotations

import re

from kipflow.domain.votes import Choice
from kipflow.mail.votes import generally, numbers, people, remarks, rules, talk, technical
from kipflow.mail.votes.doubts import says_it_stands
from kipflow.mail.votes.lexicon import drop, ends, fold, has
from kipflow.mail.votes.mentions import Mention
from kipflow.mail.votes.values import find_values, speaks_of_itself
from kipflow.mail.votes.verdicts import Rule, Verdict

RULES: tuple[Rule, ...] = (*numbers.rule, *talk.rule, *remarks.rule, *rules.rule)
#: words to which a value after them belongs
_HOLDS = re.compile(
    r"(?:\b(?:an?|the|no|any|each|every|of|for|to|with|as|from|by|in|on|at|is|are|was|were|be|been|am|and|or"
    r"|your|his|her|their|our|my|its|that|these|those|than|not|only|just|vot(?:e|es|ed|ing)|g[ai]ven?|gives?|cast"
    r"|says?|said|writes?|wrote|sends?|sent|needs?|needed|gets?|got|ha(?:s|ve|d)|saw|sees?|seems?|wants?|expects?"
    r"|counts?|counted|calls?|called|binding|returns?|means?|equals?"
    r"|[A-Z]\w+)|['’]s|[(\"'“,;:–—-])\W{0,2}$"
)
#: words that count the vote in favour after them
_COUNTS = re.compile(
    r"\b(?:more|another|one|two|three|four|five|six|first|second|third|last|final|missing)\W{0,2}$", re.IGNORECASE
)
#: "-1 3 tests fail", "-1 messages get lost", not "-1 ms"
_GOES_ON = re.compile(r"\s*(?:\d+(?:\.\d+)*\s+)?[^\W\d]+\s+[^\W\d]+")


def is_standalone(m: Mention) -> bool:
    """Whether a value at the start of its line or end of its sentence is independent: "It does not compile -1"."""
    if m.opens:
        if " " in m.written or not m.sentence.starts_line or technical.means(m.rest):
            return False
        is_reason = m.choice is Choice.AGAINST or re.match(r"\s*\d", m.rest) is not None
        return is_reason and _GOES_ON.match(m.rest) is not None
    begins_line = m.sentence.line.text.lstrip().startswith(m.written)
    is_last = not m.rest.strip(" .!)\n") and not technical.counts_something(m.tail)
    counts = m.choice is Choice.FOR and not begins_line and _COUNTS.search(m.lead) is not None
    is_held = counts or _HOLDS.search(m.lead) is not None or ends("negation", m.clause)
    is_free = not (is_held or find_values(m.lead) or technical.is_technical(m.lead, ""))
    return is_free and (begins_line or is_last)


def judge(mention: Mention) -> tuple[Rule, Verdict]:
    """The first rule that takes the mention, and its verdict."""
    found = next(row for row in RULES if row.when(mention))
    # "+1 (binding) is what I wanted to type"
    is_said_of_it = mention.is_claimed and speaks_of_itself(mention.near)
    is_own = mention.speaks_of_mine or (mention.opens and (mention.sentence.starts_line or is_said_of_it))
    # "I could not read your -1", "one -1 from Ravi", "Is that a +1?", "I keep my vote, even with Jun's -1"
    is_yours = (
        mention.segment.endswith("your")
        or mention.whom
        or people.YOURS.search(mention.lead)
        or generally.is_of_third(mention)
        or people.is_named(mention)
        or (people.SOMEBODYS.search(mention.lead) and says_it_stands(mention.sentence.text))
    )
    # "As far as I know, a -1 is a veto"
    is_any = mention.segment in {"a", "an", "any", "every", "each"} and not mention.mine_follows
    is_any = is_any or generally.is_of_any(mention)
    if found.mine and is_own and not (is_yours or is_any):
        return found, found.mine
    if found.standalone and not mention.is_result and is_standalone(mention):
        return found, found.standalone
    return found, found.verdict


#: "My +1 was for the version of Monday"
_IS_PAST = re.compile(r"\s*(?:was|came|had)\b(?! (?:already|counted|there|sent|missing))", re.IGNORECASE)
#: "I take the -1 back"
_TAKES_THE = re.compile(r"\bI (?:hereby )?(?:take|took) (?:the|my|that) $", re.IGNORECASE)


def turns_against(m: Mention, rule: Rule) -> bool:
    """Whether the words around a value take it back or deny it: then it does not repeat the same vote."""
    folded = fold(m.sentence.text)
    is_past = m.segment.endswith("my") and _IS_PAST.match(m.rest) is not None
    denies = rule.denies or is_past or (m.speaks_of_mine and has("negation", drop("not_negation", m.clause)))
    taken = has("retraction", folded) and (rule.rivals or _TAKES_THE.search(m.lead) is not None)
    return denies or has("changed_mind", folded) or taken
