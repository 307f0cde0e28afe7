"""The version of the rules by which mail is read.

Raise it with every change after which a stored mail could be read otherwise: another ballot, kind, number,
author, time or announcement. Stored mails that older rules read are then read again from their raw months.
"""

from __future__ import annotations

READING_RULES: int = 82
