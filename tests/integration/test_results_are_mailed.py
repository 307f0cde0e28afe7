"""A vote's result goes to its list once: by a real mail server, read back from the archive, whatever gets lost."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from dataclasses import replace
from datetime import timedelta
from email import message_from_bytes
from email.policy import default
from functools import partial
from pathlib import Path

import pytest

from kipflow.adapters.deliverer import ThisProcess
from kipflow.adapters.smtp import SmtpMailer
from kipflow.adapters.store import SqlStore
from kipflow.adapters.store.engine import open_engine
from kipflow.cli import run as command
from kipflow.services.acts import perform
from kipflow.services.deliver import deliver
from kipflow.services.desk import ActContext
from kipflow.services.effect_kinds.result import PATIENCE, ResultKind
from kipflow.services.ingest import ingest_paths
from kipflow.services.ports import Report, WikiPage
from kipflow.wiki.pages import parse_page
from kipflow.wiki.substance import read_substance
from kipflow.wiring import open_desk
from tests.effect_kinds import make_due, scope_of
from tests.integration.killing import await_end, deliver_until, fork, kill_at_every_step
from tests.integration.late import AMARO, DAY, LIST, MONDAY, Mail, Village, found, late_objections, story
from tests.smtpserver import MailServer, mail_server
from tests.waiting import wait_until

pytestmark = pytest.mark.integration

#: The vote's period is over; nobody has announced its result.
OVER = MONDAY + 5 * DAY
PAGE = "<h1>Status</h1><p>Current state: Voting</p><h1>Proposed Changes</h1><p>Shelves are painted green.</p>"
SENDER = "KIP votes <kips@sandbox.example>"


@pytest.fixture
def server() -> Iterator[MailServer]:
    with mail_server() as kept:
        yield kept


@pytest.fixture
def village(tmp_path: Path) -> Village:
    village = found(tmp_path)
    mails = [mail for name, mail in story().items() if name != "result"]
    village.receive(mails, OVER)
    village.decide(OVER)
    return village


def make_kind(village: Village, server: MailServer, at: timedelta = timedelta(), mode: str = "send") -> ResultKind:
    mailer = SmtpMailer(host="127.0.0.1", port=server.port, security="none", timeout=5)
    scope = scope_of(village.parts.store, OVER + at, mode=mode)
    return ResultKind(scope=scope, mailer=mailer, sender=SENDER, lists=frozenset({LIST}))


def run(village: Village, server: MailServer, at: timedelta = timedelta(), mode: str = "send") -> Report:
    """What the DAG does: plan, then deliver."""
    return make_due(village.parts.store, "result", make_kind(village, server, at, mode), OVER + at)


def save_pages(village: Village, *versions: WikiPage) -> None:
    for raw in versions:
        page = replace(parse_page(raw, "KIP"), substance=read_substance(raw.body))
        with village.parts.store.begin() as session:
            session.pages.save_version(page, seen_at=OVER)


def arrive(village: Village, server: MailServer, at: timedelta) -> None:
    """The archive gets what the server took."""
    path = village.folder / "arrived.eml"
    path.write_bytes(server.mails[-1][2])
    ingest_paths(village.parts.store, [path], list_id=LIST, prefix="KIP", seen_at=OVER + at)


def test_a_result_is_sent_once_after_a_person_released_it(village: Village, server: MailServer) -> None:
    run(village, server, mode="approve")
    assert server.mails == []
    [held] = village.outbox("result")
    assert "Subject: [RESULT] [VOTE] KIP-77: Shelves that tell their load" in held.payload["diff"]
    village.act("release", held.key, OVER)
    for _ in range(3):
        run(village, server, mode="approve")

    [(sender, recipients, mail)] = server.mails
    assert (sender, recipients) == ("kips@sandbox.example", [LIST])
    read = message_from_bytes(mail, policy=default)
    assert read["In-Reply-To"] == "<vote@x.example>"
    assert read["From"] == SENDER
    assert "3 binding +1 votes (Ines Amaro, Bertil Vogel, Tomo Nakagawa)" in read.get_content()
    assert [row.external_ref for row in village.outbox("result")] == [read["Message-ID"]]


def test_the_reply_names_the_whole_thread_before_the_opening(tmp_path: Path, server: MailServer) -> None:
    village = found(tmp_path)
    mails = [mail for name, mail in story().items() if name != "result"]
    mails[1] = replace(mails[1], answers="talk")
    village.receive(mails, OVER)
    village.decide(OVER)
    run(village, server)
    head = message_from_bytes(server.mails[0][2], policy=default)
    assert head["References"].split() == ["<talk@x.example>", "<vote@x.example>"]


def test_what_its_caller_announces_meanwhile_is_not_sent(village: Village, server: MailServer) -> None:
    run(village, server, mode="approve")
    village.receive([story()["result"]], OVER + DAY)
    village.decide(OVER + DAY)
    run(village, server, DAY, mode="approve")
    assert server.mails == []
    assert [(row.status, row.last_error) for row in village.outbox("result")] == [("withdrawn", "no longer due")]


def test_what_was_released_in_other_words_waits_again(village: Village, server: MailServer) -> None:
    run(village, server, mode="approve")
    [held] = village.outbox("result")
    village.act("release", held.key, OVER)
    late = Mail(
        name="late",
        at=MONDAY + 2.5 * DAY,
        author="Petra Keller <pkeller@sandbox.example>",
        subject="Re: [VOTE] KIP-77: Shelves that tell their load",
        body="+1 (binding)",
        answers="vote",
    )
    village.receive([late], OVER)
    village.decide(OVER)
    run(village, server, mode="approve")
    assert server.mails == []
    assert sorted(row.status for row in village.outbox("result")) == ["held", "withdrawn"]


def test_a_question_that_arises_keeps_a_released_result_back_until_a_person_settled_it(
    village: Village, server: MailServer, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The page changed while people voted, and only after the release is that known."""
    run(village, server, mode="approve")
    [held] = village.outbox("result")
    village.act("release", held.key, OVER)
    kind = make_kind(village, server, mode="approve")
    page = WikiPage(
        page_id="770", version=1, title="KIP-77: Shelves that tell their load", body=PAGE, saved_at=MONDAY,
        saved_by="Ines Amaro", labels=(),
    )  # fmt: skip
    save_pages(village, page, replace(page, version=2, body=PAGE.replace("green", "red"), saved_at=MONDAY + 3 * DAY))
    village.decide(OVER)

    report = deliver(village.parts.store, {"result": kind}, now=OVER, by=ThisProcess())
    assert (server.mails, report.counts["failed"]) == ([], 1), "not even where nothing was planned again"
    village.settle_in(monkeypatch)
    assert command(["result", "KIP-77", "--as-of", OVER.isoformat()]) == 2
    refused = capsys.readouterr().err
    assert "the page changed in substance since version 1" in refused
    assert "kipflow -C sandbox review page 77 hold --reason" in refused

    run(village, server, DAY, mode="approve")
    assert [row.status for row in village.outbox("result")] == ["withdrawn"]
    perform(
        open_desk(village.parts),
        "page",
        {"proposal": "77"},
        ActContext(author="mara", reason="a colour", at=OVER + DAY),
    )
    village.decide(OVER + DAY)
    run(village, server, DAY, mode="approve")
    [again] = village.outbox("result")
    assert (again.status, server.mails) == ("held", []), "what was released before is released once more"
    village.act("release", again.key, OVER)
    run(village, server, DAY, mode="approve")
    assert len(server.mails) == 1


