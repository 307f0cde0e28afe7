"""Who may change something by the board, and that it was really they who asked: right, origin and token of a write."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from fastapi import Request
from itsdangerous import BadData, URLSafeTimedSerializer

from kipflow.forms import Refusal, refuse_other_sites
from kipflow.services.desk import Desk, Values

#: Seconds that a form can be sent after its page was loaded.
MAX_AGE = 12 * 60 * 60


@dataclass(frozen=True, slots=True, kw_only=True)
class Writing:
    """What the board needs in order to change anything.

    `find_operator` gives the name of who is signed in if they may settle questions, else None. `secret` signs the
    forms; all processes that serve the board must have the same. `audit` records every act before it is performed:
    who, which, and its values with the reason.
    """

    desk: Callable[[], Desk]
    find_operator: Callable[[Request], str | None]
    secret: str
    audit: Callable[[str, str, Values], None]


@dataclass(frozen=True, slots=True, kw_only=True)
class Operator:
    """Somebody who may settle questions; `token` proves that a form was given to them."""

    name: str
    token: str


class Gate:
    """Lets a write through, or refuses it with 403."""

    def __init__(self, writing: Writing) -> None:
        self._writing = writing
        self._signer = URLSafeTimedSerializer(writing.secret, salt="kipflow board")

    def find_operator(self, request: Request) -> Operator | None:
        """Who asks, if they may settle questions."""
        name = self._writing.find_operator(request)
        return Operator(name=name, token=self._signer.dumps(name)) if name is not None else None

    def admit_form(self, request: Request, token: str) -> str:
        """The name of who sent a form.

        Raises:
            Refusal: 403, they may not, or the form is not one that they were given on this board.
        """
        name = self._admit(request)
        try:
            given_to = self._signer.loads(token, max_age=MAX_AGE)
        except BadData:
            given_to = None
        if given_to != name:
            raise Refusal(403, "This form is not yours or too old: load the page again.")
        return name

    def admit_program(self, request: Request) -> str:
        """The name of who sent JSON. No page of another site can: a browser would ask first, and be refused.

        Raises:
            Refusal: 403, they may not; 415, it is not said to be JSON.
        """
        if request.headers.get("content-type", "").partition(";")[0].strip().lower() != "application/json":
            raise Refusal(415, "Send JSON: Content-Type: application/json.")
        return self._admit(request)

    def _admit(self, request: Request) -> str:
        refuse_other_sites(request)
        name = self._writing.find_operator(request)
        if name is None:
            raise Refusal(403, "Your account may read this board, but not settle anything.")
        return name
