"""An archive's statistics of a month."""

from __future__ import annotations

import hashlib
import json
import re
from datetime import UTC, datetime
from typing import Any

from kipflow.domain.errors import UnreadableInput
from kipflow.services.ports import MonthStats

MONTH = re.compile(r"\d{4}-(?:0[1-9]|1[0-2])")
LIST = re.compile(r"[A-Za-z0-9][\w.+-]*@[\w.-]+")


def read_stats(raw: Any, list_id: str, month: str) -> MonthStats:
    if not isinstance(raw, dict):
        raise TypeError("no object")
    emails = raw.get("emails")
    if not (isinstance(emails, list) or "hits" in raw or "active_months" in raw):
        raise KeyError("emails")
    rows = [row for row in emails or [] if isinstance(row, dict)]
    hits, active = as_count(raw.get("hits")), as_count(_active(raw, month))
    # `id` is the archive's own: addresses and bodies are masked differently from day to day
    ids = sorted(str(row.get("id") or row.get("mid") or row.get("message-id") or "") for row in rows)
    times = [time for row in rows if (time := as_time(row.get("epoch"))) is not None]
    seen = json.dumps([hits, active, ids])
    return MonthStats(
        list_id=list_id,
        month=month,
        mails=max(hits or 0, active or 0, len(rows)),
        newest=max(times, default=None),
        digest=hashlib.sha256(seen.encode()).hexdigest()[:32],
    )


def build_query(list_id: str, month: str) -> dict[str, str]:
    if not LIST.fullmatch(list_id) or not MONTH.fullmatch(month):
        raise UnreadableInput(source=f"{list_id} {month}"[:100], why="not a list address and a month such as 2024-01")
    name, _, domain = list_id.partition("@")
    return {"list": name, "domain": domain, "d": month}


def _active(raw: dict[str, Any], month: str) -> Any:
    months = raw.get("active_months")
    return months.get(month) if isinstance(months, dict) else None


def as_count(value: Any) -> int | None:
    if isinstance(value, str) and value.isdecimal():
        value = int(value[:12])
    return value if isinstance(value, int) and not isinstance(value, bool) and value >= 0 else None


def as_time(value: Any) -> datetime | None:
    try:
        return datetime.fromtimestamp(float(value), tz=UTC)
    except (TypeError, ValueError, OverflowError, OSError):
        return None
