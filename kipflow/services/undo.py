"""Undo an ingest or import: facts that came only from it are removed, and history is corrected.

Its changes to the coverage of months are reverted, unless a month was read again since.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime

from kipflow.domain.events import Transition
from kipflow.domain.facts import ArchiveMonth
from kipflow.domain.proposals import format_key
from kipflow.domain.texts import digest_text, say_count
from kipflow.domain.times import say_moment
from kipflow.services.advance import preview_in
from kipflow.services.desk import ActContext, Desk
from kipflow.services.file_coverage import name_breaks
from kipflow.services.ports import Batch, MonthChange, Session
from kipflow.services.ruling_checks import BadRuling
from kipflow.services.wording import LEAVES, say_move

_WHAT = {"mail": "mail", "index": "index row"}
CHANGED = "something else would change by now: look at it again"
#: A list and one of its months → its coverage, and its stored breaks.
Held = Mapping[tuple[str, str], tuple[ArchiveMonth, str]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Undone:
    """What undoing a batch changes: proposals, the new entries of their histories, and months reverted or left.

    `gone`: proposals of which nothing is left, so that they are listed nowhere. `kept` of its mails stay, as the
    batches `shared` have them too.
    """

    batch: Batch
    numbers: tuple[int, ...]
    appended: tuple[Transition, ...]
    gone: frozenset[int]
    months: tuple[str, ...]
    kept: int = 0
    shared: tuple[int, ...] = ()

    @property
    def digest(self) -> str:
        """Equal if the same would change."""
        moves = [(move.number, move.source, move.target, move.rule) for move in self.appended]
        said = repr((self.batch.id, self.batch.items, self.kept, self.numbers, self.months, moves))
        return digest_text(said, 20)


class _PreviewDone(Exception):
    """Raised to roll back a transaction that was only a preview."""

    def __init__(self, found: Undone) -> None:
        super().__init__()
        self.found = found


def load_held(session: Session) -> Held:
    return {
        key: (month, session.marks.load(name_breaks(*key)) or "") for key, month in session.mail.load_months().items()
    }


def find_changes(before: Held, after: Held) -> list[MonthChange]:
    """The months whose coverage changed."""
    changed = ((before.get(key, (None, "")), now) for key, now in after.items() if before.get(key) != now)
    return [
        MonthChange(before=was, after=month, breaks_before=was_broken, breaks_after=broken)
        for (was, was_broken), (month, broken) in changed
    ]


def undo(
    desk: Desk, batch_id: int, *, at: datetime, context: ActContext | None = None, seen: str | None = None
) -> Undone:
    """Undo a batch; without a `context` only find what that would change. The caller decides the proposals again.

    `seen` is the digest of the preview that the person saw; None: undo whatever it changes.

    Raises:
        BadRuling: no such batch, or it was undone before; something else would change than was seen; the word has no
            author or reason.
    """
    said = context.checked() if context is not None else None
    try:
        with desk.store.begin() as session:
            batch = _find(session, batch_id)
            shared = session.batches.find_shared(batch_id) if batch.kind == "mail" else {}
            numbers = sorted(session.batches.remove(batch, at=at))
            by, why = (said.author, said.reason) if said is not None else ("", "")
            session.batches.note_undone(batch_id, at=at, by=by, reason=why, numbers=numbers)
            months = tuple(_restore_months(session, batch, shared))
            then = {number: preview_in(session, number, policy=desk.policy, as_of=at, now=at) for number in numbers}
            found = Undone(
                batch=batch,
                numbers=tuple(numbers),
                appended=tuple(move for _, moves in then.values() for move in moves),
                gone=frozenset(n for n, (decision, _) in then.items() if decision and not decision.history),
                months=months,
                kept=len(set[str]().union(*shared.values())),
                shared=tuple(shared),
            )
            if seen not in {None, found.digest}:
                raise BadRuling(CHANGED)
            if context is None:
                raise _PreviewDone(found)
    except _PreviewDone as shown:
        return shown.found
    return found


def _find(session: Session, batch_id: int) -> Batch:
    batch = next((b for b in session.batches.load_all() if b.id == batch_id), None)
    if batch is None:
        raise BadRuling(f"no ingest {batch_id} is known; `kipflow ingest --batches` lists them")
    if batch.undone_at is not None:
        raise BadRuling(f"ingest {batch_id} was undone {say_moment(batch.undone_at)} by {batch.undone_by}")
    return batch


def _restore_months(session: Session, batch: Batch, shared: Mapping[int, Collection[str]]) -> Iterator[str]:
    """Revert a batch's changes to months, unless a later batch with the same mails supports them."""
    heirs = [number for number, refs in shared.items() if number > batch.id and len(refs) == batch.items]
    heir = next((b for b in session.batches.load_all() if b.id in heirs), None)
    if heir is None:
        for change in batch.months:
            yield from _restore_month(session, change)
        return
    session.batches.close(heir.id, [*heir.months, *batch.months])
    for change in batch.months:
        yield f"{change.after.list_id} {change.after.month} stays as it is: batch {heir.id} brought the same mails"


def _restore_month(session: Session, change: MonthChange) -> Iterator[str]:
    list_id, month = change.after.list_id, change.after.month
    now = load_held(session).get((list_id, month))
    if now != (change.after, change.breaks_after):
        yield f"{list_id} {month} stays as it is: it was read again since"
        return
    session.marks.save(name_breaks(list_id, month), change.breaks_before or "[]")
    if change.before is None:
        session.mail.drop_month(list_id, month)
        yield f"{list_id} {month} is no longer held"
        return
    session.mail.save_month(change.before)
    yield f"{list_id} {month} is {change.before.status} again"


def say_undone(found: Undone, prefix: str) -> Iterator[str]:
    """What undoing a batch changes, in lines."""
    sources, items, what = ", ".join(found.batch.sources), found.batch.items - found.kept, _WHAT[found.batch.kind]
    yield f"{say_count(items, what)} of {sources} taken out, of {say_count(len(found.numbers), 'proposal')}"
    if found.kept:
        others = f"batch{'' if len(found.shared) == 1 else 'es'} {', '.join(map(str, found.shared))}"
        stay = "stays" if found.kept == 1 else "stay"
        yield f"{say_count(found.kept, what)} of it {stay}, for {others} brought the same"
    yield from found.months
    for move in found.appended:
        note = f": {move.note}" if move.note else ""
        said = f" {LEAVES}" if move.number in found.gone else f": {say_move(move)}{note}"
        yield f"{format_key(prefix, move.number)}{said}"


def say_items(batch: Batch) -> str:
    """How many facts a batch holds that came from files only."""
    return say_count(batch.items, _WHAT[batch.kind])
