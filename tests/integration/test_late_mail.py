"""What comes late corrects history by new entries that say so, and people who heard otherwise hear of it."""

from __future__ import annotations

import json
import shlex
from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path

import pytest
from click.testing import CliRunner

from kipflow.adapters.deliverer import ThisProcess
from kipflow.cli import cli, run
from kipflow.domain.events import Stage
from kipflow.services import advance, deliver, index, replay, rulings
from kipflow.services.desk import ActContext
from kipflow.services.ingest import ingest_paths
from kipflow.services.ports import WikiPage
from kipflow.web.timeline import EntryKind, build_timeline
from kipflow.wiki.index_reading import parse_index_page
from kipflow.wiring import effect_rules
from tests.effect_kinds import index_kind
from tests.integration.late import AMARO, DAY, LIST, MONDAY, TITLE, Mail, Village, found, late_objections, story

pytestmark = pytest.mark.integration

WEEK = MONDAY + 12 * DAY


@pytest.fixture
def village(tmp_path: Path) -> Iterator[Village]:
    one = found(tmp_path)
    yield one
    one.parts.store.close()


def live_through(village: Village, mails: list[Mail], last: int = 6) -> None:
    """Each day's mail comes in the evening of its day, and is decided on."""
    for day in range(last):
        evening = MONDAY + (day + 0.9) * DAY
        village.receive([m for m in mails if evening - DAY < m.at <= evening], evening)
        village.decide(evening)


def agrees(village: Village) -> bool:
    report = replay.replay(village.parts.store, policy=village.parts.policy, start=None, end=WEEK + 30 * DAY)
    return report.differences == ()


def test_a_vote_that_is_lived_through_is_reported_as_it_happens(village: Village) -> None:
    live_through(village, list(story().values()))
    assert village.stage(WEEK) == Stage.ACCEPTED
    assert [text.partition("\n")[0] for _, text in village.channel.posted] == [
        "KIP-77: Draft",
        "KIP-77: Draft → Discussion",
        "KIP-77: Discussion → Vote",
        "KIP-77: the voting period is over: passed",
        "KIP-77: Vote → Accepted",
    ]


def test_objections_that_come_a_week_late_take_the_acceptance_back_and_say_so(village: Village) -> None:
    live_through(village, list(story().values()))
    stored = village.parts.store.proposal(77, WEEK).history

    village.receive(late_objections(), WEEK)
    village.decide(WEEK)

    view = village.parts.store.proposal(77, WEEK)
    assert village.stage(WEEK) != Stage.ACCEPTED
    before = [r.transition for r in stored]
    assert [r.transition for r in view.history[: len(before)]] == before, "no entry was edited"
    correction = next(r for r in view.history if r.transition.retracts)
    assert correction.recorded_at == WEEK
    assert "4 mails came, up to 10 days late" in correction.transition.note
    cited = [e.line for e in correction.transition.evidence if e.kind == "message"]
    assert any("Leila Okafor" in line and "of 2026-03-04" in line and "seen 2026-03-14" in line for line in cited)
    assert agrees(village)


def test_people_hear_that_an_acceptance_does_not_hold_when_a_person_lets_them(village: Village) -> None:
    live_through(village, list(story().values()))
    already_posted = len(village.channel.posted)

    village.receive(late_objections(), WEEK)
    village.decide(WEEK)

    held = [e for e in village.parts.store.effects(limit=500).rows if "corrected" in str(e.payload["text"])]
    assert [e.status for e in held] == ["held"]
    assert not [text for _, text in village.channel.posted[already_posted:] if "corrected" in text]
    with village.parts.store.begin() as session:
        session.outbox.release(held[0].key, by="ops", at=WEEK)
    village.decide(WEEK + DAY)
    text = village.channel.posted[-1][1]
    assert "KIP-77: corrected: Accepted →" in text
    assert "4 mails came, up to 10 days late" in text


def test_an_acceptance_that_waits_for_approval_is_withdrawn_when_it_no_longer_holds(village: Village) -> None:
    live_through(village, list(story().values()), last=5)
    village.receive([story()["result"]], MONDAY + 5.1 * DAY)
    approve = replace(effect_rules(village.parts), slack="approve")
    advance.advance_all(village.parts.store, policy=village.parts.policy, effects=approve, as_of=MONDAY + 5.2 * DAY)
    assert village.effects()["KIP-77: Vote → Accepted"] == "held"

    village.receive(late_objections(), WEEK)
    village.decide(WEEK)

    assert village.effects()["KIP-77: Vote → Accepted"] == "withdrawn"


