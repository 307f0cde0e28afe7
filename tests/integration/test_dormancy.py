"""Over the store: nobody's proposal goes dormant without a word, whenever kipflow ran, crashed or was away."""

from __future__ import annotations

import itertools
import json
from collections.abc import Iterator
from dataclasses import replace
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa
from hypothesis import HealthCheck, given
from hypothesis import strategies as st

from kipflow.adapters.store.history import SqlHistory
from kipflow.cli import run
from kipflow.domain.clocks import list_months
from kipflow.domain.errors import Refused
from kipflow.domain.events import Stage, Transition
from kipflow.domain.facts import ArchiveMonth, SilenceWarning
from kipflow.services import advance, replay, rulings
from kipflow.services.desk import ActContext
from kipflow.web.timeline import EntryKind, build_timeline
from kipflow.wiring import effect_rules
from tests.examples import examples
from tests.integration.late import AMARO, DAY, LIST, MONDAY, TITLE, VOGEL, Channel, Mail, Village, found

pytestmark = pytest.mark.integration

#: The sandbox's policy: 90 days of silence, then 14 of grace.
TALK = Mail(name="talk", at=MONDAY, author=AMARO, subject=f"[DISCUSS] {TITLE}", body="What do you think of it?")
SILENT, GRACE = MONDAY + 90 * DAY, 14 * DAY
#: The last moment at which dormancy is history to a first run.
DUE = SILENT + GRACE


def answer(name: str, at: datetime) -> Mail:
    return Mail(name=name, at=at, author=VOGEL, subject=f"Re: [DISCUSS] {TITLE}", body="I like it.", answers="talk")


@pytest.fixture
def village(tmp_path: Path) -> Iterator[Village]:
    one = found(tmp_path)
    one.receive([TALK], MONDAY + DAY / 2)
    yield one
    one.parts.store.close()


def read_archive(village: Village, at: datetime) -> None:
    """Every month up to `at` is held to its end."""
    with village.parts.store.begin() as session:
        for month in list_months(f"{MONDAY:%Y-%m}", f"{at:%Y-%m}"):
            session.mail.save_month(ArchiveMonth(list_id=LIST, month=month, status="complete", fetched_at=at))


def look(village: Village, at: datetime) -> None:
    """The archive is read and it is decided, both at `at`."""
    read_archive(village, at)
    village.decide(at)


def promise(due: datetime) -> str:
    """What is said of a silence since the first mail."""
    date = f"{due:%Y-%m-%d %H:%M} UTC"
    return f"nobody has written since 2026-03-02; dormant on {date} at the earliest unless somebody writes"


UNWARNED = "nobody was warned yet; dormant 14 days after the warning is delivered"


def warnings(village: Village, at: datetime = MONDAY + 2_000 * DAY) -> tuple[SilenceWarning, ...]:
    return village.parts.store.proposal(77, at).warnings


def warned_texts(village: Village) -> list[str]:
    """What was posted of silence, one line each."""
    return [text.partition("\n")[0] for _, text in village.channel.posted if "nobody has written" in text]


def agrees(village: Village, at: datetime) -> bool:
    return replay.replay(village.parts.store, policy=village.parts.policy, start=None, end=at).differences == ()


# -- when kipflow was there, and when it was not ----------------------------------------------------------
def test_a_first_run_late_in_the_silence_warns_and_gives_the_whole_grace(village: Village) -> None:
    first = SILENT + 6 * DAY
    look(village, first)
    assert village.stage(first) == Stage.DISCUSSION
    assert warned_texts(village) == [f"KIP-77: {promise(first + GRACE)}"]
    look(village, DUE + DAY)
    assert village.stage(DUE + DAY) == Stage.DISCUSSION, "it would have been dormant without a word"
    assert agrees(village, DUE + DAY)
    look(village, first + GRACE)
    assert village.lines()[-1] == f"{first + GRACE:%Y-%m-%d %H:%M:%S} Discussion → Dormant (silence)"
    assert len(warned_texts(village)) == 1
    assert agrees(village, first + GRACE)


