"""The weekly digests: for the channel, and for each person who wants one. Each is written once."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, time, timedelta
from typing import Any
from zoneinfo import ZoneInfo

from kipflow.domain.events import Stage, Transition, effective
from kipflow.domain.messagekinds import ICONS, MESSAGE_KINDS, find_move_kind
from kipflow.domain.people import Person
from kipflow.domain.texts import take_some
from kipflow.domain.times import say_moment
from kipflow.services.assembly import load_facts
from kipflow.services.board import BoardRow, BoardStore, ProposalView
from kipflow.services.effectrules import OFF, EffectRules
from kipflow.services.ports.effects import DIRECT, Effect
from kipflow.services.slack_messages import build_message, escape, link, localise, quote
from kipflow.services.wording import is_undated

WEEK = timedelta(days=7)
#: A digest later than this is not written: its week is no longer news.
LATEST = timedelta(days=2)
_DAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
#: The most lines of one part, and the length of the longest bar.
_MOST_LINES, _LONGEST_BAR = 12, 12
#: The most Slack sections of one digest.
SECTIONS = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class DigestRules:
    """When the digest is due, in the time zone `zone`, and the people who want a personal one."""

    day: str
    at: time
    zone: ZoneInfo
    people: tuple[Person, ...] = ()

    def find_due(self, now: datetime) -> datetime | None:
        """The moment of this week's digest, if it has come and is at most `LATEST` ago."""
        here = now.astimezone(self.zone)
        day = (here - timedelta(days=(here.weekday() - _DAYS.index(self.day)) % 7)).date()
        due = datetime.combine(day, self.at, self.zone).astimezone(UTC)
        return due if due <= now < due + LATEST else None


@dataclass(frozen=True, slots=True, kw_only=True)
class Week:
    """The news of the week before `until`. `moved` are moves that were not retracted, oldest first."""

    until: datetime
    open_votes: Sequence[BoardRow] = ()
    silent: Sequence[BoardRow] = ()
    moved: Sequence[tuple[ProposalView, Transition]] = ()
    stages: Mapping[Stage, int] = field(default_factory=dict)


def plan_digests(store: BoardStore, rules: EffectRules, digest: DigestRules, now: datetime) -> list[Effect]:
    """The digests that are due: for the channel, and for people with any personal news."""
    due = digest.find_due(now)
    if due is None or not rules.notifies:
        return []
    week = load_week(store, due, now)
    found: list[Effect] = []
    payload = rules.address("digest", render_digest(week, rules))
    if payload is not None:
        found.append(_effect(f"digest/{due:%G-W%V}/slack", payload, rules.needs_release(payload["channel"])))
    for person in digest.people:
        lines = list(_say_personal(person, week, store, rules, now))
        if lines:
            written = build_message(
                "Your week", [f"{MESSAGE_KINDS['digest'].icon} *Your week*", *lines], sections=SECTIONS
            )
            payload = {**written, "kind": "digest", "channel": f"@{person.id}", DIRECT: sorted(person.emails)}
            found.append(_effect(f"digest/{due:%G-W%V}/{person.id}/slack", payload, rules.approves))
    return found


def _effect(key: str, payload: Mapping[str, Any], approval: bool) -> Effect:
    return Effect(key=key, number=None, channel="slack", payload=payload, approval=approval)


def load_week(store: BoardStore, until: datetime, now: datetime) -> Week:
    since = until - WEEK
    with store.read() as session:
        numbers = session.history.load_moved(since)
    views = [store.proposal(number, now) for number in numbers]
    moved = [
        (view, move)
        for view in views
        for move in effective([recorded.transition for recorded in view.history])
        if since <= move.at <= now and not view.claim and not is_undated(view.history)
    ]
    newest = store.newest({Stage.VOTE: 200, Stage.DISCUSSION: 1_000})
    return Week(
        until=until,
        open_votes=sorted(
            newest.get(Stage.VOTE, ()), key=lambda row: (row.clock.earliest_close if row.clock else now, row.number)
        ),
        silent=[row for row in newest.get(Stage.DISCUSSION, ()) if row.warned_at is not None],
        moved=sorted(moved, key=lambda each: each[1].at),
        stages=store.overview(now).stages,
    )


