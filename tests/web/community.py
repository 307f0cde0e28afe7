"""An invented community: some forty proposals whose decisions the real rules make."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta

from kipflow.domain.clocks import find_coverage
from kipflow.domain.events import Actor, Evidence, Stage, Transition
from kipflow.domain.facts import ArchiveMonth, MailKind, ProposalFacts, Ruling, ThreadMessage
from kipflow.domain.pages import PageVersion, StatusWord, Substance, TicketState
from kipflow.domain.policy import Care, Policy
from kipflow.domain.proposals import Proposal
from kipflow.domain.votes import Ballot, BallotStatus, Choice, Declared, Vote
from kipflow.services.board import Metrics, RecordedTransition
from kipflow.services.ports import Effect, MetricRow, OutboxRow
from kipflow.wiki.substance import read_substance
from tests.memory_store import as_row

NOW = datetime(2026, 3, 18, 14, 20, tzinfo=UTC)
LIST = "dev@sandbox.example"
POLICY = Policy(
    version="sandbox-1f2e3d4c",
    binding_roles=frozenset({"committer", "pmc"}),
    clock_after=timedelta(days=7),
    dormant_after=timedelta(days=90),
    care=(Care(interface="log-format", voting_period=timedelta(hours=120)),),
)

PEOPLE = (
    "Ines Okafor", "Tomas Lindqvist", "Wei Anan", "Priya Venkat", "Dario Mele", "Hanne Sørby", "Kofi Arthur",
    "Lucía Peralta", "Mikkel Ravn", "Yuki Tanabe", "Sam Adeyemi", "Greta Holm", "Oleh Danylko", "Noor Haddad",
)  # fmt: skip
BINDING = frozenset(PEOPLE[:7])


def hours(n: float) -> timedelta:
    return timedelta(hours=n)


def ago(*, d: float = 0, h: float = 0) -> datetime:
    return NOW - timedelta(days=d, hours=h)


def address_of(name: str) -> str:
    return f"{name.split()[0].lower().replace('í', 'i')}@people.example"


def mail(
    number: int, kind: MailKind, arrived_at: datetime, author: str, subject: str, *, tail: str = ""
) -> ThreadMessage:
    return ThreadMessage(
        message_id=f"<{number}.{kind}.{arrived_at:%Y%m%d%H%M}{tail}@people.example>",
        arrived_at=arrived_at,
        kind=kind,
        is_reply=bool(tail),
        author_name=author,
        author_address=address_of(author),
        subject=subject,
    )


def ballot(
    number: int, name: str, cast_at: datetime, line: str, *, choice: Choice | None = Choice.FOR, value: str = "",
    status: BallotStatus = BallotStatus.COUNTED, why: str = "", rule: str = "leading-vote",
) -> Ballot:  # fmt: skip
    return Ballot(
        voter=name.split()[0].lower(),
        name=name,
        address=address_of(name),
        choice=choice,
        value=value or (str(choice) if choice is not None else ""),
        binding=name in BINDING,
        claimed_binding=True if "(binding)" in line else (False if "non-binding" in line else None),
        cast_at=cast_at,
        message_id=f"<{number}.b.{cast_at:%Y%m%d%H%M}@people.example>",
        line=line,
        rule=rule,
        status=status,
        why=why,
    )


def poll(number: int, title: str, opened_at: datetime, ballots: Iterable[Ballot] = (), **changes: object) -> Vote:
    vote = Vote(
        key=f"KIP-{number}",
        proposal=number,
        round=1,
        list_id=LIST,
        subject=f"[VOTE] KIP-{number}: {title}",
        root_message_id=f"<{number}.vote.{opened_at:%Y%m%d%H%M}@people.example>",
        opened_by=PEOPLE[number % len(PEOPLE)],
        opened_by_address=address_of(PEOPLE[number % len(PEOPLE)]),
        opened_at=opened_at,
        ballots=tuple(ballots),
    )
    return replace(vote, **changes)  # type: ignore[arg-type]


#: What a page says from which version on: version 4 changes the proposal, 5 a typo, 6 a status line, 7 adds a plan.
_BODIES = {
    1: "<h1>Status</h1><p>Current state: Under Discussion</p><h1>Motivation</h1><p>Readers wait for evrey segment.</p>"
    "<h1>Proposed Changes</h1><p>Keep ten segments in memory.</p><p>Drop the oldest one.</p>",
    4: "<h1>Status</h1><p>Current state: Under Discussion</p><h1>Motivation</h1><p>Readers wait for evrey segment.</p>"
    "<h1>Proposed Changes</h1><p>Keep two segments in memory.</p><p>Ask &lt;b&gt;nobody&lt;/b&gt;.</p>",
    5: "<h1>Status</h1><p>Current state: Under Discussion</p><h1>Motivation</h1><p>Readers wait for every segment.</p>"
    "<h1>Proposed Changes</h1><p>Keep two segments in memory.</p><p>Ask &lt;b&gt;nobody&lt;/b&gt;.</p>",
    6: "<h1>Status</h1><p>Current state: Voting</p><h1>Motivation</h1><p>Readers wait for every segment.</p>"
    "<h1>Proposed Changes</h1><p>Keep two segments in memory.</p><p>Ask &lt;b&gt;nobody&lt;/b&gt;.</p>",
    7: "<h1>Status</h1><p>Current state: Voting</p><h1>Motivation</h1><p>Readers wait for every segment.</p>"
    "<h1>Proposed Changes</h1><p>Keep two segments in memory.</p><p>Ask &lt;b&gt;nobody&lt;/b&gt;.</p>"
    "<h1>Test Plan</h1><p>Measure the wait.</p>",
}


def text_of_version(version: int) -> tuple[str, Substance]:
    """The body of a page's version, and what it says in substance."""
    read: tuple[str, Substance] | None = None
    for body in (body for first, body in _BODIES.items() if first <= version):
        read = (body, read_substance(body, before=read))
    return read or ("", ())


