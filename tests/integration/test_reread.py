"""Newer rules of reading: stored mails are read again from their raw months, and history follows and says so."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa

from kipflow.adapters.store import SqlStore
from kipflow.adapters.store.tables.facts import earlier_reading, message
from kipflow.cli import run
from kipflow.domain.events import Stage
from kipflow.domain.facts import ArchiveMonth
from kipflow.domain.votes import Choice, Expression
from kipflow.mail import messages as reader
from kipflow.mail import version
from kipflow.mail.subjects import parse_subject
from kipflow.mail.votes.reading import read_expressions
from kipflow.services import poll, replay
from kipflow.services.assembly import load_facts
from kipflow.services.ports import Landed, Report
from kipflow.services.reread import reread
from tests.integration.late import DAY, LIST, MONDAY, Mail, Village, found, story

pytestmark = pytest.mark.integration

EVENING, WEEK = MONDAY + 6 * DAY, MONDAY + 12 * DAY


@pytest.fixture(autouse=True)
def first_version(monkeypatch: pytest.MonkeyPatch) -> None:
    """Here today's rules are version 1, whatever number they have reached."""
    monkeypatch.setattr(version, "READING_RULES", 1)


@pytest.fixture
def village(tmp_path: Path) -> Iterator[Village]:
    one = found(tmp_path)
    yield one
    one.parts.store.close()


def land(village: Village, mails: Sequence[Mail], seen_at: Any = EVENING) -> Path:
    """The month lies in a raw file, as a poll leaves it, and is read by today's rules."""
    path = village.parts.settings.raw / LIST / "2026-03.mbox"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(mail.render() for mail in mails), encoding="utf-8")
    village.hold(seen_at)
    month = ArchiveMonth(
        list_id=LIST, month="2026-03", status="complete", fetched_at=seen_at, path=str(path), mails=len(mails)
    )
    landed = [Landed(month=month, stats="")]
    poll.read_months(village.parts.store, landed, prefix="KIP", seen_at=seen_at)
    return path


def better_rules(monkeypatch: pytest.MonkeyPatch, *, hears: str) -> None:
    """Version 2 of the rules: they hear a vote in one more word."""

    def hear(words: Any, **kwargs: Any) -> tuple[Expression, ...]:
        if hears in words.text:
            return (Expression(choice=Choice.FOR, value="+1", claimed_binding=None, line=hears, rule="new-word"),)
        return read_expressions(words, **kwargs)

    monkeypatch.setattr(reader, "read_expressions", hear)
    monkeypatch.setattr(version, "READING_RULES", version.READING_RULES + 1)


def again(village: Village, **limits: Any) -> Report:
    return reread(village.parts.store, prefix="KIP", seen_at=WEEK, **limits)


def ask(store: SqlStore, statement: sa.Select[Any]) -> list[Any]:
    with store._engine.connect() as connection:
        return list(connection.execute(statement))


def with_word(body: str) -> list[Mail]:
    """The story, its third vote given in a word that version 1 does not know."""
    mails = story()
    mails["three"] = Mail(**{**{n: getattr(mails["three"], n) for n in Mail.__slots__}, "body": body})
    return list(mails.values())


def test_a_vote_that_newer_rules_hear_carries_the_proposal_and_history_says_why(
    village: Village, monkeypatch: pytest.MonkeyPatch
) -> None:
    land(village, with_word("Hurrah from me."))
    village.decide(EVENING)
    assert village.stage(WEEK) == Stage.VOTE

    better_rules(monkeypatch, hears="Hurrah from me.")
    report = again(village)
    village.decide(WEEK)

    assert report.counts["read_otherwise"] == 1
    assert village.stage(WEEK) == Stage.ACCEPTED
    assert "2026-03-07 09:00:00 Vote → Accepted (result-agrees)" in village.lines()
    assert replay.replay(village.parts.store, policy=village.parts.policy, start=None, end=WEEK).differences == ()


