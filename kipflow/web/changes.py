"""The page that compares two versions of a proposal's wiki page."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Annotated
from urllib.parse import urlencode

from fastapi import Depends, FastAPI, Query, Request
from fastapi.responses import HTMLResponse

from kipflow.domain.pages import PageVersion
from kipflow.services.board import ProposalView
from kipflow.services.changes import Since, compare_versions, find_moment, find_own, find_versions, find_versions_since
from kipflow.web.api import Number
from kipflow.web.render import BoardPart

#: Pages have a few hundred versions at most; a larger number in an address is a mistake or a probe.
_MAX_VERSION = 100_000


class Layout(StrEnum):
    """How lines are shown: side by side, or removed lines above added ones."""

    SIDE = "side"
    INLINE = "inline"


@dataclass(frozen=True, slots=True, kw_only=True)
class ChangesQuery:
    """The versions that an address names."""

    since: Since | None = None
    first: int | None = None
    last: int | None = None
    layout: Layout = Layout.SIDE

    def link(self, *, since: Since | None = None, layout: Layout | None = None) -> str:
        """The query string for this comparison in another layout, or for one since another event."""
        pairs: list[tuple[str, str]] = [("layout", (layout or self.layout).value)]
        if since is not None:
            return "?" + urlencode([("since", since.value), *pairs])
        if self.since is not None:
            pairs.append(("since", self.since.value))
        pairs += [(name, str(n)) for name, n in (("from", self.first), ("to", self.last)) if n is not None]
        return "?" + urlencode(pairs)


def parse_changes_query(
    since: Since | None = None,
    first: Annotated[int | None, Query(alias="from", ge=1, le=_MAX_VERSION)] = None,
    last: Annotated[int | None, Query(alias="to", ge=1, le=_MAX_VERSION)] = None,
    layout: Layout = Layout.SIDE,
) -> ChangesQuery:
    """The query in an address. Explicit versions take precedence over `since`."""
    return ChangesQuery(since=None if first or last else since, first=first, last=last, layout=layout)


class ChangesPage(BoardPart):
    """One page below each proposal."""

    def add_to(self, app: FastAPI) -> None:
        path = "/proposals/{number}/changes"
        app.get(path, response_class=HTMLResponse, include_in_schema=False)(self.show_changes)

    def show_changes(
        self, request: Request, number: Number, query: Annotated[ChangesQuery, Depends(parse_changes_query)]
    ) -> HTMLResponse:
        now, board = self._clock(), self._board()
        view = board.proposal(number, now)
        own = find_own(view.pages, number)
        pair = _find_pair(view, own, query)
        return self._pages.render(
            request,
            "changes.html",
            now=now,
            view=view,
            query=query,
            versions=own,
            moments={since: moment for since in Since if (moment := _find_opened(view, since)) is not None},
            changes=None if pair is None else compare_versions(*pair, board.page_body),
        )


def _find_pair(
    view: ProposalView, own: Sequence[PageVersion], query: ChangesQuery
) -> tuple[PageVersion, PageVersion] | None:
    """The versions to compare: the named ones, else those since the named event, else since vote or discussion, else
    the last two; None if there are no two versions.

    Raises:
        NoSuchVersion: a named version is not stored.
    """
    if not own:
        return None
    if query.first is not None or query.last is not None:
        return find_versions(own, query.first, query.last)
    moment = _find_opened(view, query.since)
    if moment is not None:
        return find_versions_since(own, moment)
    return None if query.since is not None or len(own) < 2 else (own[-2], own[-1])


def _find_opened(view: ProposalView, since: Since | None) -> datetime | None:
    return find_moment((r.transition for r in view.history if not r.retracted), since)