def page(number: int, title: str, saved_at: datetime, version: int, word: StatusWord, text: str) -> PageVersion:
    return PageVersion(
        page_id=f"{2000 + number}",
        version=version,
        saved_at=saved_at,
        saved_by=PEOPLE[number % len(PEOPLE)],
        title=f"KIP-{number}: {title}",
        number=number,
        status=word,
        status_text=text,
        url=f"https://wiki.example/pages/{2000 + number}",
        jira=f"SAND-{number * 7}",
        interfaces=("log-format",) if number == 140 else (),
        body=text_of_version(version)[0],
        substance=text_of_version(version)[1],
    )


def months_held() -> tuple[ArchiveMonth, ...]:
    last_fetch = ago(h=0.4)
    names = [f"{year}-{m:02d}" for year in (2025, 2026) for m in range(1, 13)]
    held = names[names.index("2025-06") : names.index("2026-03") + 1]
    return tuple(
        ArchiveMonth(
            list_id=LIST,
            month=name,
            status="complete",
            fetched_at=last_fetch if name == held[-1] else last_fetch - timedelta(minutes=1),
            mails=60 + (int(name[-2:]) * 17) % 45,
            size=400_000,
        )
        for name in held
    )


def facts(
    number: int, title: str, *, created: datetime, discussed: datetime | None = None, votes: Sequence[Vote] = (),
    pages: Sequence[PageVersion] = (), replies: int = 4, **changes: object,
) -> ProposalFacts:  # fmt: skip
    author = PEOPLE[number % len(PEOPLE)]
    messages: list[ThreadMessage] = []
    if discussed is not None:
        subject = f"[DISCUSS] KIP-{number}: {title}"
        messages.append(mail(number, MailKind.DISCUSS, discussed, author, subject))
        for i in range(replies):
            at = discussed + timedelta(hours=7 + 29 * i)
            writer = PEOPLE[(number + 3 * i + 1) % len(PEOPLE)]
            if at < NOW:
                messages.append(mail(number, MailKind.DISCUSS, at, writer, f"Re: {subject}", tail=f".{i}"))
    messages += [mail(number, MailKind.VOTE, v.opened_at, v.opened_by, v.subject) for v in votes]
    for vote in votes:
        messages += [
            mail(number, MailKind.VOTE, b.cast_at, b.name, f"Re: {vote.subject}", tail=f".b{i}")
            for i, b in enumerate(vote.ballots)
        ]
    value = ProposalFacts(
        key=f"KIP-{number}",
        proposal=Proposal(
            number=number,
            title=title,
            author=author,
            created_at=created,
            page_id=f"{2000 + number}",
            page_url=f"https://wiki.example/pages/{2000 + number}",
            jira=f"SAND-{number * 7}",
        ),
        pages=tuple(pages) or (page(number, title, created, 1, StatusWord.UNKNOWN, ""),),
        messages=tuple(sorted(messages, key=lambda m: m.arrived_at)),
        votes=tuple(votes),
        coverage=find_coverage(months_held()),
    )
    return replace(value, **changes)  # type: ignore[arg-type]


