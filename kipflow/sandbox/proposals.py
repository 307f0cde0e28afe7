"""All proposals of the story, in order of their numbers."""

from __future__ import annotations

from kipflow.sandbox.alive import ALIVE
from kipflow.sandbox.plans import Plan
from kipflow.sandbox.quiet import QUIET
from kipflow.sandbox.settled import SETTLED

PLANS: tuple[Plan, ...] = (*SETTLED, *ALIVE, *QUIET)

#: The number that the index page offers for the next proposal.
NEXT_NUMBER = 108
