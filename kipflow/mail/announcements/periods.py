"""What the mails of a vote say of its period: "open for two weeks", "until Friday", "I'm extending the vote".

A sentence must have a word for running on or ending that is said of the vote, and a time that belongs to it. Whose word
counts is decided elsewhere.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import Enum

from kipflow.mail.announcements.clauses import Subject, find_strongest, read_group
from kipflow.mail.announcements.heads import Head
from kipflow.mail.announcements.instants import Instant, find_instants
from kipflow.mail.announcements.tokens import Token, find_clause, has_word, split_sentences, tokenize

#: A vote that is said to run longer than this is asked about: a slip, or no period at all.
_LONGEST = timedelta(days=92)
_LONGEST_LINE = 300
_LAST_YEAR = 9000  # beyond it, reckoning with days breaks
_OBJECT, _REACH = 4, 6
_RUNS = frozenset({"open", "run", "runs", "running", "lasts", "remain", "remains", "stay", "stays"})
_PAST = frozenset({"was", "were", "has", "have", "had", "been"})
_POSSIBLE = frozenset({"could", "might", "may", "can"})
_BY = frozenset({"until", "untill", "till", "til", "by", "before"})
_BEYOND = frozenset({"until", "untill", "till", "til", "through", "thru", "over", "beyond", "past"})
_LINKS = _BY | _BEYOND | {"for", "in", "within", "on", "to", "at", "is", "of", ":", "period"}
#: Before or behind a time: it is none of the vote's end.
_OTHERS = frozenset({"after", "since", "from", "as", "because", "and", "but", "ago", "earlier", "old"})
_UNITS = frozenset({"day", "days", "week", "weeks", "hours", "while", "longer", "weekend", "holidays"})
_SIGNS = ("open", "run", "last", "remain", "stay", "extend", "prolong", "keep", "leav", "clos", "end", "conclu")
_ANY = re.compile("|".join((*_SIGNS, "finish", "deadline", "period", "til", "by", "before", "goes on")))


class Way(Enum):
    """How a sentence speaks of the period: it is made longer, it runs, it ends, or votes are asked for by its end."""

    EXTENDS, RUNS, ENDS, ASKS = range(4)


@dataclass(frozen=True, slots=True)
class Clock:
    """When a mail came, when its vote was opened (the call itself: just then), and when that could be closed so far."""

    said_at: datetime
    opened_at: datetime
    close: datetime

    @property
    def is_call(self) -> bool:
        return self.said_at == self.opened_at


@dataclass(frozen=True, slots=True)
class SaidPeriod:
    """A period in a mail's words: the earliest and the latest end that they can mean; None: not understood."""

    line: str
    extends: bool
    since: datetime | None = None
    until: datetime | None = None


def find_period(text: str, clock: Clock) -> SaidPeriod | None:
    """What a mail's own words say of the period of its vote: the latest end, else the first that is not understood."""
    if clock.said_at.year > _LAST_YEAR:
        return None
    found: list[SaidPeriod] = []
    named_before = False
    for sentence in split_sentences(text.splitlines()):
        named = has_word(sentence, "vote", "thread")
        if _ANY.search(sentence.lower()) and not sentence.rstrip(' )"').endswith(("?", "？")):
            found.extend(_read(sentence, clock, is_named=named or named_before))
        named_before = named
    known = [said for said in found if said.until is not None]
    return max(known, key=lambda said: said.until or clock.said_at) if known else next(iter(found), None)


def _read(sentence: str, clock: Clock, *, is_named: bool) -> Iterator[SaidPeriod]:
    """What one sentence says, by its first word that says anything."""
    tokens = tokenize(sentence)
    texts = [token.text.rstrip(".,") or token.text for token in tokens]
    text = " ".join(texts)
    instants: list[Instant] | None = None
    for at in range(len(tokens)):
        head = Head(tokens, at)
        way = _find_way(head, is_named=is_named)
        if way is None:
            continue
        instants = list(find_instants(text, clock.said_at)) if instants is None else instants
        links = _BY if way is Way.ASKS else _LINKS
        own = [i for i in instants if _belongs(i, text, texts, at, links)]
        said = _weigh(own, head, way, clock, sentence)
        if said is not None:
            yield said
            return


def _weigh(own: Sequence[Instant], head: Head, way: Way, clock: Clock, sentence: str) -> SaidPeriod | None:
    """The period by the times that belong to a word, or that one is given which is not understood."""
    line, clause = sentence[:_LONGEST_LINE], head.tokens[find_clause(head.tokens, head.at) : head.at]
    wishes = any(t.can_be("unreal", "hedge") and t.text != "will" for t in clause)
    extends = way is Way.EXTENDS and not wishes
    placed = [_place(instant, head, way, clock) for instant in own]
    spans = [span for span in placed if span is not None]
    if spans and len(spans) == len(placed) and all(_is_likely(until, clock) for _, until in spans):
        since, until = max(spans, key=lambda span: span[1])
        return SaidPeriod(line, extends, since, until)
    if own:  # what is over is told, not set
        over = way is not Way.EXTENDS and all(span is not None and span[1] <= clock.said_at for span in placed)
        return None if over and not clock.is_call else SaidPeriod(line, extends)
    return SaidPeriod(line, extends) if _is_vague(head, way, clock) else None


def _is_likely(until: datetime, clock: Clock) -> bool:
    return clock.said_at < until <= clock.said_at + _LONGEST