def test_a_first_run_years_later_finds_the_dormancy_of_then_and_informs_nobody(village: Village) -> None:
    today = MONDAY + 900 * DAY
    look(village, today)
    assert village.lines()[-1] == f"{DUE:%Y-%m-%d %H:%M:%S} Discussion → Dormant (silence)"
    assert (warnings(village), village.channel.posted) == ((), [])
    look(village, today + DAY)
    assert agrees(village, today + DAY)


def test_kipflow_away_over_the_whole_grace_warns_on_its_return(village: Village) -> None:
    look(village, MONDAY + DAY)
    back = SILENT + 200 * DAY
    look(village, back)
    assert village.stage(back) == Stage.DISCUSSION
    assert [(w.warned_at, w.due_at) for w in warnings(village)] == [(back, back + GRACE)]
    assert agrees(village, back)
    look(village, back + GRACE)
    assert village.parts.store.proposal(77, back + GRACE).since == back + GRACE
    assert agrees(village, back + GRACE)


def test_who_is_there_in_time_warns_on_the_day_and_again_in_the_next_silence(village: Village) -> None:
    for day in (1, 90, 104):
        look(village, MONDAY + day * DAY)
    assert village.stage(DUE) == Stage.DORMANT
    village.receive([answer("again", MONDAY + 150 * DAY)], MONDAY + 150 * DAY)
    for day in (150, 240, 253):
        look(village, MONDAY + day * DAY)
    assert village.stage(MONDAY + 253 * DAY) == Stage.DISCUSSION
    look(village, MONDAY + 254 * DAY)
    assert village.stage(MONDAY + 254 * DAY) == Stage.DORMANT
    assert [(w.warned_at - MONDAY).days for w in warnings(village)] == [90, 240]
    assert len(warned_texts(village)) == 2


def test_nothing_is_warned_of_while_the_mail_of_that_time_is_not_held(village: Village) -> None:
    look(village, MONDAY + DAY)
    village.decide(SILENT + DAY)
    assert warnings(village) == ()
    look(village, SILENT + 2 * DAY)
    assert [w.warned_at for w in warnings(village)] == [SILENT + 2 * DAY]


# -- what takes the ground from it ----------------------------------------------------------------------
def test_late_mail_takes_the_warning_back_where_it_was_not_sent(village: Village) -> None:
    village.slack = "approve"
    look(village, MONDAY + DAY)
    look(village, SILENT)
    [warned] = [e for e in village.parts.store.effects(limit=50).rows if "/warning/" in e.key]
    assert warned.status == "held"
    village.receive([answer("late", MONDAY + 50 * DAY)], SILENT + DAY)
    look(village, SILENT + DAY)
    [withdrawn] = [e for e in village.parts.store.effects(limit=50).rows if "/warning/" in e.key]
    assert (withdrawn.status, withdrawn.last_error) == ("withdrawn", "its silence is over, or its date has passed")
    look(village, DUE + DAY)
    assert village.stage(DUE + DAY) == Stage.DISCUSSION
    assert agrees(village, DUE + DAY)


def test_late_mail_that_denies_a_silence_takes_a_dormancy_back(village: Village) -> None:
    for day in (1, 90, 104):
        look(village, MONDAY + day * DAY)
    village.receive([answer("late", MONDAY + 50 * DAY)], MONDAY + 110 * DAY)
    look(village, MONDAY + 110 * DAY)
    assert village.stage(MONDAY + 110 * DAY) == Stage.DISCUSSION
    assert "a mail came, up to 60 days late" in village.corrections(MONDAY + 110 * DAY)[0]
    for day in (140, 153, 154):
        look(village, MONDAY + day * DAY)
    assert village.parts.store.proposal(77, MONDAY + 154 * DAY).since == MONDAY + 154 * DAY
    assert len(warned_texts(village)) == 2
    assert agrees(village, MONDAY + 154 * DAY)


def test_a_snooze_takes_the_date_back_and_its_end_warns_anew(village: Village) -> None:
    for day in (1, 90):
        look(village, MONDAY + day * DAY)
    until = SILENT + 30 * DAY
    rulings.settle(
        village.parts.store, number=77, kind="snooze", target="KIP-77", value={"until": until.isoformat()},
        context=ActContext(author="ops", reason="the author is away", at=SILENT + DAY),
    )  # fmt: skip
    for at in (SILENT + DAY, DUE + DAY, until, until + GRACE - DAY):
        look(village, at)
        assert village.stage(at) == Stage.DISCUSSION
    look(village, until + GRACE)
    assert village.stage(until + GRACE) == Stage.DORMANT
    assert [w.due_at for w in warnings(village)] == [DUE, until + GRACE]
    assert agrees(village, until + GRACE)


