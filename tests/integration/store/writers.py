"""Processes that write to a store, for the tests that let several of them write or kill one."""

from __future__ import annotations

import time
from datetime import timedelta
from pathlib import Path

from kipflow.adapters.store import open_store
from kipflow.domain.lifecycle import decide
from kipflow.domain.policy import Policy
from kipflow.domain.roster import Roster
from kipflow.services.ports import Effect
from tests.integration.store.mails import NOW, attribute, find_votes, make_message

POLICY = Policy(version="test-1", binding_roles=frozenset({"pmc"}))


def open_for_writing(url: str):
    return open_store(
        url,
        roster=Roster(()),
        policy=POLICY,
        prefix="KIP",
        permalink="",
        find_votes=find_votes,
        attribute=attribute,
    )


def write_rounds(url: str, writer: int, rounds: int) -> int:
    """Read, decide and write as a task does, again and again; the number of rounds that were kept."""
    store = open_for_writing(url)
    for i in range(rounds):
        with store.begin() as session:
            session.load_pending(NOW)
            session.save_messages([make_message(f"w{writer}-{i}", 7), make_message("shared", 7)], seen_at=NOW)
        with store.begin() as session:
            decision = decide(session.load_facts(7), POLICY, NOW + timedelta(days=1))
            if decision is None:
                raise RuntimeError("facts that this process saved are not there")
            session.append_transitions(decision.history, recorded_at=NOW)
            session.enqueue([Effect(key=f"{writer}/{i}", number=7, channel="slack", payload={})], now=NOW)
            session.enqueue([Effect(key="shared", number=7, channel="slack", payload={})], now=NOW)
            session.save_decision(decision)
    store.close()
    return rounds


def write_and_hang(url: str, ready: str) -> None:
    """Write everything of a task, say so by making the file `ready`, and never commit."""
    store = open_for_writing(url)
    with store.begin() as session:
        session.save_messages([make_message("lost", 7)], seen_at=NOW)
        decision = decide(session.load_facts(7), POLICY, NOW + timedelta(days=1))
        if decision is not None:
            session.append_transitions(decision.history, recorded_at=NOW)
            session.save_decision(decision)
        session.enqueue([Effect(key="lost", number=7, channel="slack", payload={})], now=NOW)
        Path(ready).touch()
        time.sleep(600)
