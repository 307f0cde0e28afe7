"""The story, proposal by proposal. See `kipflow.sandbox.answers` for what each must come to."""

from __future__ import annotations

from kipflow.sandbox.plans import Plan
from kipflow.sandbox.stories.eventful import EVENTFUL
from kipflow.sandbox.stories.passed import PASSED
from kipflow.sandbox.stories.quiet import QUIET
from kipflow.sandbox.stories.running import RUNNING
from kipflow.sandbox.stories.settled import SETTLED
from kipflow.sandbox.stories.unsettled import UNSETTLED

#: All proposals in order of their numbers.
PLANS: tuple[Plan, ...] = (*PASSED, *EVENTFUL, *SETTLED, *RUNNING, *UNSETTLED, *QUIET)

#: The number that the index page offers for the next proposal.
NEXT_NUMBER = 108
