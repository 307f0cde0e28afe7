"""The board's pages: each reads one or two views and passes them to a template."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from typing import Annotated, Any
from urllib.parse import urlencode

from fastapi import Depends, FastAPI, Query, Request
from fastapi.responses import HTMLResponse, RedirectResponse

from kipflow.domain.events import Stage, find_amendments
from kipflow.domain.interfaces import INTERFACES
from kipflow.services.board import Board, BoardRow, RowQuery, Sort
from kipflow.services.explaining import find_passed_over
from kipflow.services.result_mail import find_draft
from kipflow.web.api import Number, PageNumber
from kipflow.web.metrics import build_charts, find_headlines
from kipflow.web.queries import PAGE_SIZE, ListQuery, Pager, parse_list_query
from kipflow.web.render import BoardPart
from kipflow.web.timeline import build_timeline

#: The most votes on the first page: those that close first.
_VOTES = 25
#: The most questions on the first page: those that block a vote come first.
_QUESTIONS = 3
#: The most rulings on identities on the review page; `kipflow review rulings` lists them all.
_IDENTITIES = 100
#: The most ingests on the data page, newest first; `kipflow ingest --batches` lists them all.
_BATCHES = 30
#: DAG → the page that shows what its runs bring.
_PAGES: Mapping[str, str] = {
    "kip_ask_people": "review",
    "kip_follow_up": "outbox",
    "kip_notify_slack": "outbox",
    "kip_update_index": "outbox",
    "kip_lifecycle_metrics": "metrics",
    "kip_backfill": "data",
    "kip_poll_threads": "data",
    "kip_publish_site": "proposals",
    "kip_sync_wiki": "data",
}
_PER_STAGE = {Stage.DISCUSSION: 10, Stage.DRAFT: 6, Stage.ACCEPTED: 6, Stage.DORMANT: 4, Stage.REJECTED: 4}


@dataclass(frozen=True, slots=True, kw_only=True)
class Group:
    """The most recently active proposals of one stage, and how many there are in all."""

    stage: Stage
    rows: tuple[BoardRow, ...]
    total: int


class BoardPages(BoardPart):
    """The pages of one board, one method each."""

    def add_to(self, app: FastAPI) -> None:
        get = partial(app.get, response_class=HTMLResponse, include_in_schema=False)
        get("/")(self.show_overview)
        get("/proposals")(self.list_proposals)
        get("/proposals/{number}")(self.show_proposal)
        get("/review")(self.show_review)
        get("/data")(self.show_data)
        get("/outbox")(self.show_outbox)
        get("/runs", response_class=RedirectResponse)(self.show_run)
        get("/metrics")(self.show_metrics)

    def show_overview(self, request: Request) -> HTMLResponse:
        now, board = self._clock(), self._board()
        return self._pages.render_cached(
            request, "overview.html", now=now, version=board.version(), read=lambda: _read_overview(board, now)
        )

    def list_proposals(self, request: Request, query: Annotated[ListQuery, Depends(parse_list_query)]) -> HTMLResponse:
        found = self._board().rows(query)
        return self._pages.render(
            request,
            "proposals.html",
            query=query,
            rows=found.rows,
            pager=Pager(page=query.page, total=found.total),
            stages=list(Stage),
            interfaces=INTERFACES,
            sorts=Sort,
        )

    def show_proposal(self, request: Request, number: Number) -> HTMLResponse:
        now = self._clock()
        board = self._board()
        view = board.proposal(number, now)
        passed_over = find_passed_over(board.vote_mails(number, now))
        amendments = find_amendments([r.transition for r in view.history], [s.vote for s in view.votes])
        timeline = build_timeline(view)
        return self._pages.render(
            request,
            "proposal.html",
            now=now,
            view=view,
            timeline=timeline,
            draft=find_draft(view, now),
            amendments=amendments,
            passed_over=passed_over,
            edits=_find_edits(board) if view.drift else {},
            absent=board.absent(now, (number,)).get(number),
        )

    def show_review(self, request: Request, page: PageNumber = 1, drift_page: PageNumber = 1) -> HTMLResponse:
        board = self._board()
        questions, drift = board.review(), board.drift()
        asked, drifted = Pager(page=page, total=len(questions)), Pager(page=drift_page, total=len(drift))
        return self._pages.render(
            request,
            "review.html",
            review=asked.slice(questions),
            asked=asked,
            asked_link=lambda number: f"?page={number}&drift_page={drift_page}",
            identities=board.identities()[:_IDENTITIES],
            senders=board.senders(),
            drift=drifted.slice(drift),
            edits=_find_edits(board) if drift else {},
            drifted=drifted,
            drifted_link=lambda number: f"?page={page}&drift_page={number}#drift",
        )

    def show_data(self, request: Request, page: PageNumber = 1) -> HTMLResponse:
        now, board = self._clock(), self._board()
        found = board.unreadable(offset=(page - 1) * PAGE_SIZE, limit=PAGE_SIZE)
        return self._pages.render(
            request,
            "data.html",
            now=now,
            overview=board.overview(now),
            batches=board.batches()[: -_BATCHES - 1 : -1],
            unreadable=found.rows,
            pager=Pager(page=page, total=found.total),
            page_link=lambda number: f"?page={number}#unreadable",
        )

    def show_outbox(
        self, request: Request, status: Annotated[str, Query(max_length=20)] = "", page: PageNumber = 1
    ) -> HTMLResponse:
        now, board = self._clock(), self._board()
        found = board.effects(status=status, offset=(page - 1) * PAGE_SIZE, limit=PAGE_SIZE)
        return self._pages.render(
            request,
            "outbox.html",
            now=now,
            effects=found.rows,
            counts=board.overview(now).effects,
            chosen=status,
            pager=Pager(page=page, total=found.total),
            page_link=lambda number: "?" + urlencode({"status": status, "page": number}),
        )

    def show_run(
        self, dag: Annotated[str, Query(max_length=250)] = "", run: Annotated[str, Query(max_length=250)] = ""
    ) -> str:
        """Redirect from a run's page in Airflow to what it did; for a deciding run, to the proposals that it moved."""
        decided = "proposals?" + urlencode({"run": run})
        return "./" + (decided if dag == "kip_advance_stages" else _PAGES.get(dag, ""))

    def show_metrics(self, request: Request) -> HTMLResponse:
        now = self._clock()
        metrics = self._board().overview(now).metrics
        return self._pages.render(
            request,
            "metrics.html",
            now=now,
            metrics=metrics,
            summary=find_headlines(metrics) if metrics is not None else (),
            charts=build_charts(metrics) if metrics is not None else (),
        )


def _find_edits(board: Board) -> dict[tuple[int, str], str]:
    """Proposal and drifted side → the status of kipflow's own waiting edit of it."""
    edits: dict[tuple[int, str], str] = {}
    for row in board.edits():
        if row.number is not None and "state" in row.payload.get("sets", {}):
            edits[row.number, "page"] = row.status
        edits |= {(move["number"], "index"): row.status for move in row.payload.get("moves", ())}
    return edits


def _read_overview(board: Board, now: datetime) -> dict[str, Any]:
    overview, newest = board.overview(now), board.newest(_PER_STAGE)
    votes = board.rows(RowQuery(stages=(Stage.VOTE,), sort=Sort.CLOSE, descending=False, limit=_VOTES))
    return {
        "overview": overview,
        "votes": votes,
        "absent": board.absent(now, [row.number for row in votes.rows]),
        "questions": board.review(_QUESTIONS),
        "groups": [Group(stage=s, rows=newest[s], total=overview.stages[s]) for s in _PER_STAGE if s in newest],
    }
