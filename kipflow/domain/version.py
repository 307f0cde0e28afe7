"""The version of the decision rules.

Raise it with every change after which the same facts could give another history, tally or question. Everything is then
decided again, and history is corrected where it differs.
"""

from __future__ import annotations

DECISION_RULES: int = 16
