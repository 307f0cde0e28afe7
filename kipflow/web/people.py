"""Pages of people, also as JSON: everybody on the roster, what they did, and what waits for them."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated

from fastapi import FastAPI, HTTPException, Path, Request
from fastapi.responses import HTMLResponse, JSONResponse

from kipflow.services.board.people import PersonView
from kipflow.web.api import answer_json
from kipflow.web.render import BoardPart

PersonId = Annotated[str, Path(max_length=200)]


class PeoplePages(BoardPart):
    """One method for each page or JSON endpoint."""

    def add_to(self, app: FastAPI) -> None:
        for path, show in (("", self.list_people), ("/{person}", self.show_person)):
            app.get(f"/people{path}", response_class=HTMLResponse, include_in_schema=False)(show)
        app.get("/me", response_class=HTMLResponse, include_in_schema=False)(self.show_me)
        app.get("/api/people")(self.people)
        app.get("/api/people/{person}")(self.person)

    def list_people(self, request: Request) -> HTMLResponse:
        now = self._clock()
        return self._pages.render(request, "people.html", now=now, people=self._board().people(now))

    def show_person(self, request: Request, person: PersonId) -> HTMLResponse:
        now = self._clock()
        is_me = person == self._pages.find_me(request)
        return self._pages.render(request, "person.html", now=now, view=self._find(person, now), is_me=is_me)

    def show_me(self, request: Request) -> HTMLResponse:
        """What waits for the signed-in user; if their person in the roster is unknown, how to configure it."""
        me = self._pages.find_me(request)
        return self.show_person(request, me) if me else self._pages.render(request, "stranger.html")

    def people(self) -> JSONResponse:
        """Everybody on the roster, most votes within a year first."""
        now = self._clock()
        return answer_json(now, people=self._board().people(now))

    def person(self, person: PersonId) -> JSONResponse:
        """A person on the roster, with addresses, roles, ballots, and what waits for them."""
        now = self._clock()
        return answer_json(now, person=self._find(person, now))

    def _find(self, person: str, now: datetime) -> PersonView:
        """The person. Raises HTTPException (404) if nobody on the roster has this id."""
        view = self._board().find_person(person, now)
        if view is None:
            raise HTTPException(404)
        return view
