"""Votes taken back or changed: "I withdraw my -1", "changing my vote to +1", "-1 -> +1"."""

from __future__ import annotations

import re
from dataclasses import replace

from kipflow.domain.votes import Expression, Standing
from kipflow.mail import phrases
from kipflow.mail.values import find_claim, find_values, parse_value

_NOTHING = Expression(choice=None, value="", claimed_binding=None, line="", rule="")
# "After reading it again, I change …": when it is done, not a condition
_OPENING_CLAUSE = re.compile(
    r"^\W{0,3}(?:after|since|before|when) (?:\w+ing|some|more|the|your)\b[^,]{0,120},",
    re.IGNORECASE,
)
_TO_ZERO = re.compile(r"\b(?:to|now|and (?:now )?vote)\s+(?:a\s+)?(?P<value>0)(?!\w|\.\d)", re.IGNORECASE)
_LAST_TARGET = re.compile(
    r"(?:\bto\b|\binto\b|->|=>|→|\bnow\b|:|\band\b|,|\binstead\b|\bwith\b|\bby\b)\s*(?:a |an |my |vote |voting |is |"
    r"it |i['’]?m |i am |cast(?:ing)? |change (?:it )?to |\(|binding |non-?binding |strong |at |of ){0,4}\s*$",
    re.IGNORECASE,
)


def read_change(text: str) -> Expression | None:
    """A vote withdrawn or changed in this sentence; an expression without rule means: talk, no vote."""
    withdraws = phrases.WITHDRAW.search(text) is not None and phrases.MINE.search(text) is not None
    withdraws = withdraws or phrases.WITHDRAWN_FIRST.match(text) is not None
    short = phrases.CHANGE_IN_SHORT.match(text)
    if short is not None and not withdraws:
        return _change_to(short, text)
    changes = _speaks_of_change(text)
    if not (withdraws or changes):
        if phrases.WITHDRAW.search(text) and find_values(text) and phrases.YOURS.search(text):
            return _NOTHING
        return None
    values = find_values(text)
    targets = _find_targets(text, values, withdraws=withdraws)
    if not withdraws and not targets:
        return None
    if targets and _is_changed_on_condition(text, targets[-1]):
        changed = _change_to(targets[-1], text)
        why = "a condition stands with the change: is it met?"
        return replace(changed, rule="conditional", standing=Standing.UNCLEAR, why=why)
    if phrases.UNREAL.search(_OPENING_CLAUSE.sub("", text)) or phrases.YOURS.search(text):
        return _NOTHING  # "I'd withdraw my -1 if …": the vote stands as it was
    if targets:
        return _change_to(targets[-1], text)
    value = parse_value(values[0].group("value"))[1] if values else ""
    return Expression(
        choice=None, value=value, claimed_binding=None, line="", rule="withdrawn", standing=Standing.WITHDRAWAL
    )


def _speaks_of_change(text: str) -> bool:
    """Whether a sentence changes a vote: an arrow, "now I'm +1", or a verb of change with a vote or a "my"."""
    if phrases.ARROW.search(text) is not None or phrases.NOW.search(text) is not None:
        return True
    about_mine = re.search(r"\b(?:my|vote|from|mind)\b", text, re.IGNORECASE) is not None
    return about_mine and phrases.CHANGE.search(text) is not None


def _find_targets(text: str, values: list[re.Match[str]], *, withdraws: bool) -> list[re.Match[str]]:
    """The votes that a changing sentence arrives at; what is being withdrawn is none."""
    targets = [v for v in values if _LAST_TARGET.search(text[: v.start("value")])]
    taken_back = phrases.WITHDRAW.search(text) if withdraws else None
    if taken_back is not None:
        targets = [v for v in targets if not taken_back.start() <= v.start("value") < taken_back.end()]
    targets = targets or list(_TO_ZERO.finditer(text))
    targets = [v for v in targets if phrases.TECHNICAL_AFTER.match(text[v.end("value") :]) is None]
    if targets or withdraws or not values or phrases.ARROW.search(text) is not None:
        return targets
    before_last = text[: values[-1].start("value")]
    arrives = phrases.NOW.search(text) or re.search(r"\bvote\b[^.]{0,20}$", before_last, re.IGNORECASE)
    return values[-1:] if arrives else []


def _is_changed_on_condition(text: str, target: re.Match[str]) -> bool:
    """ "Changing my vote to -1 until …" changes it, for a while; "I will change it if …" does not yet."""
    head = _OPENING_CLAUSE.sub("", text[: target.start("value")])
    if phrases.UNREAL.search(head) or phrases.YOURS.search(text) or re.search(r"\bwill\b|['’]ll\b", head):
        return False
    return phrases.CONDITION_AFTER.search(text[target.end("value") :]) is not None


def _change_to(target: re.Match[str], text: str) -> Expression:
    choice, value = parse_value(target.group("value"))
    claimed = find_claim(text[: target.start("value")], text[target.end("value") :])
    return Expression(choice=choice, value=value, claimed_binding=claimed, line="", rule="changed")