def _place(instant: Instant, head: Head, way: Way, clock: Clock) -> tuple[datetime, datetime] | None:
    """The earliest and the latest moment that a time can mean."""
    length = instant.length
    if length is None or clock.is_call:
        return None if instant.since is None or instant.until is None else (instant.since, instant.until)
    if instant.more or head.can_be("extend"):  # on top of what was left
        return clock.said_at + length, max(clock.said_at, clock.close) + length
    retold = way is Way.RUNS and head.tokens[head.at - 1].text in {"is", "be"}  # "the vote is open for 72 hours"
    end = (clock.opened_at if retold else clock.said_at) + length
    return end, end


# -- how a word speaks of the vote -----------------------------------------------------------------------------------
def _find_way(head: Head, *, is_named: bool) -> Way | None:
    way = _find_kind(head, is_named=is_named)
    if way is None:
        return None
    start, _ = read_group(head.tokens, head.at, "auxiliary", "adverb", "unreal", "negator", "no", "hedge")
    asks = way is Way.ASKS
    group = {t.text for t in (*head.tokens[max(start, 0) : head.at], *(_near(head, _REACH) if asks else ()))}
    denied = head.is_denied and not (way is Way.ENDS and any(t.text in _BY for t in _near(head, _REACH)))
    told = way is not Way.EXTENDS and not group.isdisjoint(_PAST)
    if denied or told or not group.isdisjoint(_POSSIBLE):
        return None
    on_condition = any(t.can_be("condition") and t.text not in {*_BY, "should"} for t in head.tokens[: head.at])
    return None if on_condition and way is not Way.ENDS else way


def _find_kind(head: Head, *, is_named: bool) -> Way | None:
    text, near = head.word.text, _near(head, _REACH)
    if head.can_be("extend", "keep"):
        is_open = any(token.text == "open" for token in near)
        said = _is_object(head, named=is_named or is_open) or _is_subject(head, named=is_named)
        return Way.EXTENDS if said and (head.can_be("extend") or is_open) else None
    if head.can_be("runs_on") or text in _RUNS:
        if any(token.can_be("keep") for token in _before(head, _OBJECT)):
            return None  # which has been looked at
        named = is_named or text.endswith("open")
        begins = text == "open" and is_named and find_clause(head.tokens, head.at) == head.at
        return Way.RUNS if begins or _is_subject(head, named=named) else None
    if head.can_be("close") and text not in {"over", "complete", "completed"}:
        is_past = text.endswith("ed") and not any(token.text in {"be", "is"} for token in _before(head, 2))
        said = _is_object(head, named=is_named) or _is_subject(head, named=is_named)
        return Way.ENDS if said and not is_past else None
    if text == "deadline":
        return Way.ENDS if is_named else None
    before = head.tokens[head.at - 1] if head.at else None
    if text == "period" and before is not None and before.can_be("vote"):
        return Way.RUNS
    return Way.ASKS if head.can_be("vote") and any(token.text in _BY for token in near) else None


def _near(head: Head, reach: int) -> Sequence[Token]:
    return head.tokens[head.at + 1 : head.at + 1 + reach]


def _before(head: Head, reach: int) -> Sequence[Token]:
    return head.tokens[max(0, head.at - reach) : head.at]


def _is_object(head: Head, *, named: bool) -> bool:
    """Whether the vote stands behind the word: "extending the vote", "keep it open"."""
    near = _near(head, _OBJECT)
    is_named = any(t.can_be("vote", "thread") or t.text in {"deadline", "period"} for t in near)
    return is_named or (named and any(t.can_be("pronoun") for t in near[:1]))


def _is_subject(head: Head, *, named: bool) -> bool:
    """Whether the vote stands before the word: "the vote on KIP-7 will be open", "it runs"."""
    start, _ = read_group(head.tokens, head.at, "auxiliary", "adverb", "unreal", "negator")
    if start < 0:
        return False
    leader = head.tokens[start]
    if leader.can_be("thread") or leader.text in {"deadline", "period"}:
        return True
    return find_strongest(head.tokens, start) is Subject.VOTE or (named and leader.can_be("pronoun"))


# -- which time belongs to it ----------------------------------------------------------------------------------------
def _belongs(instant: Instant, text: str, texts: Sequence[str], at: int, links: frozenset[str]) -> bool:
    """Whether a time stands behind the word at `at`, and is linked to it."""
    place, behind = text[: instant.start].count(" "), text[instant.end :].split(" ", 2)
    words = " ".join(texts[: at + 1])
    if instant.start <= len(words) or _OTHERS.union(("before", "of")).intersection(behind[1:2]) - {"and", "but", "as"}:
        return False
    before = text[len(words) : instant.start].split()
    for word in reversed(before[-_REACH:]):
        if word in links:
            return True
        if word in _OTHERS:
            return False
    return len(before) < _REACH and place > at and links is _LINKS


def _is_vague(head: Head, way: Way, clock: Clock) -> bool:
    """Whether it is said to run on, and not until when. Until votes are in is no time: without them nothing passes."""
    if way not in {Way.EXTENDS, Way.RUNS}:
        return False
    behind = head.tokens[head.at + 1 :]
    if head.word.text.endswith("ed") and not (head.at and head.tokens[head.at - 1].can_be("auxiliary")):
        return False  # "I extended the vote last week"
    beyond = next((n for n, token in enumerate(behind) if token.text in _BEYOND), None)
    if beyond is not None:
        return not any(token.can_be("ballots", "needed", "sign") for token in behind[beyond:])
    if any(token.text in {"if", "whether"} for token in behind):
        return False  # "longer if needed"
    return (way is Way.EXTENDS and not clock.is_call) or any(token.text in _UNITS for token in behind)