def rule_stage(village: Village, stage: Stage, at: datetime) -> int:
    """An operator's word, dated back into the vote: what was accepted after it falls."""
    return rulings.settle(
        village.parts.store,
        number=77,
        kind="stage",
        target="KIP-77",
        value={"stage": stage},
        context=ActContext(author="ops", reason="it was said in the call", at=at),
    ).id


def find_corrections(village: Village) -> list[str]:
    rows = village.parts.store.effects(limit=500).rows
    return sorted(e.status for e in rows if "corrected" in str(e.payload["text"]))


def said_of(village: Village, already_posted: int) -> list[str]:
    """What the proposals' channel heard after `already_posted` messages; questions to operators are left out."""
    heard = [(channel, text.partition("\n")[0]) for channel, text in village.channel.posted[already_posted:]]
    return [text for channel, text in heard if channel == "#proposals"]


def test_a_held_correction_is_withdrawn_when_its_cause_is_revoked(village: Village) -> None:
    live_through(village, list(story().values()))
    ruling = rule_stage(village, Stage.DISCARDED, MONDAY + 2.5 * DAY)
    village.decide(WEEK)
    assert village.stage(WEEK) == Stage.DISCARDED
    assert find_corrections(village) == ["held"]
    already_posted = len(village.channel.posted)

    rulings.revoke(village.parts.store, ruling, ActContext(author="ops", reason="they meant it", at=WEEK + DAY))
    village.decide(WEEK + DAY)

    assert village.stage(WEEK + DAY) == Stage.ACCEPTED
    assert find_corrections(village) == ["withdrawn"]
    assert said_of(village, already_posted) == [], "nobody had heard that it fell: that it is accepted is no news"


def test_a_held_correction_that_is_overtaken_by_another_leaves_one_that_says_what_people_heard_last(
    village: Village,
) -> None:
    live_through(village, list(story().values()))
    village.receive(late_objections(), WEEK)
    village.decide(WEEK)
    assert find_corrections(village) == ["held"]
    rule_stage(village, Stage.DISCARDED, MONDAY + 3.5 * DAY)
    village.decide(WEEK + DAY)

    assert village.stage(WEEK + DAY) == Stage.DISCARDED
    assert find_corrections(village) == ["held", "withdrawn"]
    [held] = village.parts.store.effects(status="held", limit=500).rows
    assert "KIP-77: corrected: Accepted → Discarded" in str(held.payload["text"])


def test_a_missing_ballot_that_turns_up_carries_the_vote_at_the_moment_it_would_have(village: Village) -> None:
    mails = story()
    missing = mails.pop("three")
    live_through(village, list(mails.values()))
    assert village.stage(WEEK) == Stage.VOTE, "two of three: announced, but not borne out"

    village.receive([missing], WEEK)
    village.decide(WEEK)

    assert village.stage(WEEK) == Stage.ACCEPTED
    assert "2026-03-07 09:00:00 Vote → Accepted (result-agrees)" in village.lines()
    assert "Vote → Accepted" in village.channel.posted[-1][1], "news, though late: nobody had heard it"
    fresh = found(village.folder / "fresh")
    fresh.receive(list(story().values()), WEEK)
    fresh.decide(WEEK)
    assert village.ids() == fresh.ids(), "as if it had come in time"
    fresh.parts.store.close()


def test_a_missing_opening_mail_that_turns_up_gives_the_vote_its_beginning(village: Village) -> None:
    mails = story()
    opening = mails.pop("vote")
    live_through(village, list(mails.values()))
    assert village.stage(WEEK) != Stage.ACCEPTED, "mails before the first one seen may be missing too"

    village.receive([opening], WEEK)
    village.decide(WEEK)

    assert village.stage(WEEK) == Stage.ACCEPTED
    assert "2026-03-03 09:00:00 Discussion → Vote (vote-thread)" in village.lines()
    assert agrees(village)


def test_a_cancellation_seen_late_retracts_what_was_accepted_after_it(village: Village) -> None:
    live_through(village, list(story().values()))
    cancel = Mail(
        name="cancel",
        at=MONDAY + 3 * DAY,
        author=AMARO,
        subject=f"[CANCELLED] [VOTE] {TITLE}",
        body="I cancel this vote; a new one follows.",
        answers="vote",
    )

    village.receive([cancel], WEEK)
    village.decide(WEEK)

    assert village.stage(WEEK) == Stage.DISCUSSION
    assert "2026-03-05 09:00:00 Vote → Discussion (vote-cancelled)" in village.lines()
    assert "a mail came, up to 9 days late" in village.corrections(WEEK)[0]
    assert agrees(village)


