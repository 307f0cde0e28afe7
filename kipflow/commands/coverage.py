"""How complete the stored mail is, in a few lines: no vote is accepted on incomplete mail."""

from __future__ import annotations

from collections.abc import Sequence

from kipflow.config.community import Community
from kipflow.domain.clocks import find_coverage
from kipflow.domain.facts import ArchiveMonth
from kipflow.domain.texts import say_count
from kipflow.domain.times import say_moment
from kipflow.services.board import Overview

#: The most gaps that are listed.
MAX_GAPS = 5


def say_coverage(months: Sequence[ArchiveMonth]) -> list[str]:
    """Up to when all mail is held, then the gaps; empty if no month was fetched yet."""
    coverage = find_coverage(months)
    if not months:
        return []
    lists = len({month.list_id for month in months})
    held = [month for month in months if month.status in {"complete", "partial"}]
    of = f"{say_count(len(held), 'month')} of {say_count(lists, 'list')}"
    through = coverage.complete_through
    lines = [f"mail: {of}, {f'read up to {say_moment(through)}' if through else 'not all read to its end yet'}"]
    holes = [*(why for _, why in coverage.gaps), *(why for _, _, why in coverage.cuts)]
    # the newest month is no gap, but its reason says what has failed since
    newest = {max(m.month for m in months if m.list_id == list_id) for list_id in {m.list_id for m in months}}
    failed = (m for m in months if m.month in newest and m.why and m.status == "complete")
    holes += [f"{m.list_id} {m.month}: {m.why}" for m in failed]
    lines += [f"  {why}" for why in holes[:MAX_GAPS]]
    if len(holes) > MAX_GAPS:
        lines.append(f"  … and {len(holes) - MAX_GAPS} more; the board's Data page has them all")
    return lines


def say_empty(community: Community, overview: Overview) -> str:
    """The text in place of an empty list of proposals: why it is empty, and what to run next."""
    if overview.messages and not overview.pending:
        mails, why = say_count(overview.messages, "mail"), f"a number such as {community.prefix}-1 makes one"
        hint = f"; {why}: is `prefix` right?" if community.keyed_by == "number" else ""
        return f"{mails} stored, and no proposal is listed of them{hint}"
    if overview.messages or overview.pending:
        mails, waiting = say_count(overview.messages, "mail"), say_count(overview.pending, "proposal")
        return f"{mails} stored, nothing decided yet ({waiting} to decide): run `kipflow advance`"
    mail = "`kipflow poll` (or `kipflow ingest FILE`)" if community.archive is not None else "`kipflow ingest FILE`"
    pages = ", `kipflow sync` for pages" if community.wiki is not None else ""
    return f"no proposals of {community.name} are stored yet: run {mail} for mail{pages}, then `kipflow advance`"
