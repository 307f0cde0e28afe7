"""Each kind of message as it goes out, in `tests/data/slack/KIND.json`, within what Slack takes.

After a change that is meant: `SLACK_GOLDEN=write pytest tests/unit/services/test_slack_goldens.py`, and read the diff.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Mapping
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from slack_sdk.models.blocks import Block

from kipflow.domain.errors import ServiceUnavailable
from kipflow.domain.events import Stage, reconcile
from kipflow.domain.facts import MailKind, ProposalFacts
from kipflow.domain.messagekinds import ALWAYS_SENT, MESSAGE_KINDS
from kipflow.domain.pagefaults import PageFault
from kipflow.domain.pages import StatusWord
from kipflow.domain.policy import PageChanges, Policy
from kipflow.domain.proposals import Proposal
from kipflow.domain.tally import Outcome
from kipflow.domain.votes import BallotStatus
from kipflow.services.alerts import Failure, render_failure
from kipflow.services.assembly import CommunityRules
from kipflow.services.board import BoardRow, ProposalView, VoteClock
from kipflow.services.checks import find_fault_effects
from kipflow.services.conditions import Condition, report_conditions
from kipflow.services.digests import Week, render_digest
from kipflow.services.effectrules import EffectRules
from kipflow.services.effects import PriorNews, find_effects
from kipflow.services.ports import CheckedPage, Effect
from kipflow.services.settling import find_release_commands, find_release_ways, list_answers, offer
from kipflow.services.slack_messages import build_message, render_approval
from kipflow.services.votecards import keep_cards
from tests.memory_store import MemoryStore, as_row
from tests.unit.domain.building import (
    POLICY,
    TALKED,
    YES,
    at,
    ballot,
    decided,
    facts,
    followed,
    mail,
    page,
    poll,
    result,
)

FOLDER = Path(__file__).parents[2] / "data" / "slack"
RULES = EffectRules(
    prefix="KIP",
    sends=True,
    slack="send",
    channel="#kips",
    operators="#ops",
    board_url="https://air.example/kipflow",
    program="kipflow -C sandbox",
    buttons=True,
)
MAX_BLOCKS, MAX_SECTION, MAX_TEXT, MAX_LABEL, MAX_VALUE = 50, 3_000, 40_000, 75, 2_000


def report(known: ProposalFacts, day: float, policy: Policy = POLICY, **more: Any) -> list[Effect]:
    links = tuple(
        replace(m, permalink=f"https://lists.example/thread/{n}") for n, m in enumerate(known.messages, start=1)
    )
    proposal = replace(known.proposal, page_url="https://wiki.example/pages/7")
    known = replace(known, proposal=proposal, messages=links, followed_since=at(0))
    decision = decided(known, policy, day)
    before = decided(known, policy, day - 0.2).history if day > 0.2 else ()
    appended = reconcile(before, decision.history)
    return find_effects(decision, appended, RULES, about=known, **more)


def find(kind: str, effects: list[Effect]) -> Mapping[str, Any]:
    return next(effect.payload for effect in effects if effect.payload["kind"] == kind)


def write_news() -> Mapping[str, Any]:
    voted = facts(**TALKED, votes=(poll(4, YES[0]),))
    [card] = [e for e in report(voted, 4.15) if e.payload["kind"] == "vote"]
    row = as_row(card, "sent", at(4), external_ref="C1/1")
    more = facts(**TALKED, votes=(poll(4, *YES[:2]),))
    [(_, _, [news])] = keep_cards([row], decided(more, POLICY, 4.5), more, RULES)
    return news.payload


def write_warning() -> Mapping[str, Any]:
    sleepy = replace(POLICY, dormant_after=timedelta(days=90), grace=timedelta(days=14))
    known = followed(facts(pages=(page(0),), messages=(mail(1, MailKind.DISCUSS),)), sleepy, 2, 91)
    by_nia = replace(known, proposal=replace(known.proposal, author="Nia Holt"))
    return find("dormancy", report(by_nia, 91, sleepy, notice=known.warnings[0]))


def write_correction() -> Mapping[str, Any]:
    accepted = facts(**TALKED, votes=(poll(4, *YES, declared=result(8)),))
    before = decided(accepted, POLICY, 8.5)
    after_facts = facts(**TALKED, votes=(poll(4, *YES[:2], declared=result(8)),))
    after = decided(after_facts, POLICY, 8.6)
    appended = reconcile(before.history, after.history)
    prior = PriorNews(taken_back={t.id: before.stage for t in appended if t.retracts})
    return find("correction", find_effects(after, appended, RULES, prior=prior, about=after_facts))


def write_faults() -> Mapping[str, Any]:
    checked = CheckedPage(
        page_id="70",
        number=7,
        version=2,
        title="KIP-7: Faster fences",
        saved_at=at(2),
        status=StatusWord.DISCUSSION,
        stage=None,
        ticket=None,
        is_ticket_missing=False,
        others=(),
        judged=None,
    )
    fault = PageFault(code="K03", place="Motivation", what="still the template's text", fix="say why", severity="error")
    return find_fault_effects(checked, [fault], RULES, at(2))[0].payload


def write_digest() -> Mapping[str, Any]:
    known: dict[str, Any] = {"author": "Nia Holt", "decided_at": at(7), "since": at(4)}
    lacks = ("needs 1 more binding +1",)
    tally = decided(facts(**TALKED, votes=(poll(4, *YES[:2]),)), POLICY, 4.5).votes[-1].tally
    clock = VoteClock(round=1, opened_at=at(4), earliest_close=at(7), quorum=3, outcome=Outcome.OPEN, tally=tally)
    open_vote = BoardRow(
        number=7,
        key="KIP-7",
        title="Faster fences",
        stage=Stage.VOTE,
        clock=clock,
        missing=lacks,
        **known,
    )
    silent = BoardRow(
        number=8,
        key="KIP-8",
        title="<!here> gates",
        stage=Stage.DISCUSSION,
        warned_at=at(6),
        next_deadline=at(20),
        **known,
    )
    accepted = decided(VOTED, POLICY, 8.5)
    view = ProposalView(
        key="KIP-9",
        proposal=Proposal(number=9, title="Oil"),
        stage=Stage.ACCEPTED,
        since=at(8),
        decided_at=at(9),
        policy_version="1",
    )
    week = Week(
        until=at(9),
        open_votes=(open_vote,),
        silent=(silent,),
        moved=((view, accepted.history[-1]),),
        stages={Stage.VOTE: 1, Stage.DISCUSSION: 4, Stage.ACCEPTED: 30, Stage.REJECTED: 0},
    )
    written = RULES.address("digest", render_digest(week, RULES))
    assert written is not None
    return written


def write_approval() -> Mapping[str, Any]:
    moves = [{"number": 7, "from": "discussion", "to": "accepted"}]
    edit = Effect(key="index/1000/3/ab12", number=None, channel="index", payload={"page_id": "1000", "moves": moves})
    row = as_row(edit, "held", at(8))
    settle = find_release_commands(row, RULES.program)
    message = render_approval(row, board=f"{RULES.board_url}/outbox", settle=settle)
    written = RULES.address("approval", offer(message, list_answers(find_release_ways(row))))
    assert written is not None
    return written


def write_condition() -> Mapping[str, Any]:
    store: Any = MemoryStore(CommunityRules(policy=POLICY, prefix="KIP"))
    fault = Condition(
        name="archive",
        says="The mail archive answers 503",
        works="What is stored stays",
        fix="`kipflow poll` says more",
    )
    assert report_conditions(store, [fault], RULES, now=at(1)) == 1
    [row] = store.outbox.held.values()
    payload: Mapping[str, Any] = row.payload
    return payload


def write_failure() -> Mapping[str, Any]:
    cause = ServiceUnavailable(service="archive", url="https://lists.example/api", why="answered 503")
    failure = Failure(where="kip_poll_threads.fetch", cause=cause, log_url="https://air.example/log/1")
    written = RULES.address("failure", render_failure(failure, "ServiceUnavailable"))
    assert written is not None
    return written


VOTED = facts(**TALKED, votes=(poll(4, *YES, declared=result(8)),))
ASK = replace(POLICY, page_changes=PageChanges.ASK)
UNCLEAR = facts(**TALKED, votes=(poll(4, *YES[:2], ballot("dee", 4.3, status=BallotStatus.REVIEW)),))
DRAFTED = replace(page(0), status=StatusWord.DRAFT, status_text="Draft")
OLD, NEW = (("Proposed Changes", "aa"),), (("Proposed Changes", "cc"),)
CHANGED = facts(
    pages=(page(0, substance=OLD), page(5, version=2, substance=NEW)),
    messages=TALKED["messages"],
    votes=(poll(4, *YES),),
)
MESSAGES: Mapping[str, Callable[[], Mapping[str, Any]]] = {
    "new-proposal": lambda: find("new-proposal", report(facts(pages=(page(0),)), 0.1)),
    "discussion": lambda: find("discussion", report(facts(**TALKED), 1.1)),
    "vote": lambda: find("vote", report(facts(**TALKED, votes=(poll(4, YES[0]),)), 4.15)),
    "vote-news": write_news,
    "period-over": lambda: find("period-over", report(facts(**TALKED, votes=(poll(4, *YES),)), 7.1)),
    "result": lambda: find("result", report(VOTED, 8.1)),
    "stage": lambda: find(
        "stage",
        report(
            facts(
                **TALKED,
                votes=(poll(4, *YES, ended_at=at(5), ended_how="cancelled", ended_message_id="<c@x.example>"),),
            ),
            5.1,
        ),
    ),
    "correction": write_correction,
    "page-changed": lambda: find("page-changed", report(CHANGED, 5.1, ASK)),
    "lint": write_faults,
    "dormancy": write_warning,
    "question": lambda: find("question", report(UNCLEAR, 4.5)),
    "drift": lambda: find("drift", report(facts(pages=(DRAFTED,), messages=TALKED["messages"]), 2.1)),
    "approval": write_approval,
    "condition": write_condition,
    "failure": write_failure,
    "digest": write_digest,
}


@pytest.mark.parametrize("kind", MESSAGES)
def test_a_message_is_as_it_was_read_by_a_person_and_as_slack_takes_it(kind: str) -> None:
    payload = MESSAGES[kind]()
    check_limits(payload)
    assert payload["kind"] == kind
    shown = json.dumps({name: payload[name] for name in ("channel", "text", "blocks")}, indent=1, ensure_ascii=False)
    golden = FOLDER / f"{kind}.json"
    if os.environ.get("SLACK_GOLDEN") == "write":
        golden.write_text(shown + "\n", encoding="utf-8")
    assert shown + "\n" == golden.read_text(encoding="utf-8")


def check_limits(payload: Mapping[str, Any]) -> None:
    """What Slack refuses: by its own library's models, and the limits that those leave out."""
    blocks = payload["blocks"]
    parsed = Block.parse_all(blocks)
    for block in parsed:
        block.validate_json()
    assert [b.to_dict() for b in parsed] == blocks, "nothing that Slack's library does not know"
    assert 0 < len(blocks) <= MAX_BLOCKS
    assert 0 < len(payload["text"]) <= MAX_TEXT
    texts = [b["text"]["text"] for b in blocks if "text" in b]
    buttons = [e for b in blocks if b["type"] == "actions" for e in b["elements"]]
    assert len({b["action_id"] for b in buttons}) == len(buttons)
    assert all(len(b["text"]["text"]) <= MAX_LABEL and len(b["value"]) <= MAX_VALUE for b in buttons)
    assert all(0 < len(text) <= MAX_SECTION for text in texts)


