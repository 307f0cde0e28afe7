"""An operator's import of an index: many rows at once, nothing of it lost."""

from __future__ import annotations

import json
from datetime import timedelta
from typing import Any

import pytest

from kipflow.adapters.store import SqlStore
from kipflow.domain.decisions import Decision
from kipflow.domain.facts import ProposalFacts
from kipflow.domain.lifecycle import decide
from kipflow.domain.policy import Policy
from kipflow.services.advance import advance_all, advance_many, find_candidates
from kipflow.services.effectrules import EffectRules
from kipflow.services.index import import_index, render_board_index
from kipflow.services.recording import Advance
from kipflow.wiki.index_editing import replace_index
from kipflow.wiki.index_reading import parse_index_page
from tests.integration.store.mails import NOW

RULES = EffectRules(prefix="KIP", sends=True, slack="send", channel="#proposals")
DAY = timedelta(days=1)
NUMBERS = [*range(1, 40), 200]
TEXT = """Process
e.g. "KIP 42: Allow"
KIP round-up
The next free KIP number is 124.
Adopted KIPs
KIP-1 - Doors
KIP-4 - Operations,,, (WIP)
KIP-4 - Metadata
KIPs under discussion
KIP-121: Lamps
KIP Discussion Recordings
Date (link to recording)Summary
2016-10-19
  \u2022 KIP-4: one more look at the gates.
  \u2022 KIP-1 and KIP-122: no concerns.
"""


def take_in(store: SqlStore, text: str, policy: Policy) -> list[Advance]:
    import_index(store, text, prefix="KIP", seen_at=NOW, source="index.txt")
    return advance_all(store, policy=policy, effects=RULES, as_of=NOW)


def show(store: SqlStore, form: str = "markdown") -> str:
    return render_board_index(store, prefix="KIP", form=form, as_of=NOW)


def test_next_number_notes_and_second_entries_of_an_imported_index_are_kept(store: SqlStore, policy: Policy) -> None:
    take_in(store, TEXT, policy)
    shown = show(store)
    assert "Next KIP Number: 124" in shown
    assert "| KIP-4: Metadata |" in shown
    assert "| KIP-4: Operations (WIP) |" in shown
    calls = store.proposal(4, NOW).calls
    assert [(c.call, str(c.held_on), c.note) for c in calls] == [
        ("2016-10-19", "2016-10-19", "KIP-4: one more look at the gates.")
    ]
    assert [c.note for c in store.proposal(1, NOW).calls] == ["KIP-1 and KIP-122: no concerns."]


def test_without_a_statement_the_highest_row_or_note_is_gone_on_from(store: SqlStore, policy: Policy) -> None:
    text = TEXT.replace("The next free KIP number is 124.", "").replace("KIP-4 - Metadata", "KIP-53 - Metadata")
    take_in(store, text.replace("KIP-121", "KIP-100"), policy)
    assert "Next KIP Number: 123" in show(store), "KIP-122 is named in a note"


def test_what_lies_far_beyond_the_others_is_not_gone_on_from(store: SqlStore, policy: Policy) -> None:
    take_in(store, TEXT.replace("The next free KIP number is 124.", ""), policy)
    assert "Next KIP Number: 5" in show(store)
    (question,) = store.review()
    assert (question.key, question.item.kind) == ("KIP-121", "claimed-number")


def test_both_entries_of_a_number_are_written_back_and_move_together(store: SqlStore, policy: Policy) -> None:
    take_in(store, TEXT, policy)
    page = show(store, "confluence")
    assert replace_index(page, page) == page
    where = {(e.title, e.section) for e in parse_index_page(page, "KIP", NOW).entries if e.number == 4}
    assert where == {("Metadata", "accepted"), ("Operations", "accepted")}
    moved = page.replace("Adopted KIPs", "X").replace("KIPs under discussion", "Adopted KIPs").replace(
        "<h2>X</h2>", "<h2>KIPs under discussion</h2>"
    )  # fmt: skip
    after = parse_index_page(replace_index(moved, page), "KIP", NOW).entries
    assert {(e.title, e.section) for e in after if e.number == 4} == where


def rows() -> dict[str, Any]:
    """Rows of every state; KIP-4 stands twice, and KIP-200 lies far beyond the others."""
    states = ["accepted", "under discussion", "discarded", "inactive", "unknown", "voting"]
    found: dict[str, Any] = {
        str(n): {
            "kip_id": n,
            "title": f"KIP-{n}: Gate {n}",
            "state": states[n % len(states)],
            "created_on": "2025-01-01T00:00:00",
            "jira": f"https://j.example/GATE-{n}0",
        }
        for n in NUMBERS
    }
    return {**found, "again": {"kip_id": 4, "title": "KIP-4: Another", "state": "accepted"}}


def test_rows_are_decided_once(store: SqlStore, policy: Policy) -> None:
    first = take_in(store, json.dumps(rows()), policy)
    assert sorted(advance.number for advance in first) == NUMBERS
    assert take_in(store, json.dumps(rows()), policy) == []


def test_one_that_fails_holds_up_no_other(store: SqlStore, policy: Policy, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail_on_four(facts: ProposalFacts, *rest: Any) -> Decision | None:
        if facts.proposal.number == 4:
            raise ZeroDivisionError("a fault of ours")
        return decide(facts, *rest)

    import_index(store, TEXT, prefix="KIP", seen_at=NOW, source="index.txt")
    numbers = find_candidates(store, NOW)
    monkeypatch.setattr("kipflow.services.advance.decide", fail_on_four)
    with pytest.raises(ZeroDivisionError):
        advance_many(store, numbers, policy=policy, effects=RULES, as_of=NOW)
    failed: list[int] = []
    done = advance_many(
        store, numbers, policy=policy, effects=RULES, as_of=NOW, on_failure=lambda number, _: failed.append(number)
    )
    assert failed == [4]
    assert {advance.number for advance in done} == set(numbers) - {4}
    assert find_candidates(store, NOW) == [4], "it is tried again with the next run"
