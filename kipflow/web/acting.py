"""The endpoints that change something: acts as forms for people, and as JSON for programs. GET changes nothing."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import datetime
from typing import Annotated

from fastapi import Depends, FastAPI, Path, Request
from fastapi.responses import HTMLResponse, JSONResponse
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from kipflow.domain.proposals import format_key
from kipflow.posted_forms import Refusal, parse_form, read_body
from kipflow.services.acts import ACTS, LISTS, SEEN, perform, preview_act
from kipflow.services.desk import MAX_REASON, ActContext, Done, Preview, ShownStages, Values, say_done
from kipflow.web.forms import ONLY
from kipflow.web.render import Pages
from kipflow.web.writing import Gate, WriteAccess

Name = Annotated[str, Path(max_length=40)]
Body = Annotated[bytes, Depends(read_body)]
#: The most proposals that the confirmation page links to.
_LINKS = 20
#: Fields with a larger limit than a reason has, in characters. Longer texts go through the command line.
_LONGEST = {"text": 200_000}


class ActRequest(BaseModel):
    """The JSON body of an act."""

    model_config = ConfigDict(extra="forbid", strict=True)
    values: dict[str, str | int | list[str]]
    reason: str = Field(default="", max_length=MAX_REASON)


class ActRoutes:
    """Performs acts in the name of the signed-in user; `clock` dates them."""

    def __init__(self, writing: WriteAccess, gate: Gate, pages: Pages, clock: Callable[[], datetime]) -> None:
        self._writing, self._gate, self._pages, self._clock = writing, gate, pages, clock

    def add_to(self, app: FastAPI) -> None:
        app.post("/acts/{name}", response_class=HTMLResponse, include_in_schema=False)(self.act_by_form)
        body = {"required": True, "content": {"application/json": {"schema": ActRequest.model_json_schema()}}}
        app.post("/api/acts/{name}", openapi_extra={"requestBody": body})(self.act_by_program)
        app.post("/previews/{name}", response_class=HTMLResponse, include_in_schema=False)(self.preview_by_form)
        app.post("/api/previews/{name}", openapi_extra={"requestBody": body})(self.preview_by_program)

    def act_by_form(self, request: Request, name: Name, body: Body) -> HTMLResponse:
        author, values, reason = self._read_form(request, name, body)
        prefix, done = self._perform(name, values, author, reason)
        lines = say_done(done, prefix)
        proposals = find_links(done, prefix)
        return self._pages.render(request, "done.html", done=done, lines=lines, proposals=proposals)

    def act_by_program(self, request: Request, name: Name, body: Body) -> JSONResponse:
        """Perform an act in the caller's name. Returns what it did, and the ruling that can be revoked."""
        author, values, reason = self._read_json(request, name, body)
        prefix, done = self._perform(name, values, author, reason)
        return JSONResponse({"schema": 1, "ruling": done.ruling, "said": say_done(done, prefix)})

    def preview_by_form(self, request: Request, name: Name, body: Body) -> HTMLResponse:
        _, values, _ = self._read_form(request, name, body)
        found = self._preview(name, values)
        kept = {**values, SEEN: found.seen}
        return self._pages.render(request, "preview.html", act=name, values=kept, preview=found)

    def preview_by_program(self, request: Request, name: Name, body: Body) -> JSONResponse:
        """Preview an act: what it would change, and the value `seen` that confirms exactly that. Changes nothing."""
        _, values, _ = self._read_json(request, name, body)
        found = self._preview(name, values)
        return JSONResponse({"schema": 1, "seen": found.seen, "said": found.lines, "diff": found.diff})

    def _read_form(self, request: Request, name: str, body: bytes) -> tuple[str, Values, str]:
        """The sender's name, the act's values, and the reason."""
        form = parse_form(request, body)
        last = {field: values[-1] for field, values in form.items()}
        author = self._gate.admit_form(request, last.get("token", ""))
        fields = [field for field in _fields(name) if field in form and _is_for_button(name, field, last.get(ONLY, ""))]
        values = {field: form[field] if field in LISTS else last[field] for field in fields}
        return author, _check_values(values), _check_text("reason", last.get("reason", ""))

    def _read_json(self, request: Request, name: str, body: bytes) -> tuple[str, Values, str]:
        author, fields = self._gate.admit_program(request), _fields(name)
        try:
            given = ActRequest.model_validate_json(body)
        except ValidationError as error:
            first = error.errors()[0]
            where = ".".join(str(part) for part in first["loc"]) or "the body"
            raise Refusal(422, f"{where}: {first['msg']}.") from error
        unknown = set(given.values) - set(fields)
        if unknown:
            raise Refusal(422, f"{name} has no field {min(unknown)!r}; it has {', '.join(fields)}.")
        return author, _check_values(given.values), _check_text("reason", given.reason)

    def _preview(self, name: str, values: Values) -> Preview:
        return preview_act(self._writing.desk(), name, values, self._clock())

    def _perform(self, name: str, values: Values, author: str, reason: str) -> tuple[str, Done]:
        desk = self._writing.desk()
        noted = {field: _shorten(value) for field, value in values.items()}
        self._writing.audit(author, name, {**noted, "reason": reason})  # if that fails, nothing is changed
        done = perform(desk, name, values, ActContext(author=author, reason=reason, at=self._clock()))
        return desk.effects.prefix, done


def find_links(done: Done, prefix: str) -> list[tuple[int, str]]:
    """Number and key of the proposals that an act was about or changed, without those merely decided again."""
    found = [c for c in done.consequences if done.shown is ShownStages.ALL or c.moved or c.votes]
    return [(c.number, format_key(prefix, c.number)) for c in found if c.stage is not None][:_LINKS]


def _fields(name: str) -> tuple[str, ...]:
    """The fields of an act. Raises Refusal (404) if there is no such act."""
    act = ACTS.get(name)
    if act is None:
        raise Refusal(404, f"There is no act {name!r}.")
    return (*act.fields, *act.optional, *([SEEN] if act.preview else []))


def _is_for_button(name: str, field: str, only: str) -> bool:
    """Whether a form field belongs to the pressed button: a form may have several optional fields of one act."""
    return not only or field == only or field not in ACTS[name].optional


def _shorten(value: str | list[str]) -> str | list[str]:
    """A value for the audit log: only the beginning of a long text."""
    return f"{value[:MAX_REASON]}…" if isinstance(value, str) and len(value) > MAX_REASON else value


def _check_values(given: Mapping[str, str | int | list[str]]) -> dict[str, str | list[str]]:
    """The values as text, or lists of text for fields with several values. Raises Refusal (422) for any other."""
    for field, value in given.items():
        if isinstance(value, list) is not (field in LISTS):
            raise Refusal(422, f"{field} is {'a list' if field in LISTS else 'one value'}.")
    return {
        field: [_check_text(field, each) for each in value] if isinstance(value, list) else _check_text(field, value)
        for field, value in given.items()
    }


def _check_text(field: str, value: str | int) -> str:
    text, most = str(value), _LONGEST.get(field, MAX_REASON)
    if "\0" in text or len(text) > most:
        raise Refusal(422, f"{field} is longer than {most:,} characters or holds one that cannot be stored.")
    return text
