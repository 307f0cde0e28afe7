"""Whoever is decided only when something new or a deadline comes has the history that the facts give at any time."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kipflow.domain.decisions import Decision
from kipflow.domain.events import Stage, Transition, effective, reconcile
from kipflow.domain.facts import Coverage, MailKind, ProposalFacts, Ruling
from kipflow.domain.lifecycle import decide
from kipflow.domain.policy import PageChanges
from tests.examples import examples
from tests.unit.domain.building import POLICY, START, TALKED, YES, at, ballot, facts, followed, mail, page, poll, ruling

CLOCKED = replace(
    POLICY,
    clock_after=timedelta(days=4),
    dormant_after=timedelta(days=20),
    grace=timedelta(days=5),
    page_changes=PageChanges.ASK,
)
QUIET = facts(pages=(page(0),), messages=(mail(1, MailKind.DISCUSS),))
VOTED = facts(**TALKED, votes=(poll(4, *YES),))
SHORT = facts(**TALKED, votes=(poll(4, ballot("ada", 4.1)),))

#: A step: hours that pass, whether the archive is read then, and the stage that a person sets before it is decided.
steps = st.lists(
    st.tuples(
        st.sampled_from([1, 24 * 10]),
        st.booleans(),
        st.sampled_from([None, *Stage, "snooze"]),
    ),
    min_size=2,
    max_size=8,
)


@pytest.mark.parametrize("known", [QUIET, VOTED, SHORT], ids=["quiet", "voted", "short"])
@examples(400)
@given(steps=steps)
def test_a_proposal_that_nothing_wakes_needs_no_decision(
    known: object, steps: list[tuple[int, bool, Stage | str | None]]
) -> None:
    stored: tuple[Transition, ...] = ()
    rulings: list[Ruling] = []
    assert isinstance(known, ProposalFacts)
    now = read = at(5)
    last: Decision | None = None
    for hours, reads, word in steps:
        now += timedelta(hours=hours)
        read = now if reads else read
        if word is not None:
            rulings.append(_ruling(word, now, len(rulings) + 1))
        known = replace(known, coverage=Coverage(complete_through=read), rulings=tuple(rulings))
        due = last is None or word is not None or (last.next_deadline is not None and last.next_deadline <= now)
        if due:
            known = followed(known, CLOCKED, (now - START) / timedelta(days=1))
        decision = decide(known, CLOCKED, now)
        assert decision.unwarned is None, "its author is owed a warning, and nothing woke it"
        appended = reconcile(stored, decision.history)
        assert due or not appended, "nothing woke it, and yet its history is another now"
        if due:
            stored, last = (*stored, *appended), decision
        assert [t.rule for t in effective(stored)] == [t.rule for t in decision.history]


def _ruling(word: Stage | str, now: datetime, id: int) -> Ruling:
    given = {"until": (now + timedelta(days=9)).isoformat()} if word == "snooze" else {"stage": str(word)}
    kind = "snooze" if word == "snooze" else "stage"
    return replace(ruling(0, kind, id=id, **given), made_at=now)
