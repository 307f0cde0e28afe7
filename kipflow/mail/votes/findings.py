"""The readings of single sentences and lines, and the one expression that they come to, given all that a mail says."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import Enum, auto

from kipflow.domain.votes import Choice, Expression, Standing
from kipflow.mail.votes.claims import find_separate_claim, skip_claim
from kipflow.mail.votes.conditions import SENTENCES, is_dependence
from kipflow.mail.votes.lexicon import drop, fold, has
from kipflow.mail.votes.relayed import SPEAKS_FOR_SELF
from kipflow.mail.votes.values import is_fraction

MAX_TEXT = 20_000
_SENT_FOR = re.compile(r"^\W*(?i:sent|cast|posted) for (?:[A-Z][\w.'’-]+\s?){1,3}\W*$", re.MULTILINE)
#: "a typo in the name of the config"
_OF_A_THING = re.compile(r"\b(?:typos?|errors?|mistakes?) in the name of (?:the|this|that|one)\b")
#: Most words after a vote and its claim that give no reason: "from me", "all good".
_FEW = 2


class Role(Enum):
    """How a finding affects the others of its mail."""

    PLAIN = auto()
    #: a checked box or a summary outweighs all other findings
    WHOLE = auto()
    #: a change outweighs all findings before it
    CHANGE = auto()
    #: not understood, and may be the vote beside another one
    RIVAL = auto()
    #: takes a vote back, or may
    TAKES_BACK = auto()
    OBJECTS = auto()
    #: says where its author stands, and no more
    LEANS = auto()


@dataclass(frozen=True, slots=True)
class Finding:
    """An expression and its role."""

    expression: Expression
    role: Role = Role.PLAIN


def find(
    rule: str,
    standing: Standing,
    why: str = "",
    *,
    choice: Choice | None = None,
    value: str = "",
    claimed: bool | None = None,
    role: Role = Role.PLAIN,
    line: str = "",
) -> Finding:
    """A finding; the line of a sentence's is filled in by the caller."""
    expression = Expression(
        choice=choice, value=value, claimed_binding=claimed, line=line, rule=rule, standing=standing, why=why
    )
    return Finding(expression, role)


def resolve(found: Sequence[Finding]) -> Expression | None:
    """One expression for a whole mail: a change, else the one clear vote, else a question."""
    by = {standing: [f.expression for f in found if f.expression.standing is standing] for standing in Standing}
    clear = _find_clear(found)
    if clear:
        changed = _has(Role.CHANGE, found)
        is_bare = all(e.claimed_binding is None for e in clear)
        rivals = [f.expression for f in found if f.role is Role.RIVAL]
        rivals = [e for e in rivals if is_bare or e.claimed_binding is not None]
        if not changed and len({e.choice for e in (*clear, *rivals)}) > 1:
            why = "says " + " and ".join(dict.fromkeys(e.value or str(e.choice) for e in (*clear, *rivals)))
            return replace(clear[0].as_question("two-votes", why), choice=None)
        vote = next((e for e in clear if e.claimed_binding is not None), clear[0])
        same = [f.expression.value for f in found if f.expression.choice is vote.choice and f.expression.value]
        whole = [value for value in same if not is_fraction(value)]
        parts = [e.value for e in clear if e.choice is vote.choice and is_fraction(e.value)]
        if parts and whole:  # "+0.9, which I'm rounding up: +1"
            return replace(vote.as_question("two-votes", f"says {parts[0]} and {whole[-1]}"), choice=None)
        return vote
    hints = by[Standing.HINT] or by[Standing.QUOTED]
    if by[Standing.DOUBT] and hints:  # a change if its author has voted, a vote if not
        # "I misread it, nothing against it": words against need not mean a vote against; a quotation need not be theirs
        is_unsure = hints[0].choice is Choice.AGAINST or hints[0].standing is Standing.QUOTED
        choice = None if is_unsure else hints[0].choice
        return replace(by[Standing.DOUBT][0], choice=choice, standing=Standing.UNCLEAR)
    unclear = by[Standing.UNCLEAR]
    if by[Standing.WITHDRAWAL] and unclear:
        return replace(unclear[-1], choice=None)  # withdrawn, or another vote instead
    if len({e.choice for e in unclear} - {None}) > 1:
        return replace(unclear[0], choice=None)  # any of its values may be the vote
    ordered = (by[Standing.WITHDRAWAL][-1:], unclear, by[Standing.DOUBT], hints)
    return next((expressions[0] for expressions in ordered if expressions), None)


