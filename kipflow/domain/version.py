"""The version of the rules by which facts are judged.

Raise it with every change after which the same facts could come to another history, tally or question. What was
decided by older rules is then decided again; where it comes to something else, history is corrected.
"""

from __future__ import annotations

DECISION_RULES: int = 12
