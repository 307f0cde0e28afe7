"""Rules for values below a quoted remark or one of its points: a vote, or an answer?

Each docstring holds what its rule takes, and what it must leave to others ("not:").
"""

from __future__ import annotations

import re

from kipflow.domain.votes import Choice
from kipflow.mail.votes.about import About
from kipflow.mail.votes.conditions import MARK, SENTENCES
from kipflow.mail.votes.lexicon import begins, drop, ends, fold, has
from kipflow.mail.votes.mentions import Mention
from kipflow.mail.votes.values import find_values, parse_value
from kipflow.mail.votes.verdicts import Table, Verdict

ASK = Verdict.ASK
rule = Table()
#: longer quotations are whole mails, not a passage that was picked out
_LONGEST = 240
#: fewest words of a passage; "Thanks, Mara" is what is left of a call
_FEWEST = 5
_AGREES = re.compile(
    r"(?:this is something i agree with|i (?:\w+ )?agree with (?:this|that|the)(?: above)?"
    r" (?:statement|sentiment|paragraph|point|sentence|remark|assessment|observation))\b"
)
_DESPITE = re.compile(r"(?:anyway|all the same|nevertheless|nonetheless|still|regardless|despite|even so)\b")
_IS_TITLE = re.compile(r"[a-z]{2,8}-\d+:")
_KEEPS_COUNT = re.compile(r"\b(?:updated?|in|to|on) the (?:vote )?(?:tally|count)\b(?! \w)")
#: "(2) Motion to appoint a secretary"
_NUMBERED_POINT = re.compile(r"(?:^|(?<=\s))\(?(?:\d{1,2}|[a-h])[.)]\s")


@rule(ASK, "answers one of several points: is it a vote on the whole?")
def on_a_point(m: Mention) -> bool:
    """> 2) Who keeps the list / +1 | not: > Who keeps the list / +1"""
    answers = m.sentence.line.answers
    if not m.opens or m.mine_follows or len(answers) >= _LONGEST or len(_NUMBERED_POINT.findall(answers)) != 1:
        return False
    says_more = "vot" in fold(answers) or "://" in answers or bool(find_values(answers))
    return _NUMBERED_POINT.match(answers) is not None and not says_more


def _may_be_call(remark: str) -> bool:
    """Whether quoted words may be what is left of a call for votes, or of a vote in favour: neither is a remark."""
    choices = {parse_value(found["value"])[0] for found in find_values(remark)}
    if "[ ]" in remark or (sum(len(word) > 1 for word in remark.split()) < _FEWEST and Choice.AGAINST not in choices):
        return True
    calls = has("calls_vote", remark) or "://" in remark or has("open_question", remark) or _IS_TITLE.match(remark)
    remark = remark.replace("suggestions", "") if has("calls_vote", remark) else remark
    talks = has("suggests", drop("polite", remark)) or has("negation", remark) or Choice.AGAINST in choices
    return bool(calls or choices) and not talks


@rule(ASK, "agrees with a remark: a vote, or an answer to it?")
def answer(m: Mention) -> bool:
    """Good point Jun, +1 | not: +1 (binding), good point Jun"""
    line = m.sentence.line
    remark = fold(line.answers)
    behind = fold(m.tail).lstrip(" ,.;:!–—-")
    is_bare = m.opens and not (m.is_claimed or m.mine_follows) and m.choice is Choice.FOR
    shares = begins("shares", behind) and not has("negation", MARK.split(behind)[0])  # not "+1, I have no concerns"
    if is_bare and (shares or (line.answers and _AGREES.match(fold(m.sentence.following).lstrip()))):
        return True  # "+1, same concern here"
    if m.mine_follows and m.segment.startswith("still"):
        return False
    if m.choice is Choice.AGAINST and not (m.is_claimed or m.mine_follows) and has("assent", fold(m.lead)):
        return True  # "Yes, -1."
    is_open = remark.endswith(",") or (remark[-1:].isalpha() and ends("leaves_open", remark[-12:]))
    last = SENTENCES.split(remark)[-1]
    is_led_in = remark.endswith(":") and has("we_are", last)
    if (is_open and line.quote_follows) or (is_led_in and len(remark) < _LONGEST):
        return True  # what is quoted goes on here: a line of it without its mark
    if not (m.opens or m.is_claimed or m.mine_follows) and m.about is About.NOTHING and has("agreeing", fold(m.lead)):
        return True
    following = fold(m.sentence.following[:60])
    if (_KEEPS_COUNT.search(following) and not m.is_claimed) or (
        m.choice is Choice.AGAINST and begins("takes_up", following)
    ):
        return True  # "OK, -1 then. I'll update the docs", "So +1. I have updated the tally"
    if not line.answers or (m.is_claimed and m.ends_clause):
        return False
    is_short = len(remark) < _LONGEST
    if is_short and is_bare and not (_may_be_call(remark) or _DESPITE.match(behind)):
        return True  # a passage that was picked out
    if is_short and remark.endswith("?") and not has("open_question", remark):
        return True
    discusses = line.quote_follows or (is_short and has("suggests", remark)) or begins("points", behind)
    return (discusses and not has("call", remark)) or begins("takes_up", behind)
