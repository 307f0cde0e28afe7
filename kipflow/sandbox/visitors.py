"""What visitors can do as one of the people: write mail, edit a page, resolve a ticket, post, move the clock.

GET changes nothing, and forms of other sites are refused.
"""

from __future__ import annotations

from html import escape
from typing import Annotated, Any, Literal
from urllib.parse import quote

from fastapi import APIRouter, Depends, Request
from pydantic import AfterValidator, BaseModel, Field, ValidationError
from starlette.responses import RedirectResponse, Response

from kipflow.posted_forms import Refusal, parse_form, read_body, refuse_other_sites
from kipflow.sandbox.clock import parse_step
from kipflow.sandbox.mailarchive import Entry, write_mail
from kipflow.sandbox.mails import LIST
from kipflow.sandbox.pages import Frame, Show
from kipflow.sandbox.parts import Now, TheArchive, TheChannels, TheClock, TheSockets, TheTickets, TheWiki
from kipflow.sandbox.people import PEOPLE, RESIDENTS
from kipflow.sandbox.socketmode import write_press
from kipflow.sandbox.wikistate import LivePage

# handlers that change something are async, so that they run one after the other
router = APIRouter()

#: Kind of mail → initial subject and words of the form; {title} is that of the page or the thread.
_KINDS = {
    "mail": ("", ""),
    "answer": ("Re: {title}", ""),
    "discuss": ("[DISCUSS] {title}", "I would like to start a discussion on {title}."),
    "vote": ("[VOTE] {title}", "I would like to call a vote on {title}.\n\nIt is open for at least 72 hours."),
    "ballot": ("Re: {title}", "+1 (binding)"),
    "result": ("[RESULT] {title}", "The vote passes with three binding +1 and no -1.\n\nThanks for voting."),
}


def _check_person(who: str) -> str:
    if who not in PEOPLE:
        raise ValueError("nobody here has this name")
    return who


def _unify(text: str) -> str:
    """Line ends as in mail; a one-line header thus cannot smuggle in another."""
    return "\n".join(text.splitlines())


Who = Annotated[str, AfterValidator(_check_person)]
Line = Annotated[str, Field(max_length=300), AfterValidator(lambda text: " ".join(text.split()))]
Text = Annotated[str, Field(min_length=1, max_length=100_000), AfterValidator(_unify)]


class MailForm(BaseModel):
    who: Who
    subject: Line
    words: Annotated[Text, Field(max_length=20_000)]
    answers: str = ""


class EditForm(BaseModel):
    who: Who
    version: int
    body: Text
    message: Line = ""


class TicketForm(BaseModel):
    release: Annotated[str, Field(pattern=r"^[\w.-]{1,20}$")]


class PostForm(BaseModel):
    who: Who
    channel: str
    text: Annotated[Text, Field(max_length=3_000)]
    thread: str = ""


class PressForm(BaseModel):
    who: Who
    channel: str
    ts: str
    button: str
    reason: Line = ""


class StepForm(BaseModel):
    advance: Literal["1 hour", "1 day"]
    # a path on this site: "//host" and "/\host" would lead to another host
    back: Annotated[str, Field(pattern=r"^/([^/\\\s][^\\\s]*)?$", max_length=500)] = "/"


def _form(shape: type[BaseModel]) -> Any:
    async def read(request: Request) -> BaseModel:
        refuse_other_sites(request)
        fields = parse_form(request, await read_body(request))
        try:
            return shape(**{name: values[-1] for name, values in fields.items()})
        except ValidationError as error:
            first = error.errors()[0]
            raise Refusal(422, f"{'.'.join(map(str, first['loc']))}: {first['msg']}.") from error

    return Depends(read)


async def show_refusal(request: Request, error: Exception) -> Response:
    """Show a refusal as a page."""
    status, sentence = (error.status_code, error.detail) if isinstance(error, Refusal) else (500, "")
    return Frame(request, request.app.state.clock.now()).error("Nothing was changed", sentence, status=status)


