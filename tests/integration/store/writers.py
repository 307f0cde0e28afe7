"""Processes that write to a store, for the tests that let several of them write or kill one."""

from __future__ import annotations

import time
from datetime import timedelta
from pathlib import Path

from kipflow.adapters.store import SqlStore, open_store
from kipflow.domain.lifecycle import decide
from kipflow.domain.policy import Policy
from kipflow.services.assembly import load_facts
from kipflow.services.ports import Effect
from tests.integration.store.mails import NOW, make_message, make_rules

POLICY = Policy(version="test-1", binding_roles=frozenset({"pmc"}))


def open_for_writing(url: str) -> SqlStore:
    return open_store(url, make_rules(POLICY))


def write_rounds(url: str, writer: int, rounds: int) -> int:
    """Read, decide and write as a task does, again and again; the number of rounds that were kept."""
    store = open_for_writing(url)
    for i in range(rounds):
        with store.begin() as session:
            session.history.load_pending(NOW)
            session.mail.save_messages([make_message(f"w{writer}-{i}", 7), make_message("shared", 7)], seen_at=NOW)
        with store.begin() as session:
            facts = load_facts(session, 7)
            decision = decide(facts, POLICY, NOW + timedelta(days=1))
            if decision is None:
                raise RuntimeError("facts that this process saved are not there")
            session.history.append(decision.history, recorded_at=NOW)
            session.outbox.enqueue([Effect(key=f"{writer}/{i}", number=7, channel="slack", payload={})], now=NOW)
            session.outbox.enqueue([Effect(key="shared", number=7, channel="slack", payload={})], now=NOW)
            session.history.save_decision(decision, facts.proposal)
    store.close()
    return rounds


def write_and_hang(url: str, ready: str) -> None:
    """Write everything of a task, say so by making the file `ready`, and never commit."""
    store = open_for_writing(url)
    with store.begin() as session:
        session.mail.save_messages([make_message("lost", 7)], seen_at=NOW)
        facts = load_facts(session, 7)
        decision = decide(facts, POLICY, NOW + timedelta(days=1))
        if decision is not None:
            session.history.append(decision.history, recorded_at=NOW)
            session.history.save_decision(decision, facts.proposal)
        session.outbox.enqueue([Effect(key="lost", number=7, channel="slack", payload={})], now=NOW)
        Path(ready).touch()
        time.sleep(600)
