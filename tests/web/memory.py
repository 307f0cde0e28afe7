"""The invented community on a board that is held in memory and answers as the store would."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from kipflow.domain.decisions import Decision, make_warning
from kipflow.domain.errors import UnknownProposal
from kipflow.domain.events import UNDATED, Stage
from kipflow.domain.facts import (
    MailKind,
    ProposalFacts,
    Ruling,
    VoteMail,
)
from kipflow.domain.lifecycle import decide
from kipflow.domain.tally import Outcome
from kipflow.services.board import (
    BoardRow,
    DriftRow,
    Metrics,
    MissingVoters,
    MonthCoverage,
    Overview,
    PageOf,
    ProposalView,
    RecentTransition,
    RecordedTransition,
    ReviewRow,
    RowQuery,
    SenderRow,
    Sort,
    ThreadCount,
    UnreadableRow,
    VoteClock,
    VoterRow,
    Waiting,
)
from kipflow.services.board.people import PeopleView, PersonView
from kipflow.services.ports import Batch, OutboxRow
from kipflow.services.wording import is_undated
from tests.web.community import LIST, NOW, POLICY, ago, all_facts, months_held, some_effects, some_metrics

WAITS: Mapping[Waiting, Callable[[BoardRow], object]] = {
    Waiting.PERSON: lambda r: r.review or r.drift or r.warned_at,
    Waiting.QUESTION: lambda r: r.review,
    Waiting.WIKI: lambda r: r.drift,
    Waiting.AUTHOR: lambda r: r.warned_at,
    Waiting.VOTES: lambda r: r.clock and r.clock.outcome in {Outcome.OPEN, Outcome.SHORT, Outcome.CONTESTED},
    Waiting.TIME: lambda r: r.clock and r.clock.outcome is Outcome.PASSING,
}


@dataclass(frozen=True, slots=True)
class Held:
    facts: ProposalFacts
    decision: Decision


def with_warning(f: ProposalFacts, as_of: datetime) -> ProposalFacts:
    """The facts with the warning of dormancy that a decision at `as_of` gives, delivered at once."""
    decision = decide(f, POLICY, as_of)
    if decision is None or decision.unwarned is None:
        return f
    warning = make_warning(decision.unwarned, POLICY, as_of=as_of, recorded_at=as_of, followed_since=f.followed_since)
    return replace(f, warnings=(*f.warnings, replace(warning, delivered_at=as_of)))


class MemoryBoard:
    """A `Board` over decided facts, with a hundred lines of plain Python where the store has SQL."""

    def __init__(
        self, all_facts: Iterable[ProposalFacts], *, as_of: datetime = NOW,
        effects: Sequence[OutboxRow] = (), unreadable: Sequence[UnreadableRow] = (),
        months: Sequence[MonthCoverage] = (), metrics: Metrics | None = None,
    ) -> None:  # fmt: skip
        self._held: dict[int, Held] = {}
        self._effects, self._unreadable = tuple(effects), tuple(unreadable)
        self._months, self._metrics, self._as_of = tuple(months), metrics, as_of
        for f in all_facts:
            known = with_warning(f, as_of)
            decision = decide(known, POLICY, as_of)
            if decision is not None:
                self._held[f.proposal.number] = Held(known, decision)

    def version(self) -> int:
        return id(self)

    def overview(self, as_of: datetime) -> Overview:
        held = list(self._held.values())
        counts = Counter(h.decision.stage for h in held)
        rows = [self._row(h) for h in held]
        recent = [
            RecentTransition(key=h.facts.key, title=h.facts.proposal.title, recorded=r)
            for h in held
            for r in self._history(h)
            if r.transition.rule not in UNDATED
        ]
        recent.sort(key=lambda r: r.recorded.transition.at, reverse=True)
        return Overview(
            stages={s: counts.get(s, 0) for s in Stage},
            messages=sum(m.month.mails for m in self._months),
            attention=sum(bool(r.review or r.drift or r.warned_at) for r in rows),
            review=len(self.review()),
            drift=len(self.drift()),
            pending=2,
            unreadable=len(self._unreadable),
            months=self._months,
            last_poll=max((m.month.fetched_at for m in self._months), default=None),
            last_decision=max((h.decision.as_of for h in held), default=None),
            effects=dict(Counter(e.status for e in self._effects)),
            metrics=self._metrics,
            recent=tuple(recent[:12]),
        )

    def rows(self, query: RowQuery) -> PageOf[BoardRow]:
        found = [self._row(h) for h in self._held.values()]
        text = query.text.casefold()
        keep = [
            r
            for r in found
            if (not query.stages or r.stage in query.stages)
            and query.author.casefold() in (r.author or "").casefold()
            and (not query.interface or query.interface in self._held[r.number].facts.pages[-1].interfaces)
            and (query.waiting is None or WAITS[query.waiting](r))
            and (
                text in r.title.casefold()
                or text in (r.author or "").casefold()
                or text in {r.key.casefold(), str(r.number)}
            )
        ]
        keep.sort(key=lambda r: r.number, reverse=query.descending)
        match query.sort:
            case Sort.TITLE:
                keep.sort(key=lambda r: r.title.casefold(), reverse=query.descending)
            case Sort.STAGE:
                keep.sort(key=lambda r: list(Stage).index(r.stage), reverse=query.descending)
            case Sort.SINCE:
                keep.sort(key=lambda r: r.since, reverse=query.descending)
            case Sort.ACTIVITY:
                keep.sort(key=lambda r: r.last_activity or r.since, reverse=query.descending)
            case Sort.CLOSE:
                with_clock = [r for r in keep if r.clock is not None]
                with_clock.sort(key=lambda r: r.clock.earliest_close if r.clock else NOW, reverse=query.descending)
                keep = with_clock + [r for r in keep if r.clock is None]
        return PageOf(rows=tuple(keep[query.offset :][: query.limit]), total=len(keep))

    def page_body(self, page_id: str, version: int) -> str | None:
        held = [p for h in self._held.values() for p in h.facts.pages]
        return next((p.body for p in held if (p.page_id, p.version) == (page_id, version)), None)

    def vote_mails(self, number: int, as_of: datetime) -> tuple[VoteMail, ...]:
        return ()  # facts hold no texts of mails

    def proposal(self, number: int, as_of: datetime) -> ProposalView:
        if number not in self._held:
            raise UnknownProposal(number)
        held = self._held[number]
        f, d = held.facts, held.decision
        ids = [m.message_id for m in f.messages]
        for v in f.votes:
            ids += [v.root_message_id, *(b.message_id for b in v.ballots)]
            ids += [v.declared.message_id] if v.declared else []
        return ProposalView(
            key=f.key, proposal=f.proposal, stage=d.stage, since=d.since, decided_at=d.as_of,
            policy_version=d.policy_version, history=self._history(held), votes=d.votes, missing=d.missing,
            review=d.review, drift=d.drift, next_deadline=d.next_deadline, warned_at=d.warned_at,
            last_activity=d.last_activity, pages=f.pages, index_entries=f.index_entries, tickets=f.tickets,
            rulings=f.rulings, warnings=f.warnings, threads=_threads(f), activity=_activity(f),
            links={i: f"https://lists.example/thread/{i.strip('<>')}" for i in ids},
            effects=tuple(e for e in self._effects if e.number == number),
        )  # fmt: skip

    def review(self, limit: int | None = None) -> tuple[ReviewRow, ...]:
        return tuple(
            ReviewRow(number=n, key=h.facts.key, title=h.facts.proposal.title, stage=h.decision.stage, item=item,
                      decided_at=h.decision.as_of, url=f"https://lists.example/thread/{item.subject.strip('<>')}")
            for n, h in sorted(self._held.items()) for item in h.decision.review
        )[:limit]  # fmt: skip

    def newest(self, limits: Mapping[Stage, int]) -> Mapping[Stage, tuple[BoardRow, ...]]:
        wanted = {s: RowQuery(stages=(s,), sort=Sort.ACTIVITY, limit=limit) for s, limit in limits.items()}
        return {s: rows for s, query in wanted.items() if (rows := self.rows(query).rows)}

    def absent(self, as_of: datetime, numbers: Collection[int]) -> Mapping[int, MissingVoters]:
        return {}

    def voters(self) -> tuple[VoterRow, ...]:
        return ()

    def people(self, as_of: datetime) -> PeopleView:
        del as_of
        return PeopleView(rows=(), opened=0, source="")

    def find_person(self, person_id: str, as_of: datetime) -> PersonView | None:
        del person_id, as_of
        return None

    def batches(self) -> tuple[Batch, ...]:
        return ()

    def senders(self) -> tuple[SenderRow, ...]:
        return ()

    def identities(self) -> tuple[Ruling, ...]:
        found = {r.id: r for h in self._held.values() for r in h.facts.rulings if r.kind in {"merge", "split"}}
        return tuple(r for _, r in sorted(found.items(), reverse=True) if r.revoked_at is None)

    def drift(self) -> tuple[DriftRow, ...]:
        return tuple(
            DriftRow(number=n, key=h.facts.key, title=h.facts.proposal.title, stage=h.decision.stage, drift=d)
            for n, h in sorted(self._held.items(), reverse=True)
            for d in h.decision.drift
        )

    def unreadable(self, *, offset: int = 0, limit: int = 50) -> PageOf[UnreadableRow]:
        return PageOf(rows=self._unreadable[offset : offset + limit], total=len(self._unreadable))

    def effects(self, *, status: str = "", offset: int = 0, limit: int | None = 50) -> PageOf[OutboxRow]:
        found = [e for e in self._effects if status in ("", e.status)]
        return PageOf(rows=tuple(found[offset:][:limit]), total=len(found))

    def edits(self) -> tuple[OutboxRow, ...]:
        return tuple(e for e in self._effects if e.channel in {"page", "index"} and e.status in {"pending", "held"})

    def _row(self, held: Held) -> BoardRow:
        f, d = held.facts, held.decision
        clock = None
        if d.stage is Stage.VOTE:
            state = d.votes[-1]
            clock = VoteClock(
                round=state.vote.round, opened_at=state.vote.opened_at, earliest_close=state.terms.earliest_close,
                quorum=state.terms.quorum, outcome=state.outcome, tally=state.tally,
                depends_on_review=state.depends_on_review, care=state.terms.because,
            )  # fmt: skip
        return BoardRow(
            number=f.proposal.number, key=f.key, title=f.proposal.title, author=f.proposal.author, stage=d.stage,
            since=d.since, decided_at=d.as_of, last_activity=d.last_activity, clock=clock, missing=d.missing,
            review=len(d.review), drift=tuple(sorted({x.side for x in d.drift})), warned_at=d.warned_at,
            next_deadline=d.next_deadline, release=f.proposal.release, in_progress=f.proposal.in_progress,
            undated=is_undated(self._history(held)),
        )  # fmt: skip

    def _history(self, held: Held) -> tuple[RecordedTransition, ...]:
        run = "scheduled__2026-03-18T14:00:00+00:00"
        return tuple(
            RecordedTransition(transition=t, recorded_at=t.at + timedelta(minutes=22), run_id=run)
            for t in held.decision.history
        )


def _threads(f: ProposalFacts) -> tuple[ThreadCount, ...]:
    found: list[ThreadCount] = []
    for kind in MailKind:
        mails = [m for m in f.messages if m.kind is kind]
        if mails:
            found.append(ThreadCount(kind=kind, mails=len(mails), people=len({m.author_address for m in mails}),
                                     first_at=mails[0].arrived_at, last_at=mails[-1].arrived_at,
                                     first_message_id=mails[0].message_id))  # fmt: skip
    return tuple(found)


def _activity(f: ProposalFacts) -> dict[str, int]:
    return dict(sorted(Counter(f"{m.arrived_at:%Y-%m}" for m in f.messages).items()))


def build_board(extra: Iterable[ProposalFacts] = ()) -> MemoryBoard:
    months = [MonthCoverage(month=m, unreadable=3 if m.month in {"2025-09", "2026-02"} else 0) for m in months_held()]
    months[4] = replace(months[4], month=replace(months[4].month, status="partial", why="truncated after 38 mails"))
    unreadable = [
        UnreadableRow(source=f"{LIST}/2026-02#{n}", why=why, list_id=LIST, month="2026-02", seen_at=ago(h=1))
        for n, why in ((12, "no headers before the body"), (47, "unknown charset x-mac-unknown"), (48, "empty mail"))
    ]
    return MemoryBoard([*all_facts(), *extra], effects=some_effects(), unreadable=unreadable, months=months,
                       metrics=some_metrics())  # fmt: skip