@router.get("/write")
def write(
    show: Show, archive: TheArchive, wiki: TheWiki, now: Now, kind: str = "mail", page: str = "", answers: str = ""
) -> Response:
    about, answered = wiki.find(page), archive.find(answers, now)
    if kind not in _KINDS or (answered is None and kind in {"answer", "ballot", "result"}):
        return show.error("Thread not found", "The archive has no such mail.")
    title = answered.subject.removeprefix("Re: ") if answered else about.title if about else ""
    subject, words = (text.format(title=title) for text in _KINDS[kind])
    return show(
        "write.html", "Write a mail", answers=answers, who=_find_writer(kind, about, answered), subject=subject,
        words=words, list_id=LIST,
    )  # fmt: skip


def _find_writer(kind: str, about: LivePage | None, answered: Entry | None) -> str:
    """The preselected author: the proposal's author, or whoever called the vote."""
    if about is not None:
        return about.versions[0].who
    if kind == "result" and answered is not None:
        return next((p.id for p in RESIDENTS if any(e in answered.sender for e in p.emails)), "")
    return ""


@router.post("/mail")
async def send_mail(form: Annotated[MailForm, _form(MailForm)], archive: TheArchive, now: Now) -> Response:
    answered = archive.find(form.answers, now)
    if form.answers and answered is None:
        raise Refusal(404, "The archive has no mail to answer.")
    sent = write_mail(archive, PEOPLE[form.who], form.subject, form.words, answered, now)
    return _redirect(f"/thread/{quote(sent.id)}#{quote(sent.id)}")


@router.get("/wiki/{page_id}/edit")
def edit(page_id: str, show: Show, wiki: TheWiki) -> Response:
    page = _find_page(wiki, page_id)
    return show("edit.html", f"Edit {page.title}", page=page, body=page.versions[-1].body, warning="")


@router.post("/wiki/{page_id}/edit")
async def save(page_id: str, show: Show, wiki: TheWiki, form: Annotated[EditForm, _form(EditForm)]) -> Response:
    page = _find_page(wiki, page_id)
    if form.version != page.number:
        warning = (
            f"Somebody saved version {page.number} meanwhile. Your text is still here; saving puts it over theirs."
        )
        return show("edit.html", f"Edit {page.title}", page=page, body=form.body, warning=warning, status=409)
    wiki.save(page, body=form.body, who=form.who, message=form.message)
    return _redirect(f"/wiki/{quote(page_id)}")


def _find_page(wiki: TheWiki, page_id: str) -> LivePage:
    page = wiki.find(page_id)
    if page is None or page.gone or page.denied:
        raise Refusal(404, "No such page, or you may not edit it.")
    return page


@router.post("/tickets/{key}")
async def resolve(key: str, form: Annotated[TicketForm, _form(TicketForm)], tickets: TheTickets, now: Now) -> Response:
    if not tickets.resolve(key, form.release, now):
        raise Refusal(404, "There is no such open ticket.")
    return _redirect(f"/tickets#{quote(key)}")


@router.post("/slack")
async def post(form: Annotated[PostForm, _form(PostForm)], channels: TheChannels, now: Now) -> Response:
    if form.channel not in channels.names():
        raise Refusal(404, "There is no such channel.")
    if form.thread and all(p.ts != form.thread for p in channels.find(form.channel)):
        raise Refusal(404, "The channel has no such message.")
    # escaped as Slack's own clients do: typed text makes no links and mentions nobody
    sent = channels.add(form.channel, escape(form.text, quote=False), [], now, thread=form.thread, user=form.who)
    return _redirect(f"/slack#p{sent.ts}")


@router.post("/slack/press")
async def press(form: Annotated[PressForm, _form(PressForm)], channels: TheChannels, sockets: TheSockets) -> Response:
    pressed = next((p for p in channels.find(form.channel) if p.ts == form.ts), None)
    buttons = pressed.buttons if pressed is not None else []
    button = next((b for b in buttons if b.get("action_id") == form.button), None)
    if pressed is None or button is None:
        raise Refusal(404, "There is no such button.")
    if not await sockets.send_event(write_press(pressed, button, form.who, form.reason)):
        raise Refusal(503, "No app listens: the button does nothing.")
    return _redirect(f"/slack#p{pressed.ts}")


@router.post("/step")
async def step(form: Annotated[StepForm, _form(StepForm)], clock: TheClock) -> Response:
    clock.advance(parse_step(form.advance))
    return _redirect(form.back)


def _redirect(path: str) -> Response:
    return RedirectResponse(path, 303)