# -- one transaction, also in dry-run --------------------------------------------------------------------
def test_dying_before_the_end_of_the_transaction_leaves_no_warning_and_the_next_run_gives_it(
    village: Village, monkeypatch: pytest.MonkeyPatch
) -> None:
    look(village, MONDAY + DAY)

    class Died(Exception):
        """The power goes."""

    def die(*_: object, **__: object) -> None:
        raise Died

    with monkeypatch.context() as failing:
        failing.setattr(SqlHistory, "save_decision", die)
        with pytest.raises(Died):
            look(village, SILENT)
    assert (warnings(village), warned_texts(village)) == ((), [])
    look(village, SILENT + DAY / 24)
    assert [w.warned_at for w in warnings(village)] == [SILENT + DAY / 24]
    assert len(warned_texts(village)) == 1
    look(village, SILENT + DAY / 12)
    assert len(warned_texts(village)) == len(warnings(village)) == 1


def test_dry_run_shows_what_would_follow_and_makes_nothing_dormant_because_nobody_was_warned(village: Village) -> None:
    dry = replace(effect_rules(village.parts), sends=False)
    for at in (MONDAY + DAY, SILENT, DUE, DUE + 300 * DAY):
        read_archive(village, at)
        advance.advance_all(village.parts.store, policy=village.parts.policy, effects=dry, as_of=at)
        assert village.stage(at) == Stage.DISCUSSION
        assert agrees(village, at)
    assert [e.status for e in village.parts.store.effects(limit=50).rows if "/warning/" in e.key] == ["skipped"]
    shown = village.parts.store.proposal(77, DUE + 300 * DAY)
    assert shown.missing[-1] == f"silent for 404 days; {UNWARNED}"
    [entry] = [e for e in build_timeline(shown) if e.kind is EntryKind.WARNING]
    assert entry.note == f"{promise(DUE)} (would be warned; dry-run: nobody was)"


def test_who_switches_sending_on_warns_within_a_day_and_gives_the_whole_grace(village: Village) -> None:
    dry = replace(effect_rules(village.parts), sends=False)
    for at in (MONDAY + DAY, SILENT, DUE):
        read_archive(village, at)
        advance.advance_all(village.parts.store, policy=village.parts.policy, effects=dry, as_of=at)
    on = DUE + DAY
    look(village, on)
    assert warned_texts(village) == [f"KIP-77: {promise(on + GRACE)}"]
    look(village, on + DAY)
    assert [w.delivered_at for w in warnings(village)] == [on]
    look(village, on + GRACE)
    assert village.parts.store.proposal(77, on + GRACE).since == on + GRACE
    assert agrees(village, on + GRACE)
    assert len(warned_texts(village)) == 1


class Closed(Channel):
    """A chat that refuses every message."""

    def post(self, *_: object, **__: object) -> str:
        raise Refused(service="Slack", url="https://chat.example", why="channel_not_found")


# -- a person is warned, not a row ------------------------------------------------------------------------
def held_warning(village: Village) -> str:
    """The key of the warning that waits for approval since day 90."""
    village.slack = "approve"
    look(village, MONDAY + DAY)
    look(village, SILENT)
    [effect] = [e for e in village.parts.store.effects(status="held").rows if "/warning/" in e.key]
    return effect.key


def test_a_held_warning_makes_nothing_dormant_and_the_grace_begins_when_it_is_delivered(village: Village) -> None:
    key = held_warning(village)
    late = SILENT + 40 * DAY
    look(village, late)
    assert village.stage(late) == Stage.DISCUSSION
    assert village.parts.store.proposal(77, late).warned_at is None
    with village.parts.store.begin() as session:
        session.outbox.release(key, by="ops", at=late)
    look(village, late)
    assert len(warned_texts(village)) == 1
    look(village, late + GRACE - DAY)
    seen = village.parts.store.proposal(77, late + GRACE - DAY)
    assert (seen.stage, seen.warned_at) == (Stage.DISCUSSION, late)
    look(village, late + GRACE)
    assert village.parts.store.proposal(77, late + GRACE).since == late + GRACE
    assert agrees(village, late + GRACE)
    assert agrees(village, late), "no past date knows of a delivery that was to come"


