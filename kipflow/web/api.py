"""The board's views as JSON, for scripts: the same values as the pages, under the same permission."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import datetime
from typing import Annotated, Any

from fastapi import Depends, FastAPI, Path, Query, Request
from fastapi.responses import JSONResponse

from kipflow.domain.proposals import MAX_NUMBER
from kipflow.domain.records import to_plain
from kipflow.domain.times import render_machine_time
from kipflow.services.board import Board, ProposalView
from kipflow.services.explaining import find_passed_over
from kipflow.web.queries import MAX_PAGE, ListQuery, parse_list_query

SCHEMA = 1
#: Rows per response, for lists without a form of their own.
BATCH = 100

Number = Annotated[int, Path(ge=1, le=MAX_NUMBER)]
PageNumber = Annotated[int, Query(ge=1, le=MAX_PAGE)]


class BoardApi:
    """The endpoints under `/api`, one method each; `board` and `clock` are called once per request."""

    def __init__(self, board: Callable[[], Board], clock: Callable[[], datetime]) -> None:
        self._board, self._clock = board, clock

    def add_to(self, app: FastAPI) -> None:
        app.get("/api/overview")(self.overview)
        app.get("/api/proposals")(self.proposals)
        app.get("/api/proposals/{number}")(self.proposal)
        app.get("/api/review")(self.review)
        app.get("/api/unreadable")(self.unreadable)
        app.get("/api/effects")(self.effects)
        app.get("/api/openapi.json", include_in_schema=False)(self.describe)

    def describe(self, request: Request) -> JSONResponse:
        """All JSON endpoints, those that change something included, as OpenAPI."""
        return JSONResponse(request.app.openapi())

    def overview(self) -> JSONResponse:
        """The state of the community: counts, coverage, outbox, newest metrics and moves."""
        now = self._clock()
        return answer_json(now, overview=self._board().overview(now))

    def proposals(self, query: Annotated[ListQuery, Depends(parse_list_query)]) -> JSONResponse:
        """A page of the list of proposals."""
        page = self._board().rows(query)
        return answer_json(self._clock(), total=page.total, page=query.page, proposals=page.rows)

    def proposal(self, number: Number) -> JSONResponse:
        """One proposal with its history, votes, pages, rulings and effects."""
        now = self._clock()
        board = self._board()
        view = _with_links(board.proposal(number, now))
        return answer_json(now, proposal=view, passed_over=find_passed_over(board.vote_mails(number, now)))

    def review(self) -> JSONResponse:
        """What waits for a person: questions, senders, drift."""
        board = self._board()
        return answer_json(self._clock(), review=board.review(), senders=board.senders(), drift=board.drift())

    def unreadable(self, page: PageNumber = 1) -> JSONResponse:
        """What could not be read, newest first."""
        found = self._board().unreadable(offset=(page - 1) * BATCH, limit=BATCH)
        return answer_json(self._clock(), total=found.total, page=page, unreadable=found.rows)

    def effects(self, status: Annotated[str, Query(max_length=20)] = "", page: PageNumber = 1) -> JSONResponse:
        """The outbox, newest first; `status` names one state."""
        found = self._board().effects(status=status, offset=(page - 1) * BATCH, limit=BATCH)
        return answer_json(self._clock(), total=found.total, page=page, effects=found.rows)


def _with_links(view: ProposalView) -> ProposalView:
    """The view with a permalink added to each move's mail evidence that has none."""
    moves = [replace(r.transition, evidence=tuple(map(view.link, r.transition.evidence))) for r in view.history]
    linked = (replace(r, transition=move) for r, move in zip(view.history, moves, strict=True))
    return replace(view, history=tuple(linked))


def answer_json(now: datetime, **values: Any) -> JSONResponse:
    """A JSON response: records as objects, times as `…Z`."""
    return JSONResponse(to_plain({"schema": SCHEMA, "as_of": now, **values}, write_time=render_machine_time))