def yes(number: int, opened: datetime, people: Iterable[str], *, step: float = 5.5) -> list[Ballot]:
    lines = ("+1 (binding)", "+1, thanks for writing this up.", "+1 (binding). The migration plan is clear now.", "+1")
    return [
        ballot(number, name, opened + hours(2 + step * i), lines[i % 4] if name in BINDING else "+1 (non-binding)")
        for i, name in enumerate(people)
    ]


TITLES = (
    "Rack-aware replica placement for mirrored topics", "Bounded retry budgets in the producer", "Quota groups",
    "Deprecate the legacy group coordinator", "Tombstone retention by key prefix", "Typed configuration providers",
    "Per-listener connection throttling", "Record headers in the console tools", "Graceful broker drain",
    "Snapshot-based state restore", "Standby tasks with lag bounds", "Metrics for rebalance phases",
    "Delegation token renewal over the admin client", "Compression level per topic", "Transaction timeout hints",
    "Consistent naming of thread metrics", "Offset reset by duration", "Client-side schema checks",
    "A unified shutdown protocol", "Fetch sessions for followers", "Dynamic log directory weights",
)  # fmt: skip


def open_votes() -> list[ProposalFacts]:
    found: list[ProposalFacts] = []
    t = ago(h=58)
    ballots = [
        *yes(152, t, [*PEOPLE[0:2], PEOPLE[8]]),
        ballot(
            152, PEOPLE[4], t + hours(30), "+1 if the default stays at one retry", status=BallotStatus.REVIEW,
            why="the +1 is tied to a condition", rule="conditional",
        ),
        ballot(152, PEOPLE[9], t + hours(31), "+0.5, I would rather see it off by default", choice=Choice.ABSTAIN,
               value="+0.5", rule="fraction"),
    ]  # fmt: skip
    found.append(facts(152, "Bounded retry budgets in the producer", created=ago(d=41), discussed=ago(d=38),
                       votes=[poll(152, "Bounded retry budgets in the producer", t, ballots)]))  # fmt: skip
    t = ago(h=91)
    ballots = [*yes(149, t, [*PEOPLE[0:4], PEOPLE[8], PEOPLE[10]])]
    found.append(facts(149, "Per-listener connection throttling", created=ago(d=66), discussed=ago(d=64), replies=9,
                       votes=[poll(149, "Per-listener connection throttling", t, ballots)]))  # fmt: skip
    t, title = ago(h=80), "Checksums for record batches at rest"
    log_pages = [page(140, title, ago(d=50), 3, StatusWord.VOTE, "Voting")]
    ballots = [*yes(140, t, [*PEOPLE[0:3], PEOPLE[11]])]
    found.append(facts(140, title, created=ago(d=50), discussed=ago(d=47), replies=14,
                       pages=log_pages, votes=[poll(140, title, t, ballots)]))  # fmt: skip
    t = ago(h=20)
    ballots = [
        *yes(154, t, [PEOPLE[5]]),
        ballot(154, PEOPLE[2], t + hours(6), "-1 (binding), because the wire format changes without a version bump.",
               choice=Choice.AGAINST, rule="leading-vote"),
    ]  # fmt: skip
    found.append(facts(154, "Fetch sessions for followers", created=ago(d=22), discussed=ago(d=20), replies=11,
                       votes=[poll(154, "Fetch sessions for followers", t, ballots)]))  # fmt: skip
    t = ago(d=6)
    ballots = [*yes(146, t, [PEOPLE[1], PEOPLE[12], PEOPLE[13]])]
    draft_pages = [page(146, "Offset reset by duration", ago(d=44), 2, StatusWord.ACCEPTED, "Accepted")]
    found.append(facts(146, "Offset reset by duration", created=ago(d=44), discussed=ago(d=40), pages=draft_pages,
                       votes=[poll(146, "Offset reset by duration", t, ballots)]))  # fmt: skip
    return found