def test_a_warning_that_is_given_up_makes_nothing_dormant_until_it_is_released(village: Village) -> None:
    look(village, MONDAY + DAY)

    village.channel = Closed()
    for day in range(8):
        look(village, SILENT + day * DAY)
    [effect] = [e for e in village.parts.store.effects(limit=50).rows if "/warning/" in e.key]
    assert effect.status == "failed"
    look(village, DUE + 100 * DAY)
    assert village.stage(DUE + 100 * DAY) == Stage.DISCUSSION
    assert agrees(village, DUE + 100 * DAY)


def test_a_delivery_is_one_fact_that_nobody_edits(village: Village) -> None:
    for day in (1, 90):
        look(village, MONDAY + day * DAY)
    assert [w.delivered_at for w in warnings(village)] == [SILENT]
    for statement in ("UPDATE warning_delivery SET delivered_at = silent_at", "DELETE FROM warning_delivery"):
        with pytest.raises(sa.exc.DBAPIError, match="append-only"), village.parts.store.begin() as session:
            session.connection.execute(sa.text(statement))


def test_looking_warns_nobody(village: Village) -> None:
    look(village, MONDAY + DAY)
    read_archive(village, SILENT + DAY)
    parts = village.parts
    decision, _ = advance.preview(parts.store, 77, policy=parts.policy, as_of=SILENT + DAY)
    assert decision.missing[-1] == f"silent for 91 days; {UNWARNED}"
    seen = advance.look_back(parts.store, 77, policy=parts.policy, as_of=SILENT + DAY)
    assert seen.missing[-1] == "silent for 91 days; nobody has been warned of it yet"
    assert agrees(village, SILENT + DAY)
    assert warnings(village) == ()


# -- past dates -----------------------------------------------------------------------------------------
STEP = timedelta(hours=60)
_folders = itertools.count()


@examples(8, HealthCheck.function_scoped_fixture)
@given(spoken=st.sets(st.integers(1, 300), max_size=3), away=st.integers(0, 60), length=st.integers(0, 40))
def test_a_backfill_gives_the_history_of_runs_at_the_time_ids_included(
    tmp_path: Path, spoken: set[int], away: int, length: int
) -> None:
    mails = [TALK, *(answer(f"a{day}", MONDAY + day * DAY) for day in sorted(spoken))]
    dates = [MONDAY + DAY + n * STEP for n in range(150) if not away <= n < away + length]
    today = dates[-1]
    folder = tmp_path / str(next(_folders))
    live, later = found(folder / "live"), found(folder / "later")
    later.receive(mails, today)
    read_archive(later, today)
    for since, at in itertools.pairwise([MONDAY - DAY, *dates]):
        live.receive([m for m in mails if since < m.at <= at], at)
        read_archive(live, at)
        live.decide(at)
        later.decide(at, now=today)

    # a gap of more than the grace is a downtime; to who makes dates up, what fell due in it is history
    gap = length * STEP > GRACE
    if not gap:
        assert later.ids() == live.ids()
        assert [w.as_of for w in warnings(later)] == [w.as_of for w in warnings(live)]
    assert agrees(live, today)
    assert agrees(later, today)
    assert all(w.due_at is None or w.due_at <= today or w.due_at >= today + GRACE for w in warnings(later))
    assert not any(t.retracts for one in (live, later) for t in history(one)), "nothing had to be corrected"
    live.parts.store.close()
    later.parts.store.close()


def history(village: Village) -> tuple[Transition, ...]:
    with village.parts.store.read() as session:
        return session.history.load(77)


def test_dates_made_up_for_up_to_today_promise_the_whole_grace_from_today(village: Village) -> None:
    today = SILENT + 10 * DAY
    read_archive(village, today)
    for day in range(1, 101):
        village.decide(MONDAY + day * DAY, now=today)
    [given] = warnings(village)
    assert (given.as_of, given.warned_at, given.due_at) == (SILENT, today, today + GRACE)
    assert warned_texts(village) == [f"KIP-77: {promise(today + GRACE)}"]
    look(village, DUE + DAY)
    assert village.stage(DUE + DAY) == Stage.DISCUSSION
    look(village, today + GRACE)
    assert village.stage(today + GRACE) == Stage.DORMANT


