"""What a decision causes outside: pure, from a decision and what it added to history to outbox rows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta

from kipflow.domain.decisions import Decision
from kipflow.domain.events import Transition
from kipflow.domain.proposals import format_key
from kipflow.services.messages import render_review, render_transition, render_warning
from kipflow.services.ports import Effect

#: A transition older than this when it is first recorded is history, not news: a first run over years of
#: mail must not flood a channel.
NEWS_AGE = timedelta(days=3)
#: What an index told was so before kipflow came to know of it.
BASELINES = frozenset({"index-import", "index-row"})


@dataclass(frozen=True, slots=True, kw_only=True)
class EffectRules:
    """Where effects go and whether they go at all.

    `sends` False is dry-run: rows are kept, marked as skipped, and shown. `slack`: "off", "send", "approve".
    """

    prefix: str
    sends: bool
    slack: str = "off"
    channel: str = ""
    operators: str = ""
    board_url: str = ""


def find_effects(decision: Decision, appended: Sequence[Transition], rules: EffectRules) -> list[Effect]:
    """The messages that this decision owes people. Keys make each of them happen once."""
    if rules.slack == "off" or not rules.channel:
        return []
    key = format_key(rules.prefix, decision.number)
    approve = rules.slack == "approve"
    found: list[Effect] = []
    for transition in appended:
        if transition.rule not in BASELINES and decision.as_of - transition.at <= NEWS_AGE:
            payload = {"channel": rules.channel, **render_transition(key, transition, decision)}
            found.append(_slack(decision.number, f"{key}/{transition.id}/slack", payload, approve))
    for item in decision.review:
        payload = {"channel": rules.operators or rules.channel, **render_review(key, item)}
        found.append(_slack(decision.number, f"{key}/review/{item.kind}/{item.subject}/slack", payload, approve))
    if decision.warned_at is not None and decision.as_of - decision.warned_at <= NEWS_AGE:
        payload = {"channel": rules.channel, **render_warning(key, decision)}
        found.append(_slack(decision.number, f"{key}/silent/{decision.warned_at:%Y-%m-%d}/slack", payload, approve))
    return found


def _slack(number: int, key: str, payload: dict[str, object], approval: bool) -> Effect:
    return Effect(key=key, number=number, channel="slack", payload=payload, approval=approval)
