"""One proposal's story: what comes late stands where it was recorded, and says from when on it holds."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

import pytest
from fastapi.testclient import TestClient
from lxml import html

from kipflow.domain.events import Actor, Evidence, Stage, Transition
from kipflow.domain.facts import Ruling, SilenceWarning
from kipflow.domain.pages import StatusWord
from kipflow.services.board import ProposalView, RecordedTransition
from kipflow.web.app import create_app
from kipflow.web.timeline import EntryKind, build_timeline
from kipflow.web.wording import say_run
from tests.web.community import NOW, PEOPLE, POLICY, ago, ballot, facts, page, poll
from tests.web.memory import MemoryBoard


def move(source: Stage | None, target: Stage, days: float, rule: str, **more: object) -> Transition:
    """An entry that holds from `days` ago on."""
    made = Transition(number=160, source=source, target=target, at=ago(d=days), rule=rule, actor=Actor.MAIL,
                      policy_version=POLICY.version)  # fmt: skip
    return replace(made, **more)  # type: ignore[arg-type]


OPENED = move(Stage.DISCUSSION, Stage.VOTE, 20, "vote-thread")
ACCEPTED = move(Stage.VOTE, Stage.ACCEPTED, 9, "result-agrees")
CORRECTION = move(
    Stage.ACCEPTED,
    Stage.VOTE,
    9,
    "correction",
    actor=Actor.CLOCK,
    note="later evidence retracts 1 entry: a mail came, up to 12 days late",
    retracts=(ACCEPTED.id,),
    evidence=(
        Evidence(kind="history", ref=ACCEPTED.id, line="result-agrees: Accepted"),
        Evidence(kind="message", ref="<late@x.example>", line="Kofi <Arthur>: I change my vote"),
    ),
)
#: What follows from the correction holds from a moment *before* that of the entry which was taken back.
CANCELLED = move(Stage.VOTE, Stage.DISCUSSION, 14, "vote-cancelled")
REVIVED = move(Stage.DISCUSSION, Stage.VOTE, 1, "vote-thread")


class Story(MemoryBoard):
    """One proposal with the history that a test gives."""

    def __init__(self, *history: RecordedTransition, **more: object) -> None:
        self._given = history
        super().__init__([facts(160, "Half an archive", created=ago(d=30), **more)])  # type: ignore[arg-type]

    def _history(self, held: object) -> tuple[RecordedTransition, ...]:
        return self._given


def recorded(entry: Transition, days: float, *, retracted: bool = False, run: str = "") -> RecordedTransition:
    return RecordedTransition(transition=entry, recorded_at=ago(d=days), retracted=retracted, run_id=run)


STORY = (
    recorded(OPENED, 20),
    recorded(ACCEPTED, 9, retracted=True),
    recorded(CORRECTION, 2, run="asset_triggered__2026-03-16T14:20:00.935423+00:00_Xy"),
    recorded(CANCELLED, 2),
    recorded(REVIVED, 1),
)


def view_of(board: MemoryBoard) -> ProposalView:
    return board.proposal(160, NOW)


def words_of(board: MemoryBoard) -> list[str]:
    answer = TestClient(create_app(lambda: board, clock=lambda: NOW)).get("/proposals/160")
    assert answer.status_code == 200
    entries = html.fromstring(answer.text).xpath("//ol[@class = 'timeline']/li")
    return [" ".join(e.text_content().split()) for e in entries]


def test_what_a_correction_brings_reads_in_the_order_in_which_it_was_recorded() -> None:
    shown = [e for e in build_timeline(view_of(Story(*STORY))) if e.target is not None]
    assert [e.recorded_at for e in shown] == sorted((r.recorded_at for r in STORY), reverse=True)
    assert [e.text for e in reversed(shown)] == [
        "a [VOTE] thread was started",
        "the vote passed and its result was announced",
        "later evidence disproved earlier entries",
        "its caller cancelled the vote",
        "a [VOTE] thread was started",
    ]


def test_a_page_that_was_saved_before_a_correction_stands_below_it() -> None:
    saved = page(160, "Half an archive", ago(d=5), 3, StatusWord.ACCEPTED, "Accepted")
    kinds = [e.kind for e in build_timeline(view_of(Story(*STORY, pages=(saved,))))]
    assert kinds == [
        EntryKind.MOVE,
        EntryKind.MOVE,
        EntryKind.CORRECTION,
        EntryKind.PAGE,
        EntryKind.MOVE,
        EntryKind.MOVE,
    ]


def test_history_that_was_only_recorded_late_stands_where_it_happened() -> None:
    """A first run records years at once: that corrects nothing."""
    ruled = Ruling(id=4, number=160, kind="snooze", target="KIP-160", value={"until": ago(d=1).isoformat()},
                   author="Ines", reason="on leave", made_at=ago(d=12))  # fmt: skip
    story = Story(recorded(OPENED, 1), recorded(ACCEPTED, 1), rulings=(ruled,))
    kinds = [e.kind for e in build_timeline(view_of(story)) if e.kind is not EntryKind.PAGE]
    assert kinds == [EntryKind.MOVE, EntryKind.RULING, EntryKind.MOVE]


def test_an_entry_shows_from_when_on_it_holds_and_when_it_was_recorded() -> None:
    newest, cancelled, correction, accepted = words_of(Story(*STORY))[:4]
    assert "holds as of 2026-03-04 14:20 UTC recorded 2026-03-16 14:20 UTC" in cancelled
    assert cancelled.startswith("2 d ago 2026-03-16"), "it was not known before"
    assert "holds as of 2026-03-17 14:20 UTC recorded 2026-03-17 14:20 UTC by mail" in newest
    assert "holds as of 2026-03-09 14:20 UTC taken back 2026-03-16 14:20 UTC recorded 2026-03-09 14:20 UTC" in accepted
    assert "recorded 2026-03-16 14:20 UTC by a run on new data" in correction
    assert "asset_triggered" not in correction


def test_an_entry_shows_by_which_policy_and_rules_it_was_made_where_that_is_known() -> None:
    newer, older = words_of(Story(recorded(OPENED, 20), replace(recorded(ACCEPTED, 9), decision_rules=3)))[:2]
    assert newer.endswith(f"policy {POLICY.version}, rules 3")
    assert older.endswith(f"policy {POLICY.version}")


def test_a_correction_says_what_it_retracts_and_which_facts_came() -> None:
    correction = words_of(Story(*STORY))[2]
    assert "Accepted → Vote correction because later evidence disproved earlier entries" in correction
    back = "It takes back: Accepted as of 2026-03-09 14:20 UTC, because the vote passed and its result was announced"
    assert back in correction
    assert "Kofi <Arthur>: I change my vote" in correction
    assert "result-agrees" not in correction, "a rule's name is for programs"
    assert "by clock" not in correction


def test_a_correction_that_leaves_the_stage_shows_it_once() -> None:
    """The page that a draft rested on was another's."""
    drafted = move(None, Stage.DRAFT, 30, "page-created", actor=Actor.PAGE)
    same = replace(CORRECTION, source=Stage.DRAFT, target=Stage.DRAFT, retracts=(drafted.id,))
    first = words_of(Story(recorded(drafted, 20, retracted=True), recorded(same, 2)))[0]
    assert "Draft correction because" in first
    assert "→" not in first


