"""Several lists of one community: where votes can be called, what was sent to two of them, and lists that moved."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from kipflow.domain.events import Stage
from kipflow.services import poll
from kipflow.services.advance import advance_all
from kipflow.services.assembly import load_facts
from kipflow.services.landing import find_wanted_months
from kipflow.wiring import Parts, effect_rules
from tests.integration.conftest import connect_to
from tests.integration.mailserver import CountingArchive, make_mail

DEV, USERS, OLD = "dev@lantern.example", "users@lantern.example", "lantern-dev@incubator.example"
NOW = datetime(2026, 3, 20, 12, tzinfo=UTC)
OPENED = datetime(2026, 3, 2, 9, tzinfo=UTC)

COMMUNITY = """\
name: lantern
title: Lantern
prefix: KIP
lists: [users@lantern.example, dev@lantern.example]
votes_on: [dev@lantern.example]
archive:
  url: {url}
  permalink: "https://lists.x.example/{{mid}}"
  since: 2026-01
  moved:
    - {{list: dev@lantern.example, was: lantern-dev@incubator.example, until: 2026-02}}
roster: roster.yaml
policy:
  source: invented
  binding_roles: [committer]
  clock_after: 1 hours
effects: {{mode: dry-run}}
"""
PEOPLE = ("Ana", "Ben", "Cleo", "Dora")
ROSTER = "people:\n" + "".join(
    f"  - {{id: {n.lower()}, name: {n} Holt, emails: [{n.lower()}@x.example], roles: [{{role: committer}}]}}\n"
    for n in PEOPLE
)


@pytest.fixture
def parts(archive: CountingArchive, tmp_path: Path) -> Iterator[Parts]:
    config = tmp_path / "config"
    config.mkdir()
    (config / "roster.yaml").write_text(ROSTER)
    (config / "lantern.yaml").write_text(COMMUNITY.format(url=archive.url))
    connected = connect_to("", tmp_path / "home", community=str(config / "lantern.yaml"), KIPFLOW_CONFIG=str(config))
    yield connected
    connected.store.close()


def vote(number: int = 7) -> list[bytes]:
    """A call for votes and three +1."""
    subject, root = f"[VOTE] KIP-{number}: Gates", f"root{number}@x.example"
    by = [f"{name} Holt <{name.lower()}@x.example>" for name in PEOPLE]
    return [
        make_mail(root, OPENED, subject, "Please vote.", by=by[0]),
        *(
            make_mail(f"{n}.{root}", OPENED + timedelta(hours=n), f"Re: {subject}", "+1 (binding)", by=by[n], to=root)
            for n in (1, 2, 3)
        ),
    ]


def run(parts: Parts, *, lists: tuple[str, ...] | None = None, at: datetime = NOW) -> None:
    archive, config = parts.archive, parts.community.archive
    assert archive is not None
    assert config is not None
    wanted, _ = find_wanted_months(parts.store, archive, lists or parts.community.lists, at, since=config.since)
    landed = list(poll.fetch_months(archive, wanted, parts.settings.raw / "lantern", at))
    poll.read_months(parts.store, landed, prefix="KIP", seen_at=at)
    advance_all(parts.store, policy=parts.policy, effects=effect_rules(parts), as_of=at)


def stage(parts: Parts, number: int = 7) -> tuple[Stage, int]:
    view = parts.store.proposal(number, NOW)
    return view.stage, sum(len(v.vote.ballots) for v in view.votes)


def test_a_vote_called_on_the_developers_list_counts(archive: CountingArchive, parts: Parts) -> None:
    archive.put(DEV, *vote())
    run(parts)
    assert stage(parts) == (Stage.ACCEPTED, 3)


def test_a_vote_called_only_on_a_list_aside_is_none_though_its_mails_are_held(
    archive: CountingArchive, parts: Parts
) -> None:
    archive.put(USERS, *vote())
    archive.put(DEV, make_mail("d@x.example", OPENED - timedelta(days=1), "[DISCUSS] KIP-7: Gates", "Words."))
    run(parts)
    assert stage(parts) == (Stage.DISCUSSION, 0)
    with parts.store.read() as session:
        assert len(load_facts(session, 7).messages) == 5


@pytest.mark.parametrize("order", [(USERS, DEV), (DEV, USERS)], ids=lambda o: " then ".join(o))
def test_a_vote_sent_to_both_lists_counts_once_whichever_was_read_first(
    archive: CountingArchive, parts: Parts, order: tuple[str, ...]
) -> None:
    for list_id in (DEV, USERS):
        archive.put(list_id, *vote())
    for hour, list_id in enumerate(order):
        run(parts, lists=(list_id,), at=NOW + timedelta(hours=hour))
    with parts.store.read() as session:
        facts = load_facts(session, 7)
    assert [v.list_id for v in facts.votes] == [DEV]
    assert len(facts.messages) == 4
    view = parts.store.proposal(7, NOW + timedelta(hours=2))
    assert view.stage is Stage.ACCEPTED


def test_a_ballot_sent_to_the_users_list_by_mistake_is_of_the_vote_that_it_answers(
    archive: CountingArchive, parts: Parts
) -> None:
    call, *ballots = vote()
    archive.put(DEV, call, *ballots[:2])
    archive.put(USERS, ballots[2])
    run(parts)
    assert stage(parts) == (Stage.ACCEPTED, 3)


def test_a_moved_list_is_one_list_whose_mail_in_both_archives_counts_once(
    archive: CountingArchive, parts: Parts
) -> None:
    mails = [
        make_mail(f"{n}@x.example", datetime(2026, month, 3, tzinfo=UTC), "[DISCUSS] KIP-7: Gates", f"Words {n}.")
        for n, month in enumerate((1, 2, 2, 3))
    ]
    archive.put(OLD, mails[0])
    archive.put(OLD, mails[1], mails[2])
    archive.put(DEV, mails[2])
    archive.put(DEV, mails[3])
    run(parts)
    with parts.store.read() as session:
        assert [m.message_id for m in load_facts(session, 7).messages] == [f"<{n}@x.example>" for n in range(4)]
        months = [(m.month, m.status, m.mails) for m in session.mail.load_months(DEV).values()]
    assert months == [("2026-01", "complete", 1), ("2026-02", "complete", 3), ("2026-03", "complete", 1)]
    view = parts.store.overview(NOW)
    assert {cover.month.list_id for cover in view.months} == {DEV, USERS}
    archive.asked.clear()
    run(parts, at=NOW + timedelta(hours=1))
    assert archive.asked == {"stats.lua": 2}, "earlier addresses cost nothing once they were read"
