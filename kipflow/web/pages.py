"""The board's pages: each reads one or two views and hands them to a template."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from typing import Annotated
from urllib.parse import urlencode

from fastapi import APIRouter, Depends, Query, Request
from fastapi.responses import HTMLResponse

from kipflow.domain.events import Stage
from kipflow.services.board import Board, BoardRow, RowQuery, Sort
from kipflow.web.api import Number, PageNumber
from kipflow.web.metrics import build_charts, find_headlines
from kipflow.web.queries import PAGE_SIZE, ListQuery, Pager, parse_list_query
from kipflow.web.render import Pages
from kipflow.web.timeline import build_timeline

#: How many proposals of each stage the first page shows; all votes are shown up to a generous bound.
_VOTES = 100
_PER_STAGE = {Stage.DISCUSSION: 10, Stage.DRAFT: 6, Stage.ACCEPTED: 6, Stage.DORMANT: 4, Stage.REJECTED: 4}


@dataclass(frozen=True, slots=True, kw_only=True)
class Group:
    """The most recently active proposals of one stage, and how many there are in all."""

    stage: Stage
    rows: tuple[BoardRow, ...]
    total: int


def build_pages(board: Callable[[], Board], pages: Pages, clock: Callable[[], datetime]) -> APIRouter:
    """Routes of the HTML pages."""
    router = APIRouter(default_response_class=HTMLResponse)

    @router.get("/")
    def show_overview(request: Request) -> HTMLResponse:
        now, source = clock(), board()
        votes = source.rows(RowQuery(stages=(Stage.VOTE,), sort=Sort.CLOSE, descending=False, limit=_VOTES))
        groups = [_read_group(source, stage, limit) for stage, limit in _PER_STAGE.items()]
        return pages.render(
            request,
            "overview.html",
            now=now,
            overview=source.overview(now),
            votes=votes,
            groups=[g for g in groups if g.total],
        )

    @router.get("/proposals")
    def list_proposals(request: Request, query: Annotated[ListQuery, Depends(parse_list_query)]) -> HTMLResponse:
        found = board().rows(query.as_rows())
        pager = Pager(page=query.page, total=found.total)
        return pages.render(
            request, "proposals.html", query=query, rows=found.rows, pager=pager, stages=list(Stage), sorts=Sort
        )

    @router.get("/proposals/{number}")
    def show_proposal(request: Request, number: Number) -> HTMLResponse:
        now = clock()
        view = board().proposal(number, now)
        return pages.render(request, "proposal.html", now=now, view=view, timeline=build_timeline(view))

    @router.get("/review")
    def show_review(request: Request, page: PageNumber = 1, drift_page: PageNumber = 1) -> HTMLResponse:
        source = board()
        questions, drift = source.review(), source.drift()
        asked, drifted = Pager(page=page, total=len(questions)), Pager(page=drift_page, total=len(drift))
        return pages.render(
            request,
            "review.html",
            review=asked.slice(questions),
            asked=asked,
            asked_link=lambda number: f"?page={number}&drift_page={drift_page}",
            drift=drifted.slice(drift),
            drifted=drifted,
            drifted_link=lambda number: f"?page={page}&drift_page={number}#drift",
        )

    @router.get("/data")
    def show_data(request: Request, page: PageNumber = 1) -> HTMLResponse:
        now, source = clock(), board()
        found = source.unreadable(offset=(page - 1) * PAGE_SIZE, limit=PAGE_SIZE)
        pager = Pager(page=page, total=found.total)
        return pages.render(
            request,
            "data.html",
            now=now,
            overview=source.overview(now),
            unreadable=found.rows,
            pager=pager,
            page_link=lambda number: f"?page={number}#unreadable",
        )

    @router.get("/outbox")
    def show_outbox(
        request: Request, status: Annotated[str, Query(max_length=20)] = "", page: PageNumber = 1
    ) -> HTMLResponse:
        now, source = clock(), board()
        found = source.effects(status=status, offset=(page - 1) * PAGE_SIZE, limit=PAGE_SIZE)
        counts = source.overview(now).effects
        pager = Pager(page=page, total=found.total)
        return pages.render(
            request,
            "outbox.html",
            now=now,
            effects=found.rows,
            counts=counts,
            chosen=status,
            pager=pager,
            page_link=lambda number: "?" + urlencode({"status": status, "page": number}),
        )

    @router.get("/metrics")
    def show_metrics(request: Request) -> HTMLResponse:
        now = clock()
        metrics = board().overview(now).metrics
        return pages.render(
            request,
            "metrics.html",
            now=now,
            metrics=metrics,
            summary=find_headlines(metrics) if metrics is not None else (),
            charts=build_charts(metrics) if metrics is not None else (),
        )

    return router


def _read_group(board: Board, stage: Stage, limit: int) -> Group:
    page = board.rows(RowQuery(stages=(stage,), sort=Sort.ACTIVITY, descending=True, limit=limit))
    return Group(stage=stage, rows=page.rows, total=page.total)
