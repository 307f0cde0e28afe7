"""Checks of writes: may this user change something, and was it they who asked (permission, origin, token)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from fastapi import Request
from itsdangerous import BadData, URLSafeTimedSerializer

from kipflow.posted_forms import Refusal, refuse_other_sites
from kipflow.services.desk import Desk
from kipflow.services.ports import Audit

#: Seconds for which a loaded form stays valid.
MAX_AGE = 12 * 60 * 60


@dataclass(frozen=True, slots=True, kw_only=True)
class WriteAccess:
    """What the board needs to change anything.

    `find_operator` returns the name of the signed-in user if they may settle questions, else None. `secret` signs
    the forms; all processes that serve the board must share it. `audit` records every act before it is performed:
    user, act, and its values with the reason.
    """

    desk: Callable[[], Desk]
    find_operator: Callable[[Request], str | None]
    secret: str
    audit: Audit


@dataclass(frozen=True, slots=True, kw_only=True)
class Operator:
    """A user who may settle questions; `token` proves that a form was issued to them."""

    name: str
    token: str


class Gate:
    """Admits a write, or refuses it with 403."""

    def __init__(self, writing: WriteAccess) -> None:
        self._writing = writing
        self._signer = URLSafeTimedSerializer(writing.secret, salt="kipflow board")

    def find_operator(self, request: Request) -> Operator | None:
        """The user of the request, if they may settle questions."""
        name = self._writing.find_operator(request)
        return Operator(name=name, token=self._signer.dumps(name)) if name is not None else None

    def admit_form(self, request: Request, token: str) -> str:
        """The name of the user who sent a form. Raises Refusal unless they may, and have it from this board."""
        name = self._admit(request)
        try:
            given_to = self._signer.loads(token, max_age=MAX_AGE)
        except BadData:
            given_to = None
        if given_to != name:
            raise Refusal(403, "This form is not yours or too old: load the page again.")
        return name

    def admit_program(self, request: Request) -> str:
        """The name of the user who sent JSON. Raises Refusal unless they may, and the content type is JSON.

        Other sites cannot send it: a browser's preflight request would be refused.
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