def test_a_warning_of_dormancy_stands_where_it_was_given_with_the_date_that_it_promised() -> None:
    given = SilenceWarning(quiet_since=ago(d=100), silent_at=ago(d=10), as_of=ago(d=10), warned_at=ago(d=10),
                           due_at=NOW + timedelta(days=4), recorded_at=ago(d=10), delivered_at=ago(d=10))  # fmt: skip
    words = words_of(Story(recorded(OPENED, 20), recorded(ACCEPTED, 9), warnings=(given,)))
    [place] = [i for i, word in enumerate(words) if "nobody has written since 2025-12-08" in word]
    assert "dormant on 2026-03-22 14:20 UTC at the earliest unless somebody writes" in words[place]
    assert words[place].startswith("10 d ago 2026-03-08")
    assert "Accepted" in words[place - 1]
    assert "[VOTE] thread was started" in words[place + 1]


@pytest.mark.parametrize(
    ("run", "words"),
    [
        ("manual__2026-11-21T21:25:35.923435+00:00", "by a run started by hand"),
        ("scheduled__2026-03-18T14:00:00+00:00", "by a scheduled run"),
        ("cli", "on the command line"),
        ("review", "after a ruling"),
        ("", ""),
        ("nightly", "by run nightly"),
    ],
)
def test_a_run_is_named_in_words(run: str, words: str) -> None:
    assert say_run(run) == words


@pytest.mark.parametrize(("lines", "offer"), [(4, None), (5, None), (6, "2 more lines"), (9, "5 more lines")])
def test_a_single_line_is_never_folded_away(lines: int, offer: str | None) -> None:
    evidence = tuple(Evidence(kind="ballot", ref=f"<{n}@x.example>", line=f"voter {n}: +1") for n in range(lines))
    board = Story(recorded(replace(ACCEPTED, evidence=evidence), 9))
    answer = TestClient(create_app(lambda: board, clock=lambda: NOW)).get("/proposals/160").text
    folded = html.fromstring(answer).xpath("//ol[@class = 'timeline']//summary/text()")
    assert folded == ([] if offer is None else [offer])
    assert answer.count("voter ") == lines


def test_a_round_that_was_replaced_is_called_so_and_shows_no_tally() -> None:
    opened = ago(d=12)
    cast = [ballot(160, name, opened + timedelta(hours=2), "+1 (binding)") for name in PEOPLE[:2]]
    first = poll(160, "Half an archive", opened, cast, ended_at=ago(d=6), ended_how="replaced")
    second = poll(160, "Half an archive", ago(d=6), round=2)
    board = MemoryBoard([facts(160, "Half an archive", created=ago(d=30), votes=[first, second])])
    answer = TestClient(create_app(lambda: board, clock=lambda: NOW)).get("/proposals/160")
    [round_1] = html.fromstring(answer.text).xpath("//section[@class = 'round'][contains(h2, 'round 1')]")
    text = " ".join(round_1.text_content().split())
    assert text.startswith("Vote, round 1 replaced")
    assert "This round was replaced 2026-03-12 14:20 UTC" in text
    assert "cancelled" not in text
    assert round_1.xpath(".//table[contains(@class, 'tally')]") == []
    assert round_1.xpath("string(.//summary)") == "2 ballots of this round"
