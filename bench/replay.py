"""Replay of a community's whole history: ten years of proposals and their mail, in a separate store.

The mails are created as bytes, read by kipflow's own reader, stored, and decided once; then the whole history is
rebuilt from the stored facts and compared with the stored one.
"""

from __future__ import annotations

import random
import time
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from pathlib import Path

from corpus import WORDS
from measure import Figure, answer, run_apart

from kipflow.adapters.store import SqlStore, open_store
from kipflow.domain.clocks import list_months, month_end
from kipflow.domain.facts import ArchiveMonth, Message
from kipflow.domain.people import Person, Role
from kipflow.domain.policy import Policy
from kipflow.domain.roster import Roster
from kipflow.mail.messages import read_message
from kipflow.services import replay
from kipflow.services.advance import advance_all
from kipflow.services.assembly import CommunityRules
from kipflow.services.effectrules import EffectRules
from kipflow.services.storing import ingest_items

LIST = "dev@list.example"
START = datetime(2016, 1, 1, tzinfo=UTC)
AS_OF = datetime(2026, 1, 1, tzinfo=UTC)
#: Mails of one proposal: 55,000 for the 1,300 of a real community.
PER_PROPOSAL = 42
PEOPLE = [
    Person(id=f"p{n}", name=f"Person P{n}", emails=(f"p{n}@x.example",), roles=(Role(role="pmc"),)) for n in range(20)
]
POLICY = Policy(version="bench", binding_roles=frozenset({"pmc"}), clock_after=timedelta(days=7))
BUDGET = 60.0  # seconds for 1,300 proposals and 55,000 mails


def compare(folder: Path, proposals: int) -> list[Figure]:
    """Seconds for the whole replay against its budget."""
    path = folder / "replay.db"
    run_apart("replay", "fill", str(path), str(proposals))
    measured = run_apart("replay", "replay", str(path))
    budget = BUDGET * proposals / 1_300
    seconds, mails = measured["seconds"], measured["mails"]
    return [
        Figure.of(
            f"replay, {proposals:,} proposals, {mails:,} mails", seconds, mails, "mails", peak_mb=measured["peak_mb"],
            peer=f"the budget of {budget:g} s", other=budget, reach=1.0,
        )
    ]  # fmt: skip


def fill(path: str, proposals: str) -> dict[str, object]:
    """Create the store at `path`: facts, and the history decided from them."""
    store = open_bench_store(path)
    store.migrate()
    ingest_items(store, make_messages(int(proposals)), seen_at=AS_OF)
    with store.begin() as session:
        for month in list_months(f"{START:%Y-%m}", f"{AS_OF - timedelta(days=1):%Y-%m}"):
            end = month_end(month)
            session.mail.save_month(ArchiveMonth(list_id=LIST, month=month, status="complete", fetched_at=end))
    decide(store)
    store.close()
    return {}


def decide(store: SqlStore) -> None:
    """Decide everything that the store holds, and send nothing."""
    advance_all(store, policy=POLICY, effects=EffectRules(prefix="KIP", sends=False), as_of=AS_OF)


def replay_all(path: str) -> dict[str, object]:
    """Rebuild everything in the store at `path`; fails if it differs."""
    store = open_bench_store(path)
    start = time.perf_counter()
    report = replay.replay(store, policy=POLICY, start=None, end=AS_OF)
    seconds = time.perf_counter() - start
    if report.differences:
        raise SystemExit(f"{len(report.differences)} proposals differ: {report.differences[0]}")
    mails = report.proposals * PER_PROPOSAL
    return {"seconds": seconds, "mails": mails, "transitions": report.transitions}


def open_bench_store(path: str) -> SqlStore:
    roster = Roster(PEOPLE)
    return open_store(f"sqlite:///{path}", CommunityRules(roster=roster, policy=POLICY, prefix="KIP"))


def make_messages(proposals: int) -> Iterator[Message]:
    """A discussion of thirty mails and a vote with ten ballots and a result for each proposal, by months."""
    random_ = random.Random(11)
    span = (AS_OF - START - timedelta(days=60)) / proposals
    for number in range(1, proposals + 1):
        opened = START + span * number
        for data, at in _make_proposal(random_, number, opened):
            month = f"{at:%Y-%m}"
            found = read_message(data, source=f"{LIST}/{month}#{number}", list_id=LIST, month=month, prefix="KIP")
            if not isinstance(found, Message):
                raise SystemExit(f"a made-up mail is not readable: {found.why}")
            yield found


def _make_proposal(random_: random.Random, number: int, opened: datetime) -> Iterator[tuple[bytes, datetime]]:
    title = f"KIP-{number}: {random_.choice(WORDS)} {random_.choice(WORDS)}"
    for position in range(PER_PROPOSAL):
        talks = position < 30
        tag, root = ("DISCUSS", 0) if talks else ("VOTE", 30)
        at = opened + timedelta(hours=6 * position)
        own = " ".join(random_.choices(WORDS, k=120))
        if position in range(31, 41):
            own = random_.choice(["+1 (binding)", "+1", "+1 (non-binding), thanks", "-1, see above", "LGTM, +1"])
        elif position == PER_PROPOSAL - 1:
            own = "The vote is closed. It passes, thanks to all who voted."
        parent = max(root, position - random_.randint(1, 3))
        lines = [
            f"From p{position % 20}@x.example {at:%a %b %d %H:%M:%S %Y}",
            f"From: Person P{position % 20} <p{position % 20}@x.example>",
            f"To: {LIST}",
            f"Date: {format_datetime(at)}",
            f"Message-ID: <{number}.{position}@x.example>",
            f"Subject: {'' if position == root else 'Re: '}[{tag}] {title}",
        ]
        if position != root:
            lines.append(f"In-Reply-To: <{number}.{parent}@x.example>")
            lines.append(f"References: <{number}.{root}@x.example> <{number}.{parent}@x.example>")
        quoted = "\n".join(f"> {' '.join(random_.choices(WORDS, k=10))}" for _ in range(20))
        yield ("\n".join(lines) + f"\n\n{own}\n\nOn Monday, somebody wrote:\n{quoted}\n").encode(), at


if __name__ == "__main__":
    answer({"fill": fill, "replay": replay_all})
