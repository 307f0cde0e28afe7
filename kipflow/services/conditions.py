"""Conditions that keep kipflow from working, as one table: each with its cause, what still works, and the fix.

The board shows them on every page, `kipflow status` prints them, and the operators' channel gets each once.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from kipflow.domain.facts import Coverage
from kipflow.domain.messagekinds import MESSAGE_KINDS
from kipflow.domain.times import say_weekday
from kipflow.services.away import SERVICES, Outage
from kipflow.services.effectrules import EffectRules
from kipflow.services.ports import Effect, Runs, Store
from kipflow.services.shown_commands import address_commands
from kipflow.services.slack_messages import build_message, escape

#: Mail that is complete only up to longer ago than this is stale: the archive is polled every hour.
STALE = timedelta(hours=12)
#: DAG → the services without which it fails: while one is unreachable, only that is reported.
_READERS = {
    "kip_poll_threads": {"archive"},
    "kip_backfill": {"archive"},
    "kip_sync_wiki": {"wiki", "tickets"},
}
#: The DAGs that every community has: one that is switched off is a condition.
DAGS = (
    *_READERS,
    "kip_advance_stages",
    "kip_update_index",
    "kip_notify_slack",
    "kip_lifecycle_metrics",
    "kip_ask_people",
)
_STORED = "What is stored stays on the board and is decided on"


@dataclass(frozen=True, slots=True, kw_only=True)
class Condition:
    """`says` states the condition with its cause, `works` what still works, `fix` what to do."""

    name: str
    says: str
    works: str
    fix: str
    since: datetime | None = None
    is_fault: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class Situation:
    """The input of the conditions. `has_clock`: `now` is the community's own time. `roster` is the path of the roster
    file, "" if none is named.
    """

    now: datetime
    coverage: Coverage
    away: Mapping[str, Outage] = field(default_factory=dict)
    has_clock: bool = True
    has_archive: bool = True
    has_roster: bool = True
    roster: str = ""
    pause: timedelta | None = None
    runs: Runs = field(default_factory=Runs)


def find_conditions(found: Situation) -> tuple[Condition, ...]:
    """Every condition that holds, in the order of the table."""
    return tuple(condition for row in ROWS for condition in row(found))


# -- the table ---------------------------------------------------------------------------------------
def _check_clock(found: Situation) -> Iterator[Condition]:
    if not found.has_clock:
        yield Condition(
            name="clock",
            says="The sandbox is not running, and this machine's time is used instead of its own",
            works="What is stored stays on the board; nothing is read, decided or sent",
            fix="`make run` starts what has stopped",
        )


def _check_scheduler(found: Situation) -> Iterator[Condition]:
    if found.pause is not None:
        hours = int(found.pause.total_seconds() // 3600)
        span = f"{hours} hours" if hours < 48 else f"{hours // 24} days"
        yield Condition(
            name="scheduler",
            says=f"No scheduled run has begun for {span}",
            works=_STORED.removesuffix(" and is decided on"),
            fix="Is the scheduler alive, are the DAGs switched on? `make run` starts what has stopped",
        )


def _check_paused(found: Situation) -> Iterator[Condition]:
    if found.runs.paused:
        yield Condition(
            name="paused",
            says=f"Switched off in Airflow: {', '.join(found.runs.paused)}",
            works="The other DAGs run; what these do is not done",
            fix="Switch them on in Airflow's list of DAGs",
        )


def _check_services(found: Situation) -> Iterator[Condition]:
    for service, away in found.away.items():
        is_mail, is_chat = service == "archive", service == "slack"
        waits = "; no vote ends on mail that is missing" if is_mail else ""
        by_hand = ", or take the mail from files: `kipflow ingest FILE --complete-through TIME`" if is_mail else ""
        fix = f"It is asked again every hour. Check its address in the community's file and the network{by_hand}"
        if is_chat:  # Slack answers, and its answer says what to do
            waits, fix = "; every message waits, none is given up", "Do that; the next delivery sends what waits"
        yield Condition(
            name=service,
            says=f"The {SERVICES[service]} {'refuses everything' if is_chat else 'is unreachable'} "
            f"since {say_weekday(away.since)}: {away.why}",
            works=f"{_STORED}{waits}",
            fix=fix,
            since=away.since,
        )


def _check_failed(found: Situation) -> Iterator[Condition]:
    for dag, at in found.runs.failed.items():
        if not _READERS.get(dag, set()) & found.away.keys():
            yield Condition(
                name=f"failed/{dag}",
                says=f"The newest run of {dag} failed at {say_weekday(at)}",
                works="The other DAGs run; what this one does is not done",
                fix="The log of its red task ends with the cause. Fix that, then clear the task: nothing is done twice",
                since=at,
            )


def _check_mail(found: Situation) -> Iterator[Condition]:
    through = found.coverage.complete_through
    gaps = found.coverage.gaps
    is_fresh = through is not None and found.now - through <= STALE
    if is_fresh or not found.has_archive or "archive" in found.away:
        return
    why = f": {gaps[-1][1]}" if gaps else ""
    none = f"Not all mail is held{why}" if gaps else "No mail is held yet"
    yield Condition(
        name="stale",
        says=f"Mail is held only up to {say_weekday(through)}{why}" if through else none,
        works=f"{_STORED}; no vote ends on mail that is missing",
        fix="`kipflow poll` asks the archive now; `kipflow ingest FILE --complete-through TIME` takes it from a file",
        since=through,
    )


def _check_files(found: Situation) -> Iterator[Condition]:
    if found.has_archive:
        return
    through = found.coverage.complete_through
    unsaid = "Nothing says up to when its mail is held" if found.coverage.gaps else "No mail is held yet"
    held = f"Mail is held up to {say_weekday(through)}" if through is not None else unsaid
    yield Condition(
        name="files",
        says=f"{held}; it comes from files, as no archive is named",
        works="A vote that ends later waits for the mail of its time",
        fix=f"Take in the mail since: `kipflow ingest FILE --complete-through {found.now:%Y-%m-%d}`",
        is_fault=False,
    )


def _check_roster(found: Situation) -> Iterator[Condition]:
    if not found.has_roster:
        where = f"Fill {found.roster}" if found.roster else "Name a `roster` in the community's file, and fill it"
        yield Condition(
            name="roster",
            says="The roster is empty: no ballot binds, so no vote can pass",
            works="Votes are read, and what voters claim is shown",
            fix=f"{where}: `kipflow roster import --help` says from what",
        )


ROWS: tuple[Callable[[Situation], Iterator[Condition]], ...] = (
    _check_clock,
    _check_scheduler,
    _check_paused,
    _check_services,
    _check_failed,
    _check_mail,
    _check_files,
    _check_roster,
)


# -- the operators' channel --------------------------------------------------------------------------
_REPORTED = "conditions-told"


def report_conditions(store: Store, found: Iterable[Condition], rules: EffectRules, *, now: datetime) -> int:
    """Inform the operators' channel of each fault that is new since the last call. Returns the number of messages."""
    faults = {}
    for fault in found:
        payload = rules.address("condition", build_message(fault.says, _render(fault, rules.program)))
        if fault.is_fault and payload is not None:
            since = f"/{fault.since.isoformat(timespec='minutes')}" if fault.since is not None else ""
            faults[f"condition/{fault.name}{since}"] = payload
    with store.begin() as session:
        before = session.marks.load(_REPORTED) or ""
        effects = [
            Effect(key=f"{key}/{now:%Y-%m-%dT%H:%M}/slack", number=None, channel="slack", payload=payload)
            for key, payload in faults.items()
            if key not in before.split("\n")
        ]
        if before != (reported := "\n".join(faults)):
            session.marks.save(_REPORTED, reported)
        return session.outbox.enqueue(effects, now=now, sends=rules.sends)


def _render(condition: Condition, program: str) -> list[str]:
    fix = escape(address_commands(condition.fix, program))
    says = f"{MESSAGE_KINDS['condition'].icon} *{escape(condition.says)}*"
    return [says, f"{escape(condition.works)}.", f"To fix it: {fix}."]


#: The archive is polled every hour (dags/kip_poll_threads.py); after twice that time a run is missing.
POLL_INTERVAL = timedelta(hours=1)
LONG = 2 * POLL_INTERVAL
_MARK = "last-run"


def note_run(store: Store, at: datetime) -> None:
    """Note that a run began at `at`, by the machine's time: a sandbox's own time may run ahead."""
    with store.begin() as session:
        session.marks.save(_MARK, at.isoformat())


def find_pause(store: Store, now: datetime) -> timedelta | None:
    """How long ago the last run began, if too long; None if not, or if nothing ever ran."""
    with store.read() as session:
        noted = session.marks.load(_MARK)
    pause = now - datetime.fromisoformat(noted) if noted else timedelta()
    return pause if pause > LONG else None
