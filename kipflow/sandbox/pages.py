"""The sandbox's pages for people: overview, wiki, list, threads, tickets, Slack channels."""

from __future__ import annotations

import re
from collections import Counter
from typing import Annotated, Any
from urllib.parse import quote

from fastapi import APIRouter, Depends, Request
from jinja2 import Environment, PackageLoader, StrictUndefined
from starlette.responses import HTMLResponse, PlainTextResponse, RedirectResponse, Response

from kipflow.sandbox.channels import Post, find_person
from kipflow.sandbox.mailarchive import body_of, find_members, find_root, mask
from kipflow.sandbox.mails import LIST
from kipflow.sandbox.markup import render_mrkdwn, render_storage
from kipflow.sandbox.parts import Now, TheArchive, TheChannels, TheTickets, TheWiki
from kipflow.sandbox.people import PEOPLE, RESIDENTS, render_roster
from kipflow.sandbox.plans import EXPECTED
from kipflow.sandbox.wiki import INDEX_PAGE

#: Everything is escaped; only the results of `render_storage` and `render_mrkdwn`, which escape, are marked safe.
TEMPLATES = Environment(
    loader=PackageLoader("kipflow.sandbox"),
    autoescape=True,
    undefined=StrictUndefined,
    trim_blocks=True,
    lstrip_blocks=True,
)
TEMPLATES.globals.update(mask=mask, render_mrkdwn=render_mrkdwn, residents=RESIDENTS)
TEMPLATES.globals.update(names={person.id: person.name for person in PEOPLE.values()})

#: These pages need no scripts and no other hosts, and no other site may frame them.
_SAFE = {
    "Content-Security-Policy": "default-src 'none'; style-src 'self'; img-src data:; form-action 'self'; "
    "base-uri 'none'; frame-ancestors 'none'",
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "same-origin",
}


class Frame:
    """Renders a template within the frame that all pages share."""

    def __init__(self, request: Request, now: Now) -> None:
        url = request.url
        self._common = {"now": now, "here": f"{url.path}?{url.query}" if url.query else url.path}

    def __call__(self, template: str, title: str, *, status: int = 200, **values: Any) -> Response:
        text = TEMPLATES.get_template(template).render(self._common, title=title, **values)
        return HTMLResponse(text, status, headers=_SAFE)

    def error(self, what: str, sentence: str, *, status: int = 404) -> Response:
        return self("note.html", what, sentence=sentence, status=status)


Show = Annotated[Frame, Depends()]


router = APIRouter()


@router.get("/")
def overview(
    show: Show, archive: TheArchive, wiki: TheWiki, tickets: TheTickets, channels: TheChannels, now: Now
) -> Response:
    seen = archive.seen(now)
    return show(
        "overview.html", "A community in a box", mails=len(seen), senders=len({e.sender for e in seen}),
        list_id=LIST, wiki=wiki, tickets=tickets.seen(now), posts=channels.posts, answers=EXPECTED,
        stages=Counter(answer.stage for answer in EXPECTED.values()),
    )  # fmt: skip


@router.get("/wiki/")
def wiki_index(wiki: TheWiki, title: str = "") -> Response:
    if title:
        found = next((p for p in wiki.all() if p.title == title), None)
        return RedirectResponse(f"/wiki/{found.page_id if found else 'none'}")
    return RedirectResponse(f"/wiki/{INDEX_PAGE}")


@router.get("/confluence/pages/viewpage.action")
def view_page(pageId: str) -> Response:
    return RedirectResponse(f"/wiki/{quote(pageId, safe='')}")


@router.get("/wiki/{page_id}")
def wiki_page(page_id: str, show: Show, wiki: TheWiki, version: int = 0) -> Response:
    found = wiki.find(page_id)
    if found is None or found.gone:
        return show.error("Page not found", "No such page, or it was deleted.")
    if found.denied:
        return show.error("Not permitted", "You may not read this page.", status=403)
    number = version if 1 <= version <= found.number else found.number
    shown, key = found.versions[number - 1], re.match(r"KIP-\d+", found.title)
    return show(
        "wiki.html", found.title, page=found, number=number, version=shown, key=key and key[0],
        saved_by=PEOPLE[shown.who].name if shown.who in PEOPLE else shown.who, body=render_storage(shown.body),
    )  # fmt: skip


@router.get("/list")
def mail_list(show: Show, archive: TheArchive, now: Now, about: str = "") -> Response:
    named = re.compile(rf"{re.escape(about)}(?!\d)")
    found = [e for e in archive.seen(now) if named.search(e.subject)]
    newest = sorted(found, key=lambda e: e.mail.arrives_at, reverse=True)[:100]
    return show("list.html", f"{LIST}: {about or 'newest mails'}", entries=newest)


@router.get("/thread/{mid:path}")
def thread(mid: str, show: Show, archive: TheArchive, now: Now) -> Response:
    seen, entry = archive.seen(now), archive.find(mid, now)
    if entry is None:
        return show.error("Thread not found", "The archive has no such mail.")
    root = find_root(seen, entry)
    mails = [(e, body_of(e).splitlines()) for e in find_members(seen, root)]
    return show("thread.html", root.subject or "(no subject)", root=root, mails=mails)


@router.get("/tickets")
def ticket_list(show: Show, tickets: TheTickets, now: Now) -> Response:
    return show("tickets.html", "Tickets", tickets=tickets.seen(now))


@router.get("/slack")
def slack(show: Show, channels: TheChannels, watch: bool = False) -> Response:
    return show("slack.html", "Slack", channels=channels, watch=watch, texts_of=_find_texts, name_of=_name_channel)


@router.get("/roster.yaml")
def roster() -> Response:
    return PlainTextResponse(render_roster(), media_type="application/yaml")


@router.get("/style.css")
def style() -> Response:
    return PlainTextResponse(TEMPLATES.get_template("style.css").render(), media_type="text/css")


def _name_channel(channel: str) -> str:
    person = find_person(channel) if channel.startswith("D0") else None
    return f"Direct messages to {PEOPLE[person].name}" if person else channel


def _find_texts(post: Post) -> list[str]:
    """The texts that Slack would show: if there are blocks, the message's text is only for notifications."""
    texts = [post.text] if post.text and not post.blocks else []
    for block in post.blocks:
        fields = [block.get("text"), *(block.get("fields") or []), *(block.get("elements") or [])]
        texts += [str(f.get("text")) for f in fields if isinstance(f, dict) and isinstance(f.get("text"), str)]
    return list(dict.fromkeys(texts))