def test_every_kind_of_message_is_looked_at() -> None:
    assert {path.stem for path in FOLDER.glob("*.json")} == set(MESSAGES)
    assert set(MESSAGE_KINDS) == set(MESSAGES) >= ALWAYS_SENT


def test_a_vote_of_hundreds_names_a_few_of_them() -> None:
    many = [replace(YES[0], voter=f"v{n}", name="N" * 90, message_id=f"<{n}@x.example>") for n in range(300)]
    message = find("vote", report(facts(**TALKED, votes=(poll(4, *many),)), 4.15))
    check_limits(message)
    assert "… +1, and 280 more\n" in message["blocks"][0]["text"]["text"]


def test_a_message_that_is_too_long_is_cut_at_a_line_and_stays_valid() -> None:
    lines = [f"{n}: {'N' * 90}" for n in range(300)]
    message = build_message("Many", lines, sections=2)
    check_limits(message)
    *kept, mark = [line for block in message["blocks"] for line in block["text"]["text"].splitlines()]
    assert (kept, mark) == (lines[: len(kept)], "…")
    assert len(kept) > 50


def test_the_documentation_names_every_kind_and_when_it_is_written() -> None:
    page = (Path(__file__).parents[3] / "docs" / "communities.md").read_text(encoding="utf-8")
    assert [kind for kind, reported in MESSAGE_KINDS.items() if f"| `{kind}` | {reported.when} |" not in page] == []
