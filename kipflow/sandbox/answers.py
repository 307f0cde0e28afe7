"""The answer sheet: what must come out of each proposal, written by hand beside its story.

Nothing here is computed by kipflow's own reading; a test that compares the two says something. Policy
is that of `config/communities/sandbox.yaml` (three binding +1, 72 hours, clock after 7 days, dormant
after 90 + 14 days, 120 hours where the log format is touched).
"""

from __future__ import annotations

from collections.abc import Mapping

from kipflow.domain.events import Stage
from kipflow.sandbox.plans import PLANS, Expected

#: Mails in the story that no reader can make anything of.
BROKEN_MAILS = 2


def expected() -> Mapping[int, Expected]:
    """Number → what kipflow must show at the anchor."""
    return {plan.number: plan.expect for plan in PLANS}


def expected_later() -> Mapping[int, Stage]:
    """Number → stage ten days after the anchor; proposals that are not named stay where they are."""
    return {plan.number: plan.expect.later for plan in PLANS if plan.expect.later is not None}


def expected_asleep() -> Mapping[int, Stage]:
    """Number → stage 15 days after the anchor of the proposals that were silent at it."""
    return {plan.number: plan.expect.asleep for plan in PLANS if plan.expect.asleep is not None}


__all__ = ["BROKEN_MAILS", "Expected", "expected", "expected_asleep", "expected_later"]
