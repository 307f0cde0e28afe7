"""Sentences without a value that make the vote of their author doubtful: it may have changed, or may be no vote."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from kipflow.domain.votes import Standing
from kipflow.mail.votes.conditions import MARK, SENTENCES, has_condition
from kipflow.mail.votes.findings import Finding, Role
from kipflow.mail.votes.lexicon import drop, find_words, fold, has
from kipflow.mail.votes.people import ANOTHERS

#: "Would you reconsider?"
_ASKS_YOU = re.compile(r"\b(?:would|could|can|will|do|did) you\b.*\?\s*$", re.IGNORECASE)
_ASIDE = re.compile(r"\([^()]*\)")
#: "Not a vote, just a data point: we would be -1 on the old line"; not "not a vote on the name"
_NO_VOTE = re.compile(
    r"(?:^|[,.;:!()–—-]\s*)(?:(?:but|and|so)\s+)?(?:this is |it['’]?s |that['’]?s )?(?:not (?:a|my)|no) vote"
    r"(?=\s*(?:$|[,.;:!)–—]))"
)
#: "Do we support that?"
_ASKS_US = re.compile(r"\b(?:do|does|did|would|could|can|will|should|is|are) (?:we|it|this|that|there)\b")


@dataclass(frozen=True, slots=True)
class DoubtRule:
    """A rule for words of a writer's, in lower case, without a value: what it takes makes their vote doubtful."""

    name: str
    when: Callable[[str], bool]
    why: str
    takes: tuple[str, ...]
    role: Role = Role.PLAIN


def _is_own_ballot(folded: str) -> bool:
    """ "I retract.", "We withdraw the veto." """
    first = MARK.split(folded)[0]
    is_whole = (len(first.split()) <= 3 and has("retraction", first)) or (
        has("ballot", folded) and not has_condition(folded)
    )
    return is_whole and has("first_person", folded)


def _is_mine(folded: str) -> bool:
    return has("mine", folded) or has("my_vote", folded)


def _split_asides(folded: str) -> list[str]:
    """A sentence's words without those in brackets, and each of these."""
    return [_ASIDE.sub(" ", folded), *_ASIDE.findall(folded)]


DOUBT_RULES: tuple[DoubtRule, ...] = (
    DoubtRule(
        "taken-back",
        lambda folded: any(has("retraction", x) and (_is_mine(x) or _is_own_ballot(x)) for x in _split_asides(folded)),
        "speaks of taking something back: the vote?",
        ("Please drop what I sent an hour ago.", "We withdraw the veto."),
        Role.TAKES_BACK,
    ),
    DoubtRule(
        "misdirected",
        lambda folded: has("misdirected", folded),
        "says that something went astray: the vote?",
        ("That was meant for the other thread.",),
        Role.TAKES_BACK,
    ),
    DoubtRule(
        "changed_mind",
        lambda folded: has("changed_mind", folded) and (has("first_person", folded) or len(folded) < 60),
        "says that the mind has changed: and the vote?",
        ("My concern has been dealt with.",),
    ),
    DoubtRule(
        "corrected",
        lambda folded: has("correction", drop("corrects_to", folded)) and (has("sign", folded) or _is_mine(folded)),
        "corrects something: the vote?",
        ("Wrong sign above.",),
    ),
    DoubtRule(
        "not-voted",
        lambda folded: has("not_voted", folded) and has("first_person", folded),
        "says that there was no vote: whose is it?",
        ("I haven't voted, I only asked.",),
    ),
    DoubtRule(
        "change-without-value",
        lambda folded: has("change", folded) and has("my_vote", folded),
        "changes a vote, and does not say to what",
        ("I have changed my vote.",),
    ),
)
#: a question only if the sentence approves of nothing either
STANCE = DoubtRule(
    "stance",
    lambda folded: (
        has("stance", drop("not_negation", folded))
        and has("first_person", folded)
        and not (folded.rstrip().endswith("?") and _ASKS_US.search(folded))
    ),
    "says where its author stands: as the vote does?",
    ("I am with the other camp now, I oppose it.",),
    Role.LEANS,
)
#: the same: whatever else is said of the own vote may take it back
OWN_VOTE = DoubtRule(
    "own-vote",
    lambda folded: has("my_vote", folded) and not has("earlier", folded) and folded.rstrip()[-1:] not in "?？",
    "speaks of its writer's vote, in words that are not understood: does it stand?",
    ("My vote rests on a wrong premise.", "Oyumu iptal ediyorum."),
)


def find_doubt_rule(text: str) -> DoubtRule | None:
    """The first rule for sentences without a value that takes this one."""
    if ANOTHERS.search(text) or _ASKS_YOU.search(text):
        return None
    folded = drop("no_retraction", fold(text))
    return next((t for t in DOUBT_RULES if t.when(folded)), None)


#: "The -1 stands.", "My objection remains.", "I'm staying with against."
_THE_VOTE = re.compile(
    r"\W*(?:(?:so|and|but|then) )?(?:the [+-]\s?[01]|my (?:objections?|veto|concerns?|minus|no)"
    r"|i(?:['’]m|['’]ll| am| will)? (?:still )?(?:stay|stick)(?:ing)? (?:with|to|where))\b"
)


def says_it_stands(text: str) -> bool:
    """Whether a sentence only confirms the writer's vote: "My vote of April is unchanged."."""
    folded = fold(text)
    if "?" in text or "whether" in folded:
        return False
    clauses = [clause for clause in MARK.split(folded) if not has_condition(clause)]
    restated = any(
        has("restated", c) and (has("my_vote", c) or _THE_VOTE.match(c)) and not has("negation", c) for c in clauses
    )
    return restated or (has("unchanged", folded) and not has_condition(text))


def may_take_back(text: str) -> bool:
    """Whether words about their writer's own vote may mean that it no longer stands: they do not confirm it."""
    folded = drop("no_retraction", fold(text))
    names_it = any(match.group().endswith(("1", "0")) for match in find_words("my_vote", folded))  # "my +1"
    takes_back = has("retraction", folded) and (names_it or not text.isascii())
    return takes_back or (names_it and not has("earlier", folded) and not says_it_stands(text))


def drop_denied(found: Sequence[Finding], text: str) -> Sequence[Finding] | None:
    """The doubts and hints left if a mail says that its author's vote stays, or that there is none.

    None: the mail says that the vote stays, so nothing else in it becomes a question.
    """
    folded = fold(text)
    says_none = _NO_VOTE.search(folded) is not None and "?" not in text
    if says_none or has("votes_later", folded):
        found = [f for f in found if f.expression.standing is not Standing.UNCLEAR or f.expression.claimed_binding]
    if not all(f.expression.standing.is_tentative for f in found):
        return found
    if any(map(says_it_stands, SENTENCES.split(text))):
        return None
    none_yet = has("not_voted", folded) or has("votes_later", folded)
    return [f for f in found if f.expression.standing is not Standing.HINT] if none_yet else found
