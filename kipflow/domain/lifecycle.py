"""The life of a proposal: which stage it is in at a given time, why, and what it still lacks.

`decide` is a pure function of facts, policy and time. It replays the facts in order of time, lets the
clock speak between them (`stages.replaying`, by the rules of `stages.table`), and returns the whole history
that follows with what it means for people (`explain`). `history.reconcile` compares that with what is stored.
"""

from __future__ import annotations

from datetime import datetime

from kipflow.domain.decisions import Decision
from kipflow.domain.explain import conclude
from kipflow.domain.facts import ProposalFacts
from kipflow.domain.moments import in_order
from kipflow.domain.policy import Policy
from kipflow.domain.stages.replaying import replay


def decide(facts: ProposalFacts, policy: Policy, as_of: datetime) -> Decision | None:
    """What these facts come to under `policy` at `as_of`; None if nothing had happened yet by then.

    Total: any facts give an answer. The order in which they are given does not matter, and nothing that
    came later than `as_of` is looked at, but for an operator's import, whose rows are dated back.
    """
    state = replay(in_order(facts), policy, as_of)
    return None if state.stage is None else conclude(state)