def test_an_unclear_ballot_keeps_a_result_back_though_it_turns_nothing(village: Village, server: MailServer) -> None:
    unclear = Mail(
        name="unclear",
        at=MONDAY + 2.5 * DAY,
        author="Petra Keller <pkeller@sandbox.example>",
        subject="Re: [VOTE] KIP-77: Shelves that tell their load",
        body="+1 if the name is changed",
        answers="vote",
    )
    village.receive([unclear], OVER)
    village.decide(OVER)
    assert not village.parts.store.proposal(77, OVER).votes[-1].depends_on_review
    run(village, server)
    assert village.outbox("result") == []
    ballot = {"proposal": "77", "mail": "<unclear@x.example>", "choice": "+1"}
    perform(open_desk(village.parts), "ballot", ballot, ActContext(author="mara", reason="it was", at=OVER))
    village.decide(OVER)
    run(village, server)
    assert "4 binding +1 votes" in message_from_bytes(server.mails[0][2], policy=default).get_content()


def test_a_refused_draft_is_not_proposed_again(village: Village, server: MailServer) -> None:
    run(village, server, mode="approve")
    village.act("refuse", village.outbox("result")[0].key, OVER)
    run(village, server, mode="approve")
    assert [row.status for row in village.outbox("result")] == ["withdrawn"]


def test_a_server_that_refuses_the_list_is_reported_in_one_line_and_asked_again(
    village: Village, server: MailServer
) -> None:
    server.refuses = {LIST}
    report = run(village, server)
    [line] = report.warnings
    assert f"takes no mail for {LIST}: 550 no such list here" in line
    assert "\n" not in line
    server.refuses = set()
    run(village, server, timedelta(minutes=5))
    assert len(server.mails) == 1


