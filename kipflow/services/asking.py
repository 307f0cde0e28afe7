"""Requests to a person in Airflow: effects that await approval, and questions that an outcome depends on.

Each run notes what it asks (as Airflow's required actions), so that no two runs ask the same.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from kipflow.domain.proposals import format_key
from kipflow.services.acts import perform
from kipflow.services.board import Board, ReviewRow
from kipflow.services.desk import ActContext, Desk, Done
from kipflow.services.ports import OutboxRow, Store
from kipflow.services.releases import load_effects
from kipflow.services.ruling_checks import BadRuling
from kipflow.services.settling import Answer, find_release_ways, find_ways, list_answers
from kipflow.services.wording import REVIEW_WORDS, say_payload

#: After this time without an answer a request is made again, as a reminder.
PATIENCE = timedelta(days=1)
#: The most open requests; the board lists all.
MAX_OPEN = 50
_MARK = "asked"
#: Kind of effect → the question before it is sent.
_ASKS = {
    "slack": "send this to Slack",
    "index": "save this on the index page",
    "page": "save this on its page",
    "result": "mail this result to the list",
    "handover": "hand this draft to the vote's caller",
    "ticket": "comment on its ticket",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """Something that a person is asked. `key` identifies it among open requests; `number` is None if it is about no
    proposal.

    `title` is in our own words. `text` quotes mails and pages: whoever shows it must escape it.
    """

    key: str
    number: int | None
    title: str
    text: str
    answers: Mapping[str, Answer]

    @property
    def needs_reason(self) -> bool:
        """Whether every answer must have a reason."""
        return all(answer.needs_reason for answer in self.answers.values())


def find_requests(board: Board, prefix: str) -> list[Request]:
    """All requests that are open now: first questions that an outcome depends on, then effects, oldest first."""
    found = (
        *(_ask(row) for row in board.review() if row.item.outcomes),
        *(_ask_to_send(row, prefix) for row in load_effects(board, "held")),
    )
    return [request for request in found if request.answers]


def _ask(row: ReviewRow) -> Request:
    item = row.item
    return Request(
        key=f"{row.number} {item.kind} {item.subject}",
        number=row.number,
        title=f"{row.key}: {REVIEW_WORDS.get(item.kind, item.kind)}",
        text="\n".join(filter(None, (item.question, item.line and f"“{item.line}”", *item.outcomes))),
        answers=list_answers(find_ways(row.number, item)),
    )


def _ask_to_send(effect: OutboxRow, prefix: str) -> Request:
    about = format_key(prefix, effect.number) if effect.number is not None else effect.channel
    return Request(
        key=f"effect {effect.key}",
        number=effect.number,
        title=f"{about}: {_ASKS.get(effect.channel, effect.channel)}?",
        text="\n".join(effect.payload.get("diff", ())) or say_payload(effect.payload),
        answers=list_answers(find_release_ways(effect)),
    )


def choose_new(store: Store, requests: Sequence[Request], *, run_id: str, now: datetime) -> list[Request]:
    """Requests that no other run makes, noted as made by this run. The same run gets the same ones again.

    Settled requests are forgotten; one that is open again is made again.
    """
    with store.begin() as session:
        noted: dict[str, list[str]] = json.loads(session.marks.load(_MARK) or "{}")
        open_now = {request.key for request in requests}
        asked = {k: v for k, v in noted.items() if k in open_now and datetime.fromisoformat(v[1]) > now}
        free = [r for r in requests if r.key not in asked][: max(0, MAX_OPEN - len(asked))]
        asked |= {request.key: [run_id, (now + PATIENCE).isoformat()] for request in free}
        session.marks.save(_MARK, json.dumps(asked, sort_keys=True))
    return [request for request in requests if asked.get(request.key, [""])[0] == run_id]


def answer(desk: Desk, key: str, chosen: str, context: ActContext) -> Done | None:
    """Perform the chosen answer; None if the request was settled meanwhile.

    Raises:
        BadRuling: there is no such answer, or the act refuses it (without a reason, say).
    """
    request = next((r for r in find_requests(desk.store, desk.effects.prefix) if r.key == key), None)
    if request is None:
        return None
    if chosen not in request.answers:
        raise BadRuling(f"{chosen!r} is no answer; the answers are {', '.join(request.answers)}")
    picked = request.answers[chosen]
    return perform(desk, picked.act, picked.values, context)
