"""The life of a proposal: which stage it is in at a given time, why, and what it still lacks.

`decide` is a pure function of facts, policy and time. It replays the facts in order of time, lets the
clock speak between them (`replaying`), and returns the whole history that follows with what it means
for people (`explain`). `history.reconcile` compares that with what is stored; `stages.TABLE` is the law.
"""

from __future__ import annotations

from datetime import datetime

from kipflow.domain.decisions import Decision
from kipflow.domain.explain import conclude
from kipflow.domain.facts import ProposalFacts
from kipflow.domain.moments import in_order
from kipflow.domain.policy import Policy
from kipflow.domain.replaying import Replay


def decide(facts: ProposalFacts, policy: Policy, as_of: datetime) -> Decision | None:
    """What these facts come to under `policy` at `as_of`; None if nothing had happened yet by then.

    Total: any facts give an answer. The order in which they are given does not matter, and nothing that
    came later than `as_of` is looked at, but for an operator's import, whose rows are dated back.
    """
    replay = Replay(facts=in_order(facts), policy=policy, as_of=as_of)
    replay.run()
    if replay.stage is None:
        return None
    return conclude(replay)