def second_round() -> ProposalFacts:
    """A cancelled first round, a second that passed, differences with its announcement, a changed mind."""
    title = "Graceful broker drain"
    first, second = ago(d=24), ago(d=11)
    cancelled = poll(
        143, title, first, yes(143, first, [PEOPLE[2], PEOPLE[9]]),
        ended_at=first + hours(40), ended_how="cancelled", ended_message_id="<143.cancel@people.example>",
    )  # fmt: skip
    ballots = [
        *yes(143, second, [*PEOPLE[0:4], PEOPLE[7], PEOPLE[10]]),
        ballot(143, PEOPLE[6], second + hours(9), "-1 (binding) until the timeout is configurable",
               choice=Choice.AGAINST),
        ballot(143, PEOPLE[6], second + hours(44), "Changing my vote to +1 (binding), the timeout is a setting now.",
               rule="changed-vote"),
        ballot(143, PEOPLE[11], second + hours(120), "+1 (non-binding), sorry for being late"),
    ]  # fmt: skip
    declared = Declared(
        by=PEOPLE[3],
        message_id="<143.result@people.example>",
        announced_at=second + hours(98),
        outcome="passed",
        binding={"+1": 5, "0": 0, "-1": 0},
        non_binding={"+1": 3, "0": 0, "-1": 0},
        line="The vote passes with five binding +1 and three non-binding +1.",
    )
    versions = [
        page(143, title, ago(d=60) + hours(20 * i), i + 1, StatusWord.DISCUSSION, "Under Discussion") for i in range(6)
    ] + [page(143, title, ago(d=10), 7, StatusWord.VOTE, "Voting")]
    return facts(
        143, title, created=ago(d=60), discussed=ago(d=57), replies=16, pages=versions,
        votes=[cancelled, poll(143, title, second, ballots, round=2, declared=declared,
                               subject=f"[VOTE] KIP-143: {title} (take 2)")],
        tickets=(TicketState(key="SAND-1001", status="Open", resolution=None, fix_versions=("4.4.0",),
                             seen_at=ago(h=1)),),
        rulings=(Ruling(id=7, number=143, kind="snooze", target="KIP-143", value={"until": ago(d=12).isoformat()},
                        author="Ines Okafor", reason="the author is on leave until then", made_at=ago(d=30)),),
    )  # fmt: skip


def all_facts() -> list[ProposalFacts]:
    found = [*open_votes(), second_round()]
    for i, title in enumerate(TITLES):
        number = 100 + i
        opened = ago(d=240 - 9 * i)
        voters = [PEOPLE[(i + k) % 7] for k in range(3 + i % 3)] + [PEOPLE[7 + i % 7]]
        declared = Declared(by=voters[0], message_id=f"<{number}.result@people.example>",
                            announced_at=opened + hours(80), outcome="passed",
                            line="This vote passes. Thanks everyone!")  # fmt: skip
        found.append(
            facts(
                number,
                title,
                created=opened - timedelta(days=30),
                discussed=opened - timedelta(days=26),
                votes=[poll(number, title, opened, yes(number, opened, voters), declared=declared)],
            )
        )
    for i, title in enumerate(
        (
            "Async admin batching",
            "Readable partition assignments",
            "Replica fetch back-pressure",
            "Topic aliases",
            "Log cleaner scheduling hints",
            "Share group inspection",
            "Broker roles in metadata",
            "Encrypted configuration values",
            "Client telemetry labels",
            "Warm-up of page caches",
            "Idle consumer eviction",
            "Zoned quorum voters",
        )
    ):
        number = 121 + i
        start = ago(d=3 + 9 * i)
        found.append(facts(number, title, created=start - timedelta(days=5), discussed=start, replies=2 + i % 5))
    for i, title in enumerate(("Simplify ACL inheritance", "Streaming joins on headers", "Cluster-wide dry runs")):
        found.append(facts(155 + i, title, created=ago(d=2 + 3 * i)))
    title = "Embedded proxy for browsers"
    opened = ago(d=70)
    against = [ballot(136, n, opened + hours(4 + k), "-1 (binding), this belongs in its own project.",
                      choice=Choice.AGAINST) for k, n in enumerate(PEOPLE[0:4])]  # fmt: skip
    found.append(
        facts(
            136,
            title,
            created=ago(d=100),
            discussed=ago(d=96),
            votes=[poll(136, title, opened, [*yes(136, opened, [PEOPLE[5]]), *against])],
        )
    )
    for number, title in ((134, "A second wire protocol"), (137, "Clients in the broker jar")):
        found.append(facts(number, title, created=ago(d=180), discussed=ago(d=170)))
    gone = [page(135, "Merge topics at read time", ago(d=40), 4, StatusWord.DISCARDED, "Superseded by KIP-143")]
    found.append(facts(135, "Merge topics at read time", created=ago(d=120), discussed=ago(d=110), pages=gone))
    return found


