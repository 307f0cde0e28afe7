"""Later announcements of one vote: repeated, corrected or reversed. Earlier ones are kept with their times."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import datetime

from kipflow.domain.facts import Message
from kipflow.domain.votes import Declared
from kipflow.mail.results import may_deny

#: Most names that are searched among voters.
_MOST_NAMES = 100


def revise(
    known: Declared, later: Declared, at: datetime, *, outweighs: bool, votes_since: Callable[[str], bool]
) -> Declared:
    """The announcement of a round after an entitled person announces `later`, at `at`, following `known`.

    A correction, a tagged announcement over a plain one (`outweighs`), or the same outcome with other counts from the
    same person replaces what it shows. One that reverses the outcome, takes the announcement back, or differs without
    being any of these, ends nothing any more: a person must say which holds.

    Args:
        known: what was announced so far.
        later: what the later mail announces.
        at: when that was.
        outweighs: whether its form makes the later one count for more.
        votes_since: whether somebody of this name voted between both for the first time.
    """
    if known.closes_at is None:
        return replace(later, announced_at=at, revised_at=at, before=known) if later.closes_at is not None else known
    restates = later.corrects and (later.counts or later.outcome is not None)
    if later.unclear and not restates:
        if later.corrects:  # a retracted announcement closes nothing: the vote runs on
            return replace(later, announced_at=at, revised_at=at, before=known)
        return _doubt(known, later.by, later.message_id, later.line, at) if may_deny(later, known) else known
    differs = _differs(known, later)
    recounts = later.by == known.by and known.outcome is not None and later.outcome == known.outcome and later.counts
    if not (restates or outweighs or (differs and recounts)):
        return _doubt(known, later.by, later.message_id, later.line, at) if differs else known
    merged = _merge(known, later)
    if later.corrects and any(map(votes_since, _find_new_names(known, later))):
        merged = replace(merged, announced_at=at)  # it counts who voted since, so it is what closes the vote
    if not differs:
        return merged
    turned = None not in {known.outcome, later.outcome} and known.outcome != later.outcome
    return replace(merged, unclear=later.line if turned else "", revised_at=at, before=known)


def ask_which(known: Declared, later: Declared, at: datetime) -> Declared:
    """The announcement after more revisions than anybody would make: a person must say which holds."""
    asks = not known.unclear and _differs(known, later)
    return _doubt(known, later.by, later.message_id, later.line, at) if asks else known


def call_off_late(known: Declared, message: Message, at: datetime) -> Declared:
    """The announcement after a mail calls off a vote with an announced result: a person must say which holds."""
    return _doubt(known, message.author_name, message.message_id, message.cancels or message.subject, at)


def _doubt(known: Declared, by: str, message_id: str, line: str, at: datetime) -> Declared:
    return replace(known, by=by, message_id=message_id, line=line, unclear=line, revised_at=at, before=known)


def _differs(known: Declared, later: Declared) -> bool:
    """Whether both state an outcome, or a count of one choice, and not the same."""
    if None not in {known.outcome, later.outcome} and known.outcome != later.outcome:
        return True
    pairs = ((known.binding, later.binding), (known.non_binding, later.non_binding), (known.total, later.total))
    return any((one or {}).get(key, number) != number for one, other in pairs for key, number in (other or {}).items())


def _find_new_names(known: Declared, later: Declared) -> list[str]:
    """The names in the later announcement that no earlier one has, if any earlier one has names."""
    before = _find_named(known)
    return sorted({name for names in later.names.values() for name in names} - before)[:_MOST_NAMES] if before else []


def _find_named(declared: Declared | None) -> set[str]:
    """The names so far, in any announcement."""
    found: set[str] = set()
    while declared is not None:
        found.update(name for names in declared.names.values() for name in names)
        declared = declared.before
    return found


def _merge(known: Declared, later: Declared) -> Declared:
    """The later announcement, with what it leaves out taken from the known one; an outdated sum is not kept."""
    split = bool(later.binding or later.non_binding)
    return replace(
        later,
        announced_at=known.announced_at,
        outcome=later.outcome or known.outcome,
        binding=later.binding or known.binding,
        non_binding=later.non_binding or known.non_binding,
        total=later.total or (None if split else known.total),
        names=later.names or ({} if split or later.total else known.names),
        unclear="",
        before=known.before,
        revised_at=known.revised_at,
    )