def test_a_month_that_becomes_readable_lets_the_vote_close_when_it_should_have(village: Village) -> None:
    mails = story()
    live_through(village, list(mails.values()), last=4)
    village.receive([mails["result"]], MONDAY + 5.1 * DAY)
    village.hold(MONDAY + 5.1 * DAY, status="unreadable")
    village.decide(MONDAY + 5.1 * DAY)
    assert village.stage(WEEK) == Stage.VOTE
    assert any("the archive is incomplete" in line for line in village.parts.store.proposal(77, WEEK).missing)

    village.hold(WEEK)
    village.decide(WEEK)

    accepted = village.parts.store.proposal(77, WEEK).history[-1]
    assert (accepted.transition.at, accepted.recorded_at) == (MONDAY + 5 * DAY, WEEK)
    assert "Vote → Accepted" in village.channel.posted[-1][1]


def test_the_boards_timeline_shows_the_correction_and_what_it_took_back(village: Village) -> None:
    live_through(village, list(story().values()))
    village.receive(late_objections(), WEEK)
    village.decide(WEEK)

    timeline = build_timeline(village.parts.store.proposal(77, WEEK))

    correction = next(entry for entry in timeline if entry.kind is EntryKind.CORRECTION)
    assert "4 mails came, up to 10 days late" in correction.note
    assert any("Leila Okafor" in quote.line for quote in correction.quotes)
    assert correction.recorded_at == WEEK
    assert [entry.target for entry in timeline if entry.retracted] == [Stage.ACCEPTED]


def test_a_fuller_file_of_a_month_extends_what_is_held_of_it(village: Village) -> None:
    mails = list(story().values())
    for n, part in enumerate((mails[:5], mails)):
        path = village.folder / f"part{n}.mbox"
        path.write_text("".join(mail.render() for mail in part), encoding="utf-8")
        held, store = part[-1].at if n == 0 else WEEK, village.parts.store
        ingest_paths(store, [path], list_id=LIST, prefix="KIP", seen_at=WEEK, complete_through=held)
    village.decide(WEEK)
    assert village.stage(WEEK) == Stage.ACCEPTED


def test_status_and_replay_show_the_correction(village: Village, monkeypatch: pytest.MonkeyPatch) -> None:
    live_through(village, list(story().values()))
    village.receive(late_objections(), WEEK)
    village.decide(WEEK)
    village.settle_in(monkeypatch)

    shown = CliRunner().invoke(cli, ["status", "77"], standalone_mode=False)
    assert "4 mails came, up to 10 days late" in " ".join(shown.output.split())
    proved = CliRunner().invoke(cli, ["replay"], standalone_mode=False)
    assert proved.return_value == 0, proved.output