@pytest.mark.parametrize(("word", "answer"), [("MAIL", "451 later"), ("EHLO", "421 too busy"), ("DATA", "554 no")])
def test_what_is_refused_before_the_mail_was_handed_over_is_tried_again(
    village: Village, server: MailServer, word: str, answer: str
) -> None:
    server.says = {word: answer, "HELO": answer} if word == "EHLO" else {word: answer}
    assert run(village, server).counts["failed"] == 1
    server.says = {}
    run(village, server, timedelta(minutes=5))
    assert len(server.mails) == 1


def test_a_mail_that_was_taken_while_the_answer_was_lost_is_found_in_the_archive_and_not_sent_again(
    village: Village, server: MailServer
) -> None:
    server.loses = 1
    run(village, server)
    run(village, server, timedelta(minutes=5))
    assert len(server.mails) == 1
    assert [row.status for row in village.outbox("result")] == ["pending"]
    arrive(village, server, timedelta(minutes=30))
    run(village, server, timedelta(minutes=40))
    assert len(server.mails) == 1
    assert [row.status for row in village.outbox("result")] == ["sent"]


def test_a_mail_that_the_archive_never_has_is_asked_about_and_noted_when_it_comes_after_all(
    village: Village, server: MailServer
) -> None:
    server.loses = 1
    run(village, server)
    run(village, server, PATIENCE + timedelta(hours=1))
    assert [row.status for row in village.outbox("result")] == ["unsure"]
    assert "look whether a moderator holds it" in str(village.outbox("result")[0].last_error)
    arrive(village, server, timedelta(hours=8))
    run(village, server, timedelta(hours=9))
    assert len(server.mails) == 1
    assert [row.status for row in village.outbox("result")] == ["sent"]


def test_a_count_that_changes_after_the_mail_went_out_announces_nothing_again(
    village: Village, server: MailServer
) -> None:
    run(village, server)
    village.receive(late_objections()[:1], OVER + DAY)
    village.decide(OVER + DAY)
    run(village, server, DAY)
    assert len(server.mails) == 1


def test_no_list_but_the_community_s_own_is_written_to(village: Village, server: MailServer) -> None:
    kind = make_kind(village, server)
    other = ResultKind(scope=kind.scope, mailer=kind.mailer, sender=SENDER, lists=frozenset({"dev@other.example"}))
    other.plan()
    assert village.outbox("result") == []
    assert kind.preview() != []
    assert AMARO.split("<")[1] not in "\n".join(kind.preview())


def test_a_kill_at_any_step_sends_the_mail_once_or_asks_a_person(tmp_path: Path, server: MailServer) -> None:
    villages: list[Village] = []

    def opener() -> SqlStore:
        store = villages[-1].parts.store
        return SqlStore(open_engine(store._engine.url), store.rules)

    def make(store: SqlStore, at: timedelta = timedelta()) -> ResultKind:
        return replace(make_kind(villages[-1], server), scope=scope_of(store, OVER + at))

    def prepare(last: int) -> None:
        server.mails.clear()
        villages.append(found(tmp_path / str(last)))
        villages[-1].receive([mail for name, mail in story().items() if name != "result"], OVER)
        villages[-1].decide(OVER)
        make(villages[-1].parts.store).plan()
        villages[-1].parts.store.close()

    def check(last: int) -> None:
        village, before = villages[-1], len(server.mails)
        assert before <= 1, f"killed at step {last}"
        if before:
            arrive(village, server, timedelta(hours=1))
        run(village, server, PATIENCE + timedelta(hours=2))
        [row] = village.outbox("result")
        assert (row.status, len(server.mails)) == (("sent", 1) if before else ("unsure", 0)), f"killed at step {last}"
        if row.status == "unsure":  # a person looked, and it is not there
            village.act("release", row.key, OVER)
            run(village, server, PATIENCE + timedelta(hours=2))
            assert len(server.mails) == 1

    work = partial(deliver_until, opener, "result", make, OVER)
    assert kill_at_every_step(prepare, work, check) > 8


def test_a_kill_while_the_server_has_the_mail_and_has_not_answered_sends_it_once(
    village: Village, server: MailServer
) -> None:
    server.stalling = True
    make_kind(village, server).plan()
    store = village.parts.store
    store.close()
    child = fork(lambda: deliver_until(
        lambda: SqlStore(open_engine(store._engine.url), store.rules), "result",
        lambda own: replace(make_kind(village, server), scope=scope_of(own, OVER)), OVER, 0,
    ))  # fmt: skip
    assert wait_until(lambda: server.mails, every=0.01)
    os.kill(child, signal.SIGKILL)
    assert await_end(child) == -9
    server.stalling = False
    server.stalls.set()
    run(village, server, timedelta(minutes=1))
    arrive(village, server, timedelta(minutes=30))
    run(village, server, timedelta(hours=1))
    assert len(server.mails) == 1
    assert [row.status for row in village.outbox("result")] == ["sent"]