def corrected(number: int) -> tuple[RecordedTransition, ...]:
    """A history in which a correction retracts an acceptance that rested on a truncated archive."""
    wrong = Transition(number=number, source=Stage.VOTE, target=Stage.ACCEPTED, at=ago(d=9), rule="result-agrees",
                       actor=Actor.MAIL, policy_version=POLICY.version,
                       evidence=(Evidence(kind="message", ref="<r@x.example>", line="The vote passes."),))  # fmt: skip
    mend = Transition(number=number, source=Stage.ACCEPTED, target=Stage.VOTE, at=ago(d=8), rule="correction",
                      actor=Actor.CLOCK, policy_version=POLICY.version, retracts=(wrong.id,),
                      note="later evidence retracts 1 entry")  # fmt: skip
    return (
        RecordedTransition(transition=wrong, recorded_at=ago(d=9), retracted=True),
        RecordedTransition(transition=mend, recorded_at=ago(d=8)),
    )


def some_effects() -> list[OutboxRow]:
    def row(key: str, number: int, channel: str, status: str, text: str, **more: object) -> OutboxRow:
        effect = Effect(key=key, number=number, channel=channel, payload={"text": text})
        return as_row(effect, status, ago(h=2), **more)

    return [
        row("154/vote/ab12/slack", 154, "slack", "pending", "KIP-154: Fetch sessions for followers: vote opened"),
        row("index/2026-03-18", 143, "index", "held", "Move KIP-143 to the section of adopted proposals"),
        row("149/passing/9c/slack", 149, "slack", "failed", "KIP-149: closes today with 4 of 3 binding +1",
            attempts=8, last_error="slack: https://slack.example/api/chat.postMessage: channel_not_found"),
        *(row(f"{n}/accepted/{n}/slack", n, "slack", "sent", f"KIP-{n}: {TITLES[n - 100]}: accepted", attempts=1,
              sent_at=ago(d=n - 99), external_ref="1773844.0012") for n in range(100, 121)),
    ]  # fmt: skip


def some_metrics() -> Metrics:
    def rows(name: str, unit: str, values: dict[str, float]) -> list[MetricRow]:
        return [MetricRow(name=name, dimension=d, value=v, unit=unit) for d, v in values.items()]

    months = [f"2025-{m:02d}" for m in range(6, 13)] + ["2026-01", "2026-02", "2026-03"]
    return Metrics(
        as_of=ago(h=3),
        rows=(
            *rows("stage_days_median", "days", {"Draft": 4.1, "Discussion": 26.4, "Vote": 3.6, "Dormant": 61}),
            *rows("stage_days_p90", "days", {"Draft": 12.5, "Discussion": 88.2, "Vote": 9.2, "Dormant": 140}),
            *rows("month_accepted", "count", dict(zip(months, (1, 2, 3, 3, 2, 4, 3, 2, 1, 1), strict=True))),
            *rows("month_opened", "count", dict(zip(months, (3, 4, 2, 5, 4, 3, 6, 5, 4, 3), strict=True))),
            MetricRow(name="first_reply_hours_median", dimension="", value=7.4, unit="hours"),
            MetricRow(name="discussions_unanswered", dimension="", value=3, unit="count"),
            MetricRow(name="open_votes", dimension="", value=5, unit="count"),
            MetricRow(name="open_votes_past_period", dimension="", value=2, unit="count"),
        ),
    )
