"""Derived dates compared with the wiki's: a proposal's beginning, its vote's earliest end, the page's last change."""

from __future__ import annotations

from datetime import datetime

from kipflow.domain.decisions import Decision
from kipflow.domain.events import Stage
from tools.accuracy.findings import Counted, Demand, Disagreement, Section
from tools.accuracy.kafkadata import MAILS_FROM, KafkaData
from tools.accuracy.replayed import Replayed


def check_dates(seen: Replayed) -> Section:
    """Check the order of events: page, discussion, vote, last change of the page."""
    data, decided = seen.data, seen.mail_only
    checks = {
        "Draft when the page was made": _check_beginnings,
        "a discussion before the vote": _check_discussions,
        "accepted: last save after the earliest close": _check_closes,
    }
    counted = {name: Counted() for name in checks}
    for name, check in checks.items():
        check(name, decided, data, counted[name])
    histories = [[move.at for move in decision.history] for decision in decided.values()]
    return Section(
        title="Dates",
        about="when derived histories begin, whether a discussion came before the vote, when votes could end",
        figures=tuple(counts.figure(name) for name, counts in counted.items()),
        demands=(Demand(name="no history goes back in time", met=all(times == sorted(times) for times in histories)),),
        disagreements=tuple(d for counts in counted.values() for d in counts.disagreements),
    )


def _check_beginnings(name: str, decided: dict[int, Decision], data: KafkaData, counted: Counted) -> None:
    for number, entry in sorted(data.index.items()):
        first = decided[number].history[0]
        if not counted.count(name, first.at == entry.created_at) and entry.created_at is not None:
            read = f"Draft {_hours(first.at, entry.created_at)} earlier ({first.rule})"
            place = f"dates/begun/KIP-{number}"
            counted.found.append(Disagreement(id=place, expected=_say(entry.created_at), read=read))


def _check_discussions(name: str, decided: dict[int, Decision], data: KafkaData, counted: Counted) -> None:
    for number, decision in sorted(decided.items()):
        move = next((t for t in decision.history if t.rule == "vote-thread"), None)
        if move is not None and number in data.index and not counted.count(name, move.source is not Stage.DRAFT):
            place = f"dates/discussed/{_find_discussion_class(number, move.at, data)}"
            counted.classify(place, name, "none seen", number)


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


def _check_closes(name: str, decided: dict[int, Decision], data: KafkaData, counted: Counted) -> None:
    """An accepted proposal's page is updated after its vote, so its last save is not before the vote could end."""
    for number, entry in sorted(data.index.items()):
        states = decided[number].votes
        if entry.section != "accepted" or not states or entry.changed_at is None:
            continue
        opened, close = states[0].vote.opened_at, states[0].terms.earliest_close
        if counted.count(name, entry.changed_at >= close):
            continue
        last = data.threads["vote"][number][-1].at
        counted.found.append(
            Disagreement(
                id=f"dates/closed/KIP-{number}",
                expected=f"saved after {_say(close)}",
                read=f"last saved {_hours(opened, entry.changed_at)} after the vote's first mail",
                shown=f"vote {_say(opened)} to {_say(last)}, {len(data.threads['vote'][number])} mails; "
                f"page made {_say(entry.created_at or opened)}, last saved {_say(entry.changed_at)}",
            )
        )


def _hours(start: datetime, end: datetime) -> str:
    return f"{(end - start).total_seconds() / 3600:.1f} hours"


def _say(at: datetime) -> str:
    return f"{at:%Y-%m-%d %H:%M}"
