"""A proposal's page on the board has the result to announce, to copy, while nobody has announced it."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime

from fastapi.testclient import TestClient
from lxml import html

from kipflow.services.board import ProposalView
from kipflow.web.app import create_app
from tests.unit.services.test_result_mail import DECLARED, NOW, passed
from tests.web.memory import MemoryBoard, build_board


class OneVote:
    """The invented community's board, but for its proposals: they all are `view`."""

    def __init__(self, view: ProposalView) -> None:
        self._board, self._view = build_board(), view

    def proposal(self, _number: int, _as_of: datetime) -> ProposalView:
        return self._view

    def vote_mails(self, _number: int, _as_of: datetime) -> tuple[()]:
        return ()

    def __getattr__(self, name: str) -> object:
        return getattr(self._board, name)


def open_page(view: ProposalView) -> html.HtmlElement:
    board: MemoryBoard = OneVote(view)  # type: ignore[assignment]
    answer = TestClient(create_app(lambda: board, clock=lambda: NOW)).get("/proposals/7")
    assert answer.status_code == 200
    return html.fromstring(answer.text)


def test_the_draft_is_shown_as_text() -> None:
    view = passed()
    state = view.votes[0]
    hostile = replace(state.vote.ballots[0], name="<b>Ada</b>")
    vote = replace(state.vote, ballots=(hostile, *state.vote.ballots[1:]))
    page = open_page(replace(view, votes=(replace(state, vote=vote),)))
    (draft,) = page.xpath("//details[@id = 'result-draft']")
    assert "Subject: [RESULT] [VOTE] KIP-7: Names" in draft.text_content()
    assert "The vote on KIP-7 has passed." in draft.xpath("pre")[0].text_content()
    assert not draft.xpath(".//b")


def test_none_is_shown_once_the_result_is_announced() -> None:
    view = passed()
    state = view.votes[0]
    page = open_page(replace(view, votes=(replace(state, vote=replace(state.vote, declared=DECLARED)),)))
    assert not page.xpath("//details[@id = 'result-draft']")