def test_the_command_previews_plans_and_sends(
    village: Village, server: MailServer, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    file = village.folder / "config" / "communities" / "sandbox.yaml"
    file.write_text(file.read_text().replace("${KIPFLOW_SANDBOX_MAIL:-127.0.0.1:8725}", f"127.0.0.1:{server.port}"))
    village.settle_in(monkeypatch)
    at = ["--as-of", OVER.isoformat()]
    assert command(["deliver", "--preview", *at]) == 0
    assert "result: Subject: [RESULT] [VOTE] KIP-77: Shelves that tell their load\n" in capsys.readouterr().out
    assert village.outbox("result") == []
    command(["deliver", *at])
    [held] = village.outbox("result")
    assert (held.status, server.mails) == ("held", [])
    village.act("release", held.key, OVER)
    command(["deliver", *at])
    assert len(server.mails) == 1


def test_a_password_that_is_refused_is_one_line_without_the_password(village: Village, server: MailServer) -> None:
    server.says = {"EHLO": "250-mail.x.example\r\n250 AUTH PLAIN", "AUTH": "535 5.7.8 no"}
    mailer = SmtpMailer(host="127.0.0.1", port=server.port, security="none", user="kips", password="s3cret")
    kind = replace(make_kind(village, server), mailer=mailer)
    [line] = make_due(village.parts.store, "result", kind, OVER).warnings
    assert "user or password was refused (535)" in line
    assert "s3cret" not in line + repr(mailer)
    assert server.mails == []


def test_no_mail_is_sent_in_the_clear_to_a_server_that_cannot_encrypt(village: Village, server: MailServer) -> None:
    mailer = SmtpMailer(host="127.0.0.1", port=server.port, security="starttls")
    kind = replace(make_kind(village, server), mailer=mailer)
    [line] = make_due(village.parts.store, "result", kind, OVER).warnings
    assert "STARTTLS" in line
    assert server.mails == []


def test_the_mail_that_was_sent_closes_its_vote_and_counts_as_nothing_else(
    village: Village, server: MailServer
) -> None:
    """Its sender is neither the vote's caller nor anybody of the roster."""
    before = village.parts.store.proposal(77, OVER).votes[-1]
    run(village, server, mode="approve")
    village.act("release", village.outbox("result")[0].key, OVER)
    run(village, server, mode="approve")
    arrive(village, server, timedelta(minutes=5))
    village.decide(OVER + DAY)
    run(village, server, DAY, mode="approve")

    shown = village.parts.store.proposal(77, OVER + DAY)
    state = shown.votes[-1]
    assert (before.vote.declared, shown.stage) == (None, "Accepted")
    assert state.vote.declared is not None
    assert (state.vote.declared.by, state.vote.declared.outcome) == ("KIP votes", "passed")
    assert (state.differences, state.vote.claimed_ends, shown.questioned) == ((), (), {})
    assert (state.tally, len(state.vote.ballots)) == (before.tally, len(before.vote.ballots))
    assert (len(server.mails), [row.status for row in village.outbox("result")]) == (1, ["sent"])


@pytest.mark.parametrize(
    ("author", "closes"),
    [(SENDER, True), ("KIP votes <kips@other.example>", False), ("kips@sandbox.example <kips@x.example>", False)],
)
def test_only_the_sender_s_own_address_announces(village: Village, author: str, closes: bool) -> None:
    village.receive([replace(story()["result"], author=author)], OVER)
    village.decide(OVER)
    vote = village.parts.store.proposal(77, OVER).votes[-1].vote
    assert (vote.declared is not None, len(vote.claimed_ends)) == (closes, 0 if closes else 1)


def test_no_mail_of_the_archive_passes_for_one_that_was_not_sent(village: Village, server: MailServer) -> None:
    """What is known of an effect is its key; what another installation sent for the same key has another name."""
    server.loses = 1
    run(village, server)
    first = message_from_bytes(server.mails[0][2], policy=default)["Message-ID"]
    other = found(village.folder / "other")
    other.receive([mail for name, mail in story().items() if name != "result"], OVER)
    other.decide(OVER)
    run(other, server)
    assert other.outbox("result")[0].key == village.outbox("result")[0].key
    assert other.outbox("result")[0].external_ref != first
    assert first.strip("<>").partition("@")[0] not in "\n".join(make_kind(village, server).preview())
