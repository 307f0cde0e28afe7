"""Derived dates compared with the wiki's: a proposal's beginning, its vote's earliest end, the page's last change."""

from __future__ import annotations

from collections import defaultdict
from datetime import datetime

from kipflow.domain.decisions import Decision
from kipflow.domain.events import Stage
from tools.accuracy.findings import Demand, Disagreement, Figure, Section
from tools.accuracy.kafkadata import MAILS_FROM, KafkaData
from tools.accuracy.replayed import Replayed
from tools.accuracy.stages import report_class


def check_dates(seen: Replayed) -> Section:
    """Check the order of events: page, discussion, vote, last change of the page."""
    data, decided = seen.data, seen.mail_only
    found: list[Disagreement] = []
    begun = _check_beginnings(decided, data, found)
    discussed = _check_discussions(decided, data, found)
    closed = _check_closes(decided, data, found)
    return Section(
        title="Dates",
        about="when derived histories begin, whether a discussion came before the vote, when votes could end",
        figures=(begun, discussed, closed),
        demands=(Demand(name="no history goes back in time", met=all(map(_is_in_order, decided.values()))),),
        disagreements=tuple(found),
    )


def _check_beginnings(decided: dict[int, Decision], data: KafkaData, found: list[Disagreement]) -> Figure:
    right = 0
    for number, entry in sorted(data.index.items()):
        first = decided[number].history[0]
        if first.at == entry.created_at:
            right += 1
        elif entry.created_at is not None:
            hours = (entry.created_at - first.at).total_seconds() / 3600
            read = f"Draft {hours:.1f} hours earlier ({first.rule})"
            found.append(Disagreement(id=f"dates/begun/KIP-{number}", expected=_say(entry.created_at), read=read))
    return Figure(name="Draft when the page was made", right=right, total=len(data.index))


def _check_discussions(decided: dict[int, Decision], data: KafkaData, found: list[Disagreement]) -> Figure:
    classes: dict[str, list[int]] = defaultdict(list)
    votes = right = 0
    for number, decision in sorted(decided.items()):
        moves = [t for t in decision.history if t.rule == "vote-thread"]
        if moves and number in data.index:
            votes += 1
            if moves[0].source is Stage.DRAFT:
                classes[_find_discussion_class(number, moves[0].at, data)].append(number)
            else:
                right += 1
    found.extend(
        report_class(f"dates/discussed/{name}", "a discussion before the vote", "none seen", numbers)
        for name, numbers in classes.items()
    )
    return Figure(name="a discussion before the vote", right=right, total=votes)


def _find_discussion_class(number: int, opened_at: datetime, data: KafkaData) -> str:
    created = data.index[number].created_at
    if created is not None and created < MAILS_FROM:
        return "page-older-than-mails"
    if any(m.at < opened_at for m in data.threads["subject"].get(number, ())):
        return "subject-without-a-tag"
    discussed = {m.mail for mails in data.threads["discuss"].values() for m in mails}
    if any(m.at < opened_at and m.mail in discussed for m in data.threads["body"].get(number, ())):
        return "in-another-proposals-thread"
    return "none-before-the-vote"


def _check_closes(decided: dict[int, Decision], data: KafkaData, found: list[Disagreement]) -> Figure:
    """An accepted proposal's page is updated after its vote, so its last save is not before the vote could end."""
    total = right = 0
    for number, entry in sorted(data.index.items()):
        states = decided[number].votes
        if entry.section != "accepted" or not states or entry.changed_at is None:
            continue
        total += 1
        opened, close = states[0].vote.opened_at, states[0].terms.earliest_close
        if entry.changed_at >= close:
            right += 1
            continue
        last = data.threads["vote"][number][-1].at
        found.append(
            Disagreement(
                id=f"dates/closed/KIP-{number}",
                expected=f"saved after {_say(close)}",
                read=f"last saved {_hours(opened, entry.changed_at)} after the vote's first mail",
                shown=f"vote {_say(opened)} to {_say(last)}, {len(data.threads['vote'][number])} mails; "
                f"page made {_say(entry.created_at or opened)}, last saved {_say(entry.changed_at)}",
            )
        )
    return Figure(name="accepted: last save after the earliest close", right=right, total=total)


def _is_in_order(decision: Decision) -> bool:
    times = [t.at for t in decision.history]
    return times == sorted(times)


def _hours(start: datetime, end: datetime) -> str:
    return f"{(end - start).total_seconds() / 3600:.1f} hours"


def _say(at: datetime) -> str:
    return f"{at:%Y-%m-%d %H:%M}"