def _has(role: Role, found: Sequence[Finding]) -> bool:
    return any(f.role is role for f in found)


def _find_clear(found: Sequence[Finding]) -> list[Expression]:
    """What is clear: the last change, else checked boxes, else all of it."""
    clear = [f for f in found if f.expression.standing is Standing.CLEAR]
    changed = [f for f in clear if f.role is Role.CHANGE][-1:]
    return [f.expression for f in changed or [f for f in clear if f.role is Role.WHOLE] or clear]


def weigh_with_the_rest(vote: Expression, found: Sequence[Finding], text: str, author: str) -> Expression:
    """A vote adjusted to what the mail says elsewhere: conditional, for somebody else, taken back."""
    if vote.standing is not Standing.CLEAR:
        return vote
    folded = fold(text.replace("\n", " "))[:MAX_TEXT]
    at = next(i for i, f in enumerate(found) if f.expression == vote)
    takes_back = _has(Role.TAKES_BACK, found[at + 1 :])
    spoken = SPEAKS_FOR_SELF.search(vote.line)  # "On behalf of Acme and myself", not "My own: +1, on behalf of Jun"
    for_self = spoken is not None and ("myself" in spoken.group() or not has("behalf", fold(vote.line)))
    if (has("behalf", _OF_A_THING.sub(" ", folded)) or _SENT_FOR.search(text)) and not for_self:
        doubt = ("for-another", "cast for somebody else, or not to be counted: whose vote is it?")
    elif takes_back and found[at].role is not Role.CHANGE:
        asked = vote.as_question("taken-back", "the same mail takes something back: does the vote stand?")
        return replace(asked, choice=None)
    elif has("votes_then", folded):
        doubt = ("votes-later", "says that the vote comes later: is this one?")
    elif vote.choice is Choice.FOR and (_has(Role.OBJECTS, found) or has("refuses", drop("not_negation", folded))):
        doubt = ("contradiction", "votes for it, and objects elsewhere: which is meant?")
    elif vote.choice is Choice.AGAINST and has("praise", folded) and not _objects(vote, folded):
        doubt = ("contradiction", "votes against it, and only praises it: is the sign a slip?")
    elif any(has("depends", s) and _speaks_of_the_vote(s) for s in SENTENCES.split(folded)):
        doubt = ("conditional", "another sentence makes the vote depend on something: is it met?")
    else:
        claimed = vote.claimed_binding
        return vote if claimed is not None else replace(vote, claimed_binding=find_separate_claim(text, author))
    return vote.as_question(*doubt)


def _objects(vote: Expression, folded: str) -> bool:
    """Whether a vote against gives a reason on its own line, or its mail speaks against the proposal elsewhere."""
    if vote.value and len(skip_claim(vote.line.partition(vote.value)[2]).split()) > _FEW:
        return True
    plain_words = drop("praise", drop("not_negation", folded))
    return any(has(name, plain_words) for name in ("contrast", "negation", "rejection", "demand"))


def _speaks_of_the_vote(sentence: str) -> bool:
    if re.search(r"\bmy (?:vote|\+1|-1|approval)\b|\bthis (?:is|vote|assumes|depends)\b", sentence) is not None:
        return True
    return is_dependence(sentence)  # "Subject to the license fix."