def test_a_vote_that_newer_rules_no_longer_hear_is_a_correction_with_its_reason(
    village: Village, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as older:
        better_rules(older, hears="Hurrah from me.")
        older.setattr(version, "READING_RULES", version.READING_RULES - 1)  # what version 1 heard
        land(village, with_word("Hurrah from me."))
    village.decide(EVENING)
    assert village.stage(WEEK) == Stage.ACCEPTED

    monkeypatch.setattr(version, "READING_RULES", version.READING_RULES + 1)
    again(village)
    village.decide(WEEK)

    assert village.stage(WEEK) == Stage.VOTE
    assert "a mail was read again by newer rules" in village.corrections(WEEK)[0]
    correction = next(r for r in village.parts.store.proposal(77, WEEK).history if r.transition.retracts)
    assert any("read as no vote by rules 2, as '+1' by rules 1" in e.line for e in correction.transition.evidence)


def test_the_earlier_reading_is_kept_beside_the_newer_one(village: Village, monkeypatch: pytest.MonkeyPatch) -> None:
    land(village, with_word("Wonderful, hurrah."))
    better_rules(monkeypatch, hears="Wonderful, hurrah.")
    again(village)

    [kept] = ask(village.parts.store, sa.select(earlier_reading))
    assert (kept.message_id, kept.reading_rules, kept.replaced_by) == ("<three@x.example>", 1, 2)
    assert [said["standing"] for said in kept.reading["expressions"]] == ["leaning"]
    assert kept.replaced_at == WEEK
    assert ask(village.parts.store, sa.select(message.c.reading_rules).distinct()) == [(2,)]


def test_rules_that_read_the_same_change_nothing_and_a_second_time_reads_nothing(
    village: Village, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = land(village, list(story().values()))
    village.decide(EVENING)
    before = village.ids()
    monkeypatch.setattr(version, "READING_RULES", 2)

    first = again(village)
    path.unlink()
    second = again(village)

    assert (first.counts["known"], first.counts["read_otherwise"], first.warnings) == (6, 0, ())
    assert (second.counts["known"], second.warnings) == (0, ())
    village.decide(WEEK)
    assert village.ids() == before
    assert village.corrections(WEEK) == []


def test_a_month_whose_raw_file_is_gone_keeps_its_reading_and_that_is_reported(
    village: Village, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = land(village, with_word("Hurrah from me."))
    village.decide(EVENING)
    path.unlink()
    better_rules(monkeypatch, hears="Hurrah from me.")

    report = again(village)

    assert report.counts["read_otherwise"] == 0
    assert "6 mails keep what rules older than 2 read; the raw month is gone" in report.warnings[0]
    assert any("the raw month is gone" in row.why for row in village.parts.store.unreadable().rows)
    assert again(village).warnings == (), "said once, not at every poll"
    land(village, with_word("Hurrah from me."), WEEK)  # a backfill brings it back
    village.decide(WEEK)
    assert village.stage(WEEK) == Stage.ACCEPTED


def test_a_home_that_was_moved_is_no_raw_file_that_is_gone(village: Village, monkeypatch: pytest.MonkeyPatch) -> None:
    path = land(village, with_word("Hurrah from me."))
    moved = village.folder / "elsewhere" / LIST / path.name
    moved.parent.mkdir(parents=True)
    path.rename(moved)
    better_rules(monkeypatch, hears="Hurrah from me.")

    report = reread(village.parts.store, prefix="KIP", seen_at=WEEK, raw=village.folder / "elsewhere")

    assert (report.counts["read_otherwise"], report.warnings) == (1, ())


def test_the_command_reads_again_what_older_rules_read(
    village: Village, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    land(village, with_word("Hurrah from me."))
    village.settle_in(monkeypatch)
    better_rules(monkeypatch, hears="Hurrah from me.")

    assert run(["ingest", "--reread"]) == 0
    assert "read otherwise: 1" in capsys.readouterr().out
    assert run(["ingest"]) == 2


def test_one_poll_reads_a_part_and_the_next_goes_on(village: Village, monkeypatch: pytest.MonkeyPatch) -> None:
    land(village, list(story().values()))
    other = village.folder / "raw-april.mbox"
    mails = [Mail(name="april", at=MONDAY + 35 * DAY, author="Zed <zed@x.example>", subject="Hello", body="Hi")]
    other.write_text(mails[0].render(), encoding="utf-8")
    month = ArchiveMonth(list_id=LIST, month="2026-04", status="complete", fetched_at=WEEK, path=str(other))
    poll.read_months(village.parts.store, [Landed(month=month, stats="")], prefix="KIP", seen_at=WEEK)
    monkeypatch.setattr(version, "READING_RULES", 2)

    assert again(village, limit=1).counts["months_to_read_again"] == 1
    assert again(village, limit=1).counts["known"] == 1
    assert again(village, limit=1).counts["known"] == 0


def test_a_number_that_newer_rules_see_moves_the_mail_and_its_answers(
    village: Village, monkeypatch: pytest.MonkeyPatch
) -> None:
    talk = Mail(name="odd", at=MONDAY, author="Zed <zed@x.example>", subject="Proposal 77 on shelves", body="Look.")
    answer = Mail(
        name="re", at=MONDAY + DAY, author="Kim <kim@x.example>", subject="Re: shelves", body="I did.", answers="odd"
    )
    land(village, [talk, answer, *story().values()])

    def see(subject: str, *more: Any, **named: Any) -> Any:
        return parse_subject(subject.replace("Proposal 77", "KIP-77"), *more, **named)

    monkeypatch.setattr(reader, "parse_subject", see)
    monkeypatch.setattr(version, "READING_RULES", 2)
    again(village)

    with village.parts.store.begin() as session:
        ids = {m.message_id for m in load_facts(session, 77).messages}
    assert {"<odd@x.example>", "<re@x.example>"} <= ids


def test_mail_is_read_again_once_the_community_adds_a_tag_of_its_own(village: Village) -> None:
    mails = [replace(mail, subject=mail.subject.replace("[VOTE]", "[BALLOT]")) for mail in story().values()]
    land(village, mails)
    village.decide(EVENING)
    assert village.stage(EVENING) == Stage.DISCUSSION

    own = (("tag_vote", "ballot"),)
    report, later = again(village, tags=own), again(village, tags=own)
    village.decide(WEEK)

    assert report.counts["read_otherwise"] > 0
    assert later.counts["known"] == 0, "nothing is read a third time"
    assert village.stage(WEEK) == Stage.ACCEPTED