def render_digest(week: Week, rules: EffectRules) -> dict[str, Any]:
    """The digest for a channel: open votes, decisions, other moves, silent proposals, and numbers."""
    announced = [(view, move) for view, move in week.moved if rules.find_route(find_move_kind(move)) != OFF]
    # only the last move of each proposal
    newest = list({view.key: (view, move) for view, move in announced}.values())[::-1]
    decided = [each for each in newest if each[1].target in {Stage.ACCEPTED, Stage.REJECTED}]
    named = {row.key for row in week.open_votes} | {view.key for view, _ in decided}
    title = f"The week until {week.until:%Y-%m-%d}"
    lines = [
        f"{MESSAGE_KINDS['digest'].icon} *{title}*",
        *_part("Open now", (_say_open(row, rules) for row in week.open_votes)),
        *_part("Decided", (_say_move(*each, rules) for each in decided)),
        *_part("What else moved", (_say_move(*each, rules) for each in newest if each[0].key not in named)),
        *_part("About to go dormant", (_say_silent(row, rules) for row in week.silent)),
        *_part("Moves of the week", draw_bars(Counter(move.target for _, move in week.moved))),
        *_part("Where proposals stand", draw_bars(week.stages)),
    ]
    if not announced and not week.open_votes:
        lines.insert(1, "No vote is open and nothing moved.")
    return build_message(title, lines, sections=SECTIONS)


def draw_bars(counts: Mapping[Stage, int]) -> Iterator[str]:
    """A bar chart in text: a line for each stage."""
    most = max(counts.values(), default=0)
    for stage in Stage:
        if count := counts.get(stage):
            yield f"`{'█' * max(1, round(count / most * _LONGEST_BAR))}` {stage} {count}"


def _part(title: str, lines: Iterable[str]) -> list[str]:
    found = take_some(lines, _MOST_LINES)
    return [f"*{title}*", *found] if found else []


def _name(key: str, title: str, number: int, rules: EffectRules) -> str:
    return f"*{link(escape(key), rules.find_board_page(number))}* {quote(title, 100)}"


def _say_open(row: BoardRow, rules: EffectRules) -> str:
    return f"• {_name(row.key, row.title, row.number, rules)}: {localise('; '.join(row.missing) or 'lacks nothing')}"


def _say_move(view: ProposalView, move: Transition, rules: EffectRules) -> str:
    proposal = view.proposal
    return f"{ICONS[move.target]} {_name(view.key, proposal.title, proposal.number, rules)}: {move.target}"


def _say_silent(row: BoardRow, rules: EffectRules) -> str:
    when = f", dormant on {say_moment(row.next_deadline)} at the earliest" if row.next_deadline else ""
    return f"• {_name(row.key, row.title, row.number, rules)}{localise(when)}"


def _say_personal(person: Person, week: Week, store: BoardStore, rules: EffectRules, now: datetime) -> Iterator[str]:
    """The votes that await a person, and their own proposals that got answers."""
    waiting = []
    for row in week.open_votes:
        vote = next(iter(store.proposal(row.number, now).votes[-1:]), None)
        if vote is not None and person.id not in {ballot.voter for ballot in vote.vote.ballots}:
            waiting.append(_say_open(row, rules))
    yield from _part("Votes that await you", waiting)
    yield from _part("Your proposals that somebody answered", _find_answered(person, week, store, rules))


def _find_answered(person: Person, week: Week, store: BoardStore, rules: EffectRules) -> Iterator[str]:
    """Proposals whose thread was opened from one of the person's addresses, never by name."""
    since = week.until - WEEK
    for rows in store.newest({Stage.DISCUSSION: 200, Stage.VOTE: 200}).values():
        for row in rows:
            if row.last_activity is None or row.last_activity < since:
                continue
            with store.read() as session:
                mails = load_facts(session, row.number).messages
            opened = next((m.author_address for m in mails if not m.is_reply), "")
            others = Counter(
                (m.author_name or m.author_address).partition("@")[0]  # never show one person's address to another
                for m in mails
                if m.arrived_at > since and m.is_reply and m.author_address not in person.emails
            )
            if opened in person.emails and others:
                rest = ["others"] if len(others) > 3 else []
                names = ", ".join([*(quote(name, 60) for name in list(others)[:3]), *rest])
                yield f"• {_name(row.key, row.title, row.number, rules)}: {sum(others.values())} by {names}"
