"""Warnings of dormancy: stored once for each silence, and never changed."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import timedelta

import pytest
import sqlalchemy as sa

from kipflow.adapters.store import SqlStore
from kipflow.domain.clocks import list_months
from kipflow.domain.events import Stage
from kipflow.domain.facts import MailKind, SilenceWarning
from kipflow.domain.policy import Policy
from kipflow.services import advance, replay
from kipflow.services.assembly import load_facts
from kipflow.services.effectrules import EffectRules
from kipflow.services.recording import Advance
from tests.integration.store.mails import NOW, make_message, make_month

DAY = timedelta(days=1)
RULES = EffectRules(prefix="KIP", sends=True, slack="send", channel="#kips")
GIVEN = SilenceWarning(
    quiet_since=NOW - 30 * DAY,
    silent_at=NOW - timedelta(microseconds=7),
    as_of=NOW,
    warned_at=NOW,
    due_at=None,
    recorded_at=NOW,
)


@pytest.fixture
def policy() -> Policy:
    return Policy(
        version="test-1", binding_roles=frozenset({"pmc"}), dormant_after=timedelta(days=30), grace=timedelta(days=14)
    )


def talk(store: SqlStore) -> None:
    """A discussion of one mail, and the archive of a year."""
    with store.begin() as session:
        session.mail.save_messages([make_message("a", 7, kind=MailKind.DISCUSS)], seen_at=NOW)
        for month in list_months("2026-03", "2027-02"):
            session.mail.save_month(replace(make_month(fetched_at=NOW + 300 * DAY), month=month))


def decide(store: SqlStore, policy: Policy, day: float) -> Advance:
    """Decide, and deliver the warning that this writes."""
    done = advance.advance_one(store, 7, policy=policy, effects=RULES, as_of=NOW + day * DAY)
    if done.warning is not None:
        with store.begin() as session:
            session.outbox.mark_sent(messages(store)[-1], at=NOW + day * DAY, external_ref="C1/1")
        advance.advance_one(store, 7, policy=policy, effects=RULES, as_of=NOW + day * DAY)
    return done


def messages(store: SqlStore) -> list[str]:
    return sorted(e.key for e in store.effects(limit=50).rows if "/warning/" in e.key)


def test_a_warning_comes_back_equal_and_a_second_one_of_its_silence_is_refused(store: SqlStore) -> None:
    talk(store)
    with store.begin() as session:
        assert session.history.save_warning(7, GIVEN)
        assert not session.history.save_warning(7, replace(GIVEN, due_at=NOW))
        assert session.history.save_warning(7, replace(GIVEN, silent_at=NOW, due_at=NOW + DAY))
        assert load_facts(session, 7).warnings == (GIVEN, replace(GIVEN, silent_at=NOW, due_at=NOW + DAY))


def test_the_database_refuses_to_edit_a_warning(store: SqlStore) -> None:
    talk(store)
    with store.begin() as session:
        session.history.save_warning(7, GIVEN)
    for statement in ("UPDATE warning SET due_at = warned_at", "DELETE FROM warning"):
        with pytest.raises(sa.exc.DBAPIError, match="append-only"), store.begin() as session:
            session.connection.execute(sa.text(statement))


def test_a_proposal_is_followed_since_its_first_entry_was_recorded(store: SqlStore, policy: Policy) -> None:
    talk(store)
    with store.read() as session:
        assert load_facts(session, 7).followed_since is None
    for day in (1, 2):
        decide(store, policy, day)
        with store.read() as session:
            assert load_facts(session, 7).followed_since == NOW + DAY


def test_a_silence_is_looked_at_on_its_day_and_dormant_when_the_grace_is_over(store: SqlStore, policy: Policy) -> None:
    talk(store)
    decide(store, policy, 1)
    assert advance.find_candidates(store, NOW + 29 * DAY) == []
    assert advance.find_candidates(store, NOW + 31 * DAY) == [7]
    warned = decide(store, policy, 31)
    assert warned.warning is not None
    assert warned.appended == ()
    assert advance.find_candidates(store, NOW + 44 * DAY) == []
    assert advance.find_candidates(store, NOW + 45 * DAY) == [7]
    assert decide(store, policy, 45).stage is Stage.DORMANT
    assert replay.replay(store, policy=policy, start=None, end=NOW + 60 * DAY).differences == ()


def test_two_that_decide_at_once_warn_once(open_with: Callable[..., SqlStore], policy: Policy) -> None:
    first, second = open_with(), open_with()
    talk(first)
    decide(first, policy, 1)
    with ThreadPoolExecutor(2) as pool:
        done = list(pool.map(lambda store: decide(store, policy, 31), [first, second]))
    assert sum(one.warning is not None for one in done) == 1
    assert len(messages(first)) == len(first.proposal(7, NOW + 40 * DAY).warnings) == 1
