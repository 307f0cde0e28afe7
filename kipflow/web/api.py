"""The board's views as JSON, for scripts: the same values as the pages, under the same permission."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import fields, is_dataclass
from datetime import datetime, timedelta
from typing import Annotated, Any

from fastapi import APIRouter, Depends, Path, Query
from fastapi.responses import JSONResponse

from kipflow.domain.proposals import MAX_NUMBER
from kipflow.services.board import Board
from kipflow.web.queries import MAX_PAGE, ListQuery, parse_list_query
from kipflow.web.times import render_machine_time

SCHEMA = 1
Number = Annotated[int, Path(ge=1, le=MAX_NUMBER)]
PageNumber = Annotated[int, Query(ge=1, le=MAX_PAGE)]


def build_api(board: Callable[[], Board], clock: Callable[[], datetime]) -> APIRouter:
    """Routes under `/api`."""
    api = APIRouter(prefix="/api")

    def answer(now: datetime | None = None, **values: Any) -> JSONResponse:
        return JSONResponse(as_json({"schema": SCHEMA, "as_of": now or clock(), **values}))

    @api.get("/overview")
    def overview() -> JSONResponse:
        now = clock()
        return answer(now, overview=board().overview(now))

    @api.get("/proposals")
    def proposals(query: Annotated[ListQuery, Depends(parse_list_query)]) -> JSONResponse:
        page = board().rows(query.as_rows())
        return answer(total=page.total, page=query.page, proposals=page.rows)

    @api.get("/proposals/{number}")
    def proposal(number: Number) -> JSONResponse:
        now = clock()
        return answer(now, proposal=board().proposal(number, now))

    @api.get("/review")
    def review() -> JSONResponse:
        return answer(review=board().review(), drift=board().drift())

    @api.get("/unreadable")
    def unreadable(page: PageNumber = 1) -> JSONResponse:
        found = board().unreadable(offset=(page - 1) * 100, limit=100)
        return answer(total=found.total, page=page, unreadable=found.rows)

    @api.get("/effects")
    def effects(status: Annotated[str, Query(max_length=20)] = "", page: PageNumber = 1) -> JSONResponse:
        found = board().effects(status=status, offset=(page - 1) * 100, limit=100)
        return answer(total=found.total, page=page, effects=found.rows)

    return api


def as_json(value: Any) -> Any:
    """A view as JSON's own types: dataclasses as objects, times as `…Z`, spans as seconds."""
    if is_dataclass(value) and not isinstance(value, type):
        return {f.name: as_json(getattr(value, f.name)) for f in fields(value)}
    if isinstance(value, datetime):
        return render_machine_time(value)
    if isinstance(value, timedelta):
        return value.total_seconds()
    if isinstance(value, Mapping):
        return {str(key): as_json(item) for key, item in value.items()}
    if isinstance(value, (list, tuple, set, frozenset)):
        return [as_json(item) for item in (sorted(value) if isinstance(value, (set, frozenset)) else value)]
    if isinstance(value, str):
        return str(value)
    return value