def test_a_backfill_over_a_downtime_makes_nothing_dormant_without_a_word(village: Village) -> None:
    look(village, MONDAY + DAY)
    today = MONDAY + 200 * DAY
    read_archive(village, today)
    for day in range(2, 201):
        village.decide(MONDAY + day * DAY, now=today)
    assert village.stage(today) == Stage.DISCUSSION
    assert [w.due_at for w in warnings(village)] == [today + GRACE]
    assert len(warned_texts(village)) == 1


def test_a_past_silence_that_ended_since_is_made_up_for_without_a_message(village: Village) -> None:
    today = SILENT + 10 * DAY
    village.receive([answer("again", SILENT + 5 * DAY)], today)
    read_archive(village, today)
    for day in range(1, 101):
        village.decide(MONDAY + day * DAY, now=today)
    assert len(warnings(village)) == 1
    assert warned_texts(village) == []


def test_another_policy_is_compared_as_if_everybody_had_been_warned_in_time(village: Village) -> None:
    look(village, MONDAY + DAY)
    back = SILENT + 200 * DAY
    look(village, back)
    store, policy = village.parts.store, village.parts.policy

    def compare(**change: Any) -> list[tuple[str, str, str]]:
        other = replace(policy, **change)
        report = replay.compare_rules(store, store, policy=policy, other_policy=other, end=back)
        return [(d.entry, d.stored.partition(" UTC")[0], d.rebuilt.partition(" UTC")[0]) for d in report.differences]

    assert compare(quorum=7) == [], "that nobody was there to warn is no matter of policy"
    assert compare(dormant_after=100 * DAY) == [
        ("date", f"Dormant since {DUE:%Y-%m-%d %H:%M}", f"Dormant since {DUE + 10 * DAY:%Y-%m-%d %H:%M}")
    ]
    assert compare(dormant_after=None) == [
        ("stage", f"Dormant since {DUE:%Y-%m-%d %H:%M}", f"Discussion since {MONDAY:%Y-%m-%d %H:%M}")
    ]


# -- where it is shown ----------------------------------------------------------------------------------
def test_the_warning_is_an_entry_of_the_timeline_with_the_date_that_it_promised(
    village: Village, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    village.settle_in(monkeypatch)
    for day in (1, 90, 104):
        look(village, MONDAY + day * DAY)
    shown = [e for e in build_timeline(village.parts.store.proposal(77, DUE)) if e.kind is EntryKind.WARNING]
    note = f"{promise(DUE)} (delivered on {SILENT:%Y-%m-%d %H:%M} UTC)"
    assert [(e.at, e.note, e.recorded_at) for e in shown] == [(SILENT, note, SILENT)]

    def status(*more: str) -> str:
        capsys.readouterr()
        assert run(["status", "77", "--known-at", f"{DUE + DAY:%Y-%m-%d}", *more]) == 0
        return capsys.readouterr().out

    assert json.loads(status("--format", "json"))["warnings"] == [
        {
            "warned_at": f"{SILENT:%Y-%m-%dT%H:%M:%SZ}",
            "quiet_since": f"{MONDAY:%Y-%m-%dT%H:%M:%SZ}",
            "silent_at": f"{SILENT:%Y-%m-%dT%H:%M:%SZ}",
            "due_at": f"{DUE:%Y-%m-%dT%H:%M:%SZ}",
            "recorded_at": f"{SILENT:%Y-%m-%dT%H:%M:%SZ}",
            "delivered_at": f"{SILENT:%Y-%m-%dT%H:%M:%SZ}",
            "delivery": f"delivered on {SILENT:%Y-%m-%d %H:%M} UTC",
        }
    ]
    rows = status("--format", "csv").splitlines()
    assert [row.split(",")[3] for row in rows[1:]] == ["number-taken", "discuss-thread", "warning", "silence"]
    assert "author warned" in status()
    capsys.readouterr()
    assert run(["status", "77", "--known-at", f"{SILENT - DAY:%Y-%m-%d}", "--format", "json"]) == 0
    assert json.loads(capsys.readouterr().out)["warnings"] == [], "it had not been given by then"