def test_review_lists_what_is_held_with_the_command_that_releases_it(
    village: Village, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    live_through(village, list(story().values()))
    village.receive(late_objections(), WEEK)
    village.decide(WEEK)
    village.settle_in(monkeypatch)

    assert run(["review", "--format", "json"]) == 1
    [row] = [r for r in json.loads(capsys.readouterr().out) if r["kind"] == "held"]
    assert row["proposal"] == "KIP-77"
    assert row["question"].startswith("KIP-77: corrected: Accepted →")

    assert run([*shlex.split(row["settle"])[1:], "--by", "ops", "--as-of", WEEK.isoformat()]) == 0
    village.decide(WEEK + DAY)
    assert "corrected" in village.channel.posted[-1][1]
    capsys.readouterr()
    run(["review", "--format", "json"])
    assert "held" not in {r["kind"] for r in json.loads(capsys.readouterr().out)}


def test_an_acceptance_that_comes_again_in_another_way_before_its_fall_was_reported_is_no_news(
    village: Village,
) -> None:
    live_through(village, list(story().values()))
    already_posted = len(village.channel.posted)
    rule_stage(village, Stage.DISCUSSION, MONDAY + 2.5 * DAY)
    village.decide(WEEK)
    assert find_corrections(village) == ["held"]

    rule_stage(village, Stage.ACCEPTED, WEEK + DAY)
    village.decide(WEEK + DAY)

    assert village.stage(WEEK + DAY) == Stage.ACCEPTED
    assert find_corrections(village) == ["withdrawn"]
    assert said_of(village, already_posted) == []


def test_what_follows_a_fall_that_nobody_let_go_waits_with_it_and_is_reported_as_one(village: Village) -> None:
    live_through(village, list(story().values()))
    already_posted = len(village.channel.posted)
    village.receive(late_objections(), WEEK)
    village.decide(WEEK)
    rule_stage(village, Stage.DISCARDED, WEEK + DAY)
    village.decide(WEEK + DAY)

    assert said_of(village, already_posted) == [], "people hold it for accepted still"
    assert find_corrections(village) == ["held", "withdrawn"]
    [held] = village.parts.store.effects(status="held", limit=500).rows
    assert "KIP-77: corrected: Accepted → Discarded" in str(held.payload["text"])
    with village.parts.store.begin() as session:
        session.outbox.release(held.key, by="ops", at=WEEK + 2 * DAY)
    village.decide(WEEK + 2 * DAY)
    assert said_of(village, already_posted) == ["KIP-77: corrected: Accepted → Discarded"]


def test_a_message_is_named_by_the_correction_that_it_sends_whatever_people_heard_before(village: Village) -> None:
    live_through(village, list(story().values()))
    village.receive(late_objections(), WEEK)
    village.decide(WEEK)
    rule_stage(village, Stage.DISCARDED, MONDAY + 3.5 * DAY)
    village.decide(WEEK + DAY)

    [held] = village.parts.store.effects(status="held", limit=500).rows
    entries = [r.transition for r in village.parts.store.proposal(77, WEEK + DAY).history]
    newest = [t for t in entries if t.retracts][-1]
    assert newest.source is not Stage.ACCEPTED, "people come from there, the history does not"
    assert held.key == f"KIP-77/{newest.id}/slack"


def test_an_acceptance_that_followed_again_unheard_counts_as_heard_when_it_is_corrected(village: Village) -> None:
    live_through(village, list(story().values()))
    first = rule_stage(village, Stage.DISCARDED, MONDAY + 2.5 * DAY)
    village.decide(WEEK)
    rulings.revoke(village.parts.store, first, ActContext(author="ops", reason="they meant it", at=WEEK + DAY))
    village.decide(WEEK + DAY)
    already_posted = len(village.channel.posted)

    rule_stage(village, Stage.DORMANT, MONDAY + 1.5 * DAY)
    village.decide(WEEK + 2 * DAY)
    assert village.stage(WEEK + 2 * DAY) == Stage.ACCEPTED, "somebody wrote again, and the vote went on"
    assert said_of(village, already_posted) == ["KIP-77: corrected: Accepted since 2026-03-07 09:00 UTC"]


def test_a_second_fall_waits_for_a_person_too_and_so_does_what_overtakes_it(village: Village) -> None:
    live_through(village, list(story().values()))
    first = rule_stage(village, Stage.DISCARDED, MONDAY + 2.5 * DAY)
    village.decide(WEEK)
    [held] = village.parts.store.effects(status="held", limit=500).rows
    with village.parts.store.begin() as session:
        session.outbox.release(held.key, by="ops", at=WEEK)
    rulings.revoke(village.parts.store, first, ActContext(author="ops", reason="they meant it", at=WEEK + DAY))
    village.decide(WEEK + DAY)
    already_posted = len(village.channel.posted)

    rule_stage(village, Stage.DISCUSSION, MONDAY + 2.5 * DAY)
    village.decide(WEEK + 2 * DAY)
    second = rule_stage(village, Stage.DISCARDED, MONDAY + 2.4 * DAY)
    village.decide(WEEK + 3 * DAY)
    assert said_of(village, already_posted) == []
    assert village.parts.store.effects(status="held", limit=500).total == 1

    for ruling in (second, second - 1):
        rulings.revoke(village.parts.store, ruling, ActContext(author="ops", reason="typed wrong", at=WEEK + 4 * DAY))
    village.decide(WEEK + 4 * DAY)
    assert village.stage(WEEK + 4 * DAY) == Stage.ACCEPTED
    assert said_of(village, already_posted) == [], "people heard that it is accepted, and it is"
    assert village.parts.store.effects(status="held", limit=500).total == 0


def test_a_word_that_lets_an_acceptance_fall_says_so_with_the_command_that_lets_people_hear_of_it(
    village: Village, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    live_through(village, list(story().values()))
    village.settle_in(monkeypatch)
    when = (MONDAY + 2.5 * DAY).isoformat()
    capsys.readouterr()

    assert run(["review", "stage", "77", "discarded", "--reason", "said in the call", "--as-of", when]) == 0
    first, *_, last = capsys.readouterr().out.splitlines()
    assert first == "ruling 1 recorded; KIP-77 is now: Discarded"
    said = "  KIP-77: its acceptance was retracted; this is announced only after `kipflow -C sandbox review "
    assert last.startswith(said)
    assert run(["review", *shlex.split(last.removeprefix(said).rstrip("`"))]) == 0


@dataclass(slots=True)
class Round:
    """A wiki that holds the index page."""

    page: WikiPage

    def fetch_page(self, page_id: str) -> WikiPage:
        return self.page

    def save_page(self, page: WikiPage, *, body: str, message: str) -> WikiPage:
        self.page = replace(page, body=body, version=page.version + 1)
        return self.page


def find_row(wiki: Round) -> str:
    return next(e.section for e in parse_index_page(wiki.page.body, "KIP", WEEK).entries if e.number == 77)


@pytest.mark.parametrize("slack", ["send", "off"])
def test_the_index_keeps_a_row_whose_acceptance_fell_until_a_person_releases_that(village: Village, slack: str) -> None:
    village.slack = slack
    live_through(village, list(story().values()))
    store = village.parts.store
    body = index.render_board_index(store, prefix="KIP", form="confluence", as_of=WEEK)
    wiki = Round(
        page=WikiPage(page_id="5", version=1, title="KIPs", body=body, saved_at=WEEK, saved_by="ops", labels=())
    )
    assert find_row(wiki) == "accepted"

    def edit(at: datetime) -> int:
        kind = index_kind(store, wiki, "5", at)
        done = kind.plan()
        deliver.deliver(store, {"index": kind}, now=at, by=ThisProcess())
        return done.counts["edits"]

    village.receive(late_objections(), WEEK)
    village.decide(WEEK)
    assert village.stage(WEEK) != Stage.ACCEPTED
    assert edit(WEEK) == 0
    assert find_row(wiki) == "accepted", "nobody let it go yet"

    [held] = store.effects(status="held", limit=500).rows
    with store.begin() as session:
        session.outbox.release(held.key, by="ops", at=WEEK)
    edit(WEEK + DAY)
    assert find_row(wiki) == "discarded", "rejected: four against three"


@pytest.mark.parametrize("slack", ["send", "off"])
def test_the_index_is_left_alone_when_a_fall_is_revoked_before_anybody_released_it(
    village: Village, slack: str
) -> None:
    village.slack = slack
    live_through(village, list(story().values()))
    store = village.parts.store
    fallen = rule_stage(village, Stage.DISCARDED, MONDAY + 2.5 * DAY)
    village.decide(WEEK)
    assert store.effects(status="held", limit=500).total == 1

    rulings.revoke(store, fallen, ActContext(author="ops", reason="they meant it", at=WEEK + DAY))
    village.decide(WEEK + DAY)
    assert village.stage(WEEK + DAY) == Stage.ACCEPTED
    assert store.effects(status="held", limit=500).total == 0
    body = index.render_board_index(store, prefix="KIP", form="confluence", as_of=WEEK)
    wiki = Round(
        page=WikiPage(page_id="5", version=1, title="KIPs", body=body, saved_at=WEEK, saved_by="ops", labels=())
    )
    done = index_kind(store, wiki, "5", WEEK + DAY).plan()
    assert done.counts["edits"] == 0


def test_an_acceptance_that_fell_in_dry_run_waits_for_a_person_when_sending_is_switched_on(village: Village) -> None:
    live_through(village, list(story().values()))
    store = village.parts.store
    body = index.render_board_index(store, prefix="KIP", form="confluence", as_of=WEEK)
    wiki = Round(
        page=WikiPage(page_id="5", version=1, title="KIPs", body=body, saved_at=WEEK, saved_by="ops", labels=())
    )
    village.receive(late_objections(), WEEK)
    dry = replace(effect_rules(village.parts), sends=False)
    advance.advance_all(store, policy=village.parts.policy, effects=dry, as_of=WEEK)
    index_kind(store, wiki, "5", WEEK, sends=False).plan()
    assert store.effects(status="held", limit=500).total == 0, "in dry-run nothing waits"

    def edit(at: datetime) -> None:
        kind = index_kind(store, wiki, "5", at)
        kind.plan()
        deliver.deliver(store, {"index": kind}, now=at, by=ThisProcess())

    edit(WEEK + DAY)
    assert find_row(wiki) == "accepted"
    [held] = store.effects(status="held", limit=500).rows
    assert "KIP-77: its acceptance was retracted while nothing was sent" in str(held.payload["text"])
    with store.begin() as session:
        session.outbox.release(held.key, by="ops", at=WEEK + DAY)
    edit(WEEK + 2 * DAY)
    assert find_row(wiki) == "discarded"
