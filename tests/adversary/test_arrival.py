"""When a mail was written is its sender's claim; what counts is when it arrived."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

import pytest

from tests.adversary.conftest import (
    BERG,
    DAY,
    LIND,
    LIST,
    MONDAY,
    PETIT,
    RECEIVER,
    ROSTER,
    VOTE,
    Community,
    Mail,
    honest_vote,
)

FORGED = f"Received: from home.example by {RECEIVER}; Wed, 25 Feb 2026 09:00:00 +0000\n"


@pytest.fixture(autouse=True)
def _know_the_receiver(community: Community) -> None:
    community.write_config(archive={"receivers": [RECEIVER]})


def late_no(*, day: float, dated: float) -> list[Mail]:
    """Two -1 that arrive on `day` and are dated on another: enough to outvote three +1 with one changed mind."""
    return [
        Mail(name=f"no-{who[:3]}", by=who, day=day, body="-1 (binding)", dated=MONDAY + dated * DAY)
        for who in (LIND, BERG, PETIT)
    ]


def kinds(community: Community) -> list[str]:
    return sorted(question["kind"] for question in community.questions())


def test_a_vote_that_is_dated_four_days_back_runs_from_its_arrival(community: Community) -> None:
    """The caller dates the opening four days back and announces the result within the hour. The period runs from the
    arrival: the vote stays open, and says so."""
    mails = honest_vote()
    opening = replace(mails["vote"], dated=MONDAY - 3 * DAY)
    votes = [replace(mails[name], day=1 + n / 100) for n, name in enumerate(("one", "two", "three"), start=1)]
    community.follow(opening, *votes, replace(mails["result"], day=1.04), day=1.1)

    assert community.stage() == "Vote"
    [line] = [text for text in community.status()["missing"] if "dated" in text]
    assert "dated 2026-02-27 09:00 UTC by its sender" in line
    assert community.run("advance", "--as-of", (MONDAY + 3.9 * DAY).isoformat()).code == 0
    assert community.stage() == "Vote"

    [vote] = community.read_file(opening, *votes, as_of=1.5)["votes"]
    assert (vote["outcome"], vote["opened_at"], vote["dated_at"]) == (
        "passing",
        "2026-03-03T09:00:00Z",
        "2026-02-27T09:00:00Z",
    )
    assert vote["opened_from"] == "received"


def test_objections_that_are_dated_back_into_a_closed_vote_do_not_undo_it(community: Community) -> None:
    """Three weeks after the acceptance -1 arrive that are dated within the period. The acceptance stands; each is
    shown as void, and a person is asked, with both outcomes."""
    community.follow(*honest_vote().values(), day=6)
    assert community.stage() == "Accepted"

    community.follow(*late_no(day=22, dated=2.5), day=23)

    status = community.status()
    assert status["stage"] == "Accepted"
    late = [b for b in status["votes"][0]["ballots"] if b["value"] == "-1"]
    assert {b["status"] for b in late} == {"void"}
    assert all("dated 2026-03-04 21:00 UTC by its sender" in b["why"] for b in late)
    asked = community.questions()
    assert {q["kind"] for q in asked} == {"late-ballot"}
    assert any("falls short with +2 -1" in way for q in asked for way in q["both_ways"])
    assert any("passes with +3 -0" in way for q in asked for way in q["both_ways"])


def test_what_a_person_says_of_a_backdated_objection_is_what_counts(community: Community) -> None:
    """A person is asked about a -1 that came late and is dated earlier. "none" ends the question; counting it asks
    whether the acceptance stands."""
    community.follow(*honest_vote().values(), day=6)
    [no] = [mail for mail in late_no(day=22, dated=2.5) if mail.by == BERG]
    community.follow(no, day=23)
    assert kinds(community) == ["late-ballot"]

    at = (MONDAY + 24 * DAY).isoformat()
    said = community.run(
        "review", "ballot", "KIP-7", f"<{no.name}@m.example>", "-1", "--reason", "log seen", "--as-of", at
    )
    assert said.code == 0, said.err
    community.run("advance", "--as-of", at)
    assert (community.stage(), kinds(community)) == ("Accepted", ["turned-vote"])

    [ruling] = community.run("review", "rulings", "--format", "json").json
    community.run("review", "revoke", ruling["id"], "--reason", "no", "--as-of", at)
    community.run(
        "review", "ballot", "KIP-7", f"<{no.name}@m.example>", "none", "--reason", "queue seen", "--as-of", at
    )
    community.run("advance", "--as-of", at)
    assert (community.stage(), kinds(community)) == ("Accepted", [])


def test_a_backdated_objection_that_changes_nothing_is_shown_and_not_asked_about(community: Community) -> None:
    """One -1 that arrives late and is dated earlier could not turn the vote. It is void, and nobody is asked."""
    community.follow(*honest_vote().values(), day=6)
    [no] = [mail for mail in late_no(day=22, dated=2.5) if mail.by == PETIT]
    community.follow(no, day=23)
    assert (community.stage(), kinds(community)) == ("Accepted", [])


@pytest.mark.parametrize("name", ["vote", "three", "result"])
def test_a_date_in_the_future_holds_nothing_up(community: Community, name: str) -> None:
    """A mail of the vote is dated a year ahead. It counts from its arrival, and the vote ends as if it were not."""
    mails = honest_vote()
    mails[name] = replace(mails[name], dated=MONDAY + 365 * DAY)
    community.follow(*mails.values(), day=6)
    assert community.stage() == "Accepted"


def test_a_mail_without_any_record_arrives_at_the_latest_when_it_was_first_seen(community: Community) -> None:
    """A file without records holds an opening that is dated a year ahead. It counts as arrived when kipflow saw it."""
    path = community.folder / "one.eml"
    opening = replace(honest_vote()["vote"], dated=MONDAY + 365 * DAY)
    path.write_bytes(b"".join(opening.render().partition(b"List-Id")[1:]))
    at = (MONDAY + 2 * DAY).isoformat()
    community.run("ingest", path, "--as-of", at)
    community.run("advance", "--as-of", at)
    assert community.stage() == "Vote"
    assert community.status()["votes"][0]["opened_at"].startswith("2026-03-04T09:00:00")


def test_a_received_line_of_the_senders_own_is_ignored(community: Community) -> None:
    """The caller writes a Received line of the list's host, with a time of last week, below the real one. Only the
    topmost line of the receiving host is believed."""
    mails = honest_vote()
    mails["vote"] = replace(mails["vote"], dated=MONDAY - 5 * DAY, headers=FORGED)
    early = [replace(mail, day=1 + n / 100) for n, mail in enumerate(mails.values())]
    community.follow(*early, day=1.5)
    assert community.stage() == "Vote"
    assert community.status()["votes"][0]["opened_at"].startswith("2026-03-03T09:00:00")


def test_an_authentication_result_of_the_senders_own_is_ignored(community: Community) -> None:
    """A sender writes the receiving host's "dkim=pass" into the mail. It stands below that host's lines and proves
    nothing."""
    from kipflow.domain.facts import Message
    from kipflow.domain.senders import Authentication
    from kipflow.mail.messages import read_message

    results = f"Authentication-Results: {RECEIVER}; dkim=pass header.d=village.example\n"
    forged = replace(honest_vote()["one"], headers=results).render()
    real = forged.replace(results.encode(), b"").replace(b"Received:", results.encode() + b"Received:", 1)
    read = [
        read_message(data, source="x#0", list_id=LIST, month="", prefix="KIP", receivers=(RECEIVER,))
        for data in (forged, real)
    ]
    assert [m.authentication for m in read if isinstance(m, Message)] == [
        Authentication.UNKNOWN,
        Authentication.PASSED,
    ]


def test_roles_go_by_arrival(community: Community) -> None:
    """Somebody who left the committers on Thursday votes on Friday and dates the mail Wednesday. The vote does not
    bind."""
    people = [dict(person) for person in ROSTER["people"]]
    people[2]["roles"] = [{"role": "committer", "until": "2026-03-05"}]
    community.write_config(roster={**ROSTER, "people": people})
    mails = honest_vote()
    mails["three"] = replace(mails["three"], day=3.5, dated=MONDAY + 2 * DAY)
    community.follow(*mails.values(), day=6)
    assert community.stage() == "Vote"
    [ballot] = [b for b in community.status()["votes"][0]["ballots"] if b["voter"] == "rberg"]
    assert ballot["binding"] is False


def test_mail_that_arrived_in_time_and_was_read_later_corrects_history_and_a_person_is_asked(
    community: Community,
) -> None:
    """The archive gives three -1 only after the acceptance, though they arrived within the period. History is
    corrected, and a person is asked whether that is right."""
    community.follow(*honest_vote().values(), day=6)
    in_time = [replace(mail, day=3, dated=None) for mail in late_no(day=22, dated=2.5)]
    community.follow(*in_time, day=23)

    assert community.stage() != "Accepted"
    [asked] = [q for q in community.questions() if q["kind"] == "retraction"]
    assert "the acceptance of 2026-03-07 09:00 UTC was taken back" in asked["question"]
    assert asked["settle"].startswith(
        'kipflow -C village review stage 7 STAGE --reason "…"  # STAGE: Draft, Discussion, Vote, '
    )

    at = (MONDAY + 24 * DAY).isoformat()
    said = community.run("review", "stage", "KIP-7", "Accepted", "--reason", "they came from a lab", "--as-of", at)
    assert said.code == 0, said.err
    community.run("advance", "--as-of", at)
    assert community.stage() == "Accepted"
    assert "retraction" not in kinds(community)


def test_a_mail_is_not_moved_by_what_others_claim(community: Community) -> None:
    """Answers to an opening are dated before it. The opening keeps its recorded arrival."""
    mails = honest_vote()
    for name in ("one", "two", "three"):
        mails[name] = replace(mails[name], dated=MONDAY - 10 * DAY - timedelta(hours=1))
    community.follow(*mails.values(), day=3.9)
    assert community.stage() == "Vote"
    assert community.status()["votes"][0]["opened_at"].startswith("2026-03-03T09:00:00")
    assert VOTE in mails["one"].subject
