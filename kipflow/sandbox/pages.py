"""Pages at which a person can look at the sandbox: overview, wiki, list, threads, Slack channels."""

from __future__ import annotations

import re
from collections import Counter
from datetime import UTC, datetime
from html import escape
from typing import Annotated
from urllib.parse import quote

from fastapi import APIRouter, Depends, Request
from starlette.responses import HTMLResponse, PlainTextResponse, RedirectResponse, Response

from kipflow.sandbox.answers import expected
from kipflow.sandbox.channels import Channels, Post
from kipflow.sandbox.layout import page
from kipflow.sandbox.mailarchive import Entry, MailArchive, body_of, find_members, find_root, mask
from kipflow.sandbox.mrkdwn import render_mrkdwn
from kipflow.sandbox.parts import Now, TheArchive, TheChannels, TheWiki
from kipflow.sandbox.people import PEOPLE, render_roster
from kipflow.sandbox.storage import render_storage
from kipflow.sandbox.wikistate import LivePage, WikiState

#: Nothing on these pages needs a script or another host.
_SAFE = {
    "Content-Security-Policy": "default-src 'none'; style-src 'unsafe-inline'; img-src data:",
    "X-Content-Type-Options": "nosniff",
}


router = APIRouter()


class Frame:
    """Puts the frame around a page's body."""

    def __init__(self, now: Now) -> None:
        self._now = now

    def __call__(self, title: str, body: str, status: int = 200) -> Response:
        return HTMLResponse(page(title, body, now=f"{self._now:%a %d %b %Y %H:%M} UTC"), status, headers=_SAFE)

    def lacks(self, what: str, sentence: str, status: int = 404) -> Response:
        return self(what, f"<article><p>{sentence}</p></article>", status)


Show = Annotated[Frame, Depends()]


@router.get("/")
def overview(show: Show, archive: TheArchive, wiki: TheWiki, channels: TheChannels, now: Now) -> Response:
    return show("A community in a box", _render_overview(archive, wiki, channels, now))


@router.get("/wiki/")
def wiki_index(request: Request, wiki: TheWiki, title: str = "") -> Response:
    if title:
        found = next((p for p in wiki.all() if p.title == title), None)
        return RedirectResponse(f"/wiki/{found.page_id if found else 'none'}")
    return RedirectResponse(f"/wiki/{request.app.state.index_page}")


@router.get("/confluence/pages/viewpage.action")
def view_page(pageId: str) -> Response:
    return RedirectResponse(f"/wiki/{quote(pageId, safe='')}")


@router.get("/wiki/{page_id}")
def wiki_page(page_id: str, show: Show, wiki: TheWiki, version: int = 0) -> Response:
    found = wiki.find(page_id)
    if found is None or found.gone:
        return show.lacks("Page not found", "No such page, or it was deleted.")
    if found.denied:
        return show.lacks("Not permitted", "You may not read this page.", 403)
    return show(found.title, _render_wiki(found, version if 1 <= version <= found.number else found.number))


@router.get("/list")
def mail_list(show: Show, archive: TheArchive, now: Now, about: str = "") -> Response:
    named = re.compile(rf"{re.escape(about)}(?!\d)")
    found = [e for e in archive.seen(now) if named.search(e.subject)]
    newest = sorted(found, key=lambda e: e.mail.arrives_at, reverse=True)[:100]
    return show(f"{archive.list_id}: {about or 'newest mails'}", _render_list(newest))


@router.get("/thread/{mid:path}")
def thread(mid: str, show: Show, archive: TheArchive, now: Now) -> Response:
    seen, entry = archive.seen(now), archive.find(mid, now)
    if entry is None:
        return show.lacks("Thread not found", "The archive has no such mail.")
    root = find_root(seen, entry)
    return show(root.subject or "(no subject)", "".join(_render_mail(e) for e in find_members(seen, root)))


@router.get("/slack")
def slack(show: Show, channels: TheChannels) -> Response:
    return show("Slack", _render_slack(channels.posts))


@router.get("/roster.yaml")
def roster() -> Response:
    return PlainTextResponse(render_roster(), media_type="application/yaml")


def _render_overview(archive: MailArchive, wiki: WikiState, channels: Channels, now: datetime) -> str:
    seen = archive.seen(now)
    people = len({e.sender for e in seen})
    cards = (
        ("/list", "Mailing list", f"{len(seen)} mails by {people} senders on {archive.list_id}"),
        ("/wiki/", "Wiki", f"{len(wiki.all())} pages, {sum(p.number for p in wiki.all())} versions"),
        ("/slack", "Slack", f"{len(channels.posts)} messages posted so far"),
    )
    shown = "".join(f'<div class="card"><h2><a href="{u}">{t}</a></h2><p>{escape(d)}</p></div>' for u, t, d in cards)
    text = (
        "<p>This is a small, invented open-source community. It answers as Pony Mail, Confluence, JIRA and Slack do, "
        "so that kipflow can be run and watched without the real ones.</p>"
    )
    stages = Counter(answer.stage for answer in expected().values())
    summary = ", ".join(f"{n} {stage}" for stage, n in stages.items())
    rows = "".join(
        f'<tr><td><a href="/wiki/{2000 + number}">KIP-{number}</a></td>'
        f"<td>{answer.stage}</td><td>{escape(answer.note)}</td></tr>"
        for number, answer in expected().items()
    )
    story = (
        f"<article><h1>The story at its anchor</h1><p class='soft'>{summary}</p>"
        f"<table><tbody><tr><th>Proposal</th><th>Stage</th><th>What it is there for</th></tr>"
        f"{rows}</tbody></table></article>"
    )
    return text + f'<div class="cards">{shown}</div>' + ("" if archive.is_real else story)


def _render_wiki(page: LivePage, number: int) -> str:
    version = page.versions[number - 1]
    who = PEOPLE[version.who].name if version.who in PEOPLE else version.who
    older = f' · <a href="/wiki/{page.page_id}?version={number - 1}">previous</a>' if number > 1 else ""
    newer = f' · <a href="/wiki/{page.page_id}">newest</a>' if number < page.number else ""
    when = f"{version.at:%Y-%m-%d %H:%M} UTC"
    line = f"<p class='soft'>Version {number} of {page.number}, saved by {escape(who)} at {when}{older}{newer}</p>"
    return f"{line}<article>{render_storage(version.body)}</article>"


def _render_list(entries: list[Entry]) -> str:
    rows = "".join(
        f"<tr><td class='soft'>{e.mail.arrives_at:%d %b %H:%M}</td>"
        f'<td><a href="/thread/{quote(e.id)}">{escape(e.subject or "(no subject)")}</a></td>'
        f"<td>{escape(mask(e.sender).partition(' <')[0])}</td></tr>"
        for e in entries
    )
    return f"<article><table><tbody><tr><th>When</th><th>Subject</th><th>From</th></tr>{rows}</tbody></table></article>"


def _render_mail(entry: Entry) -> str:
    lines = [
        f'<span class="quote">{escape(line)}</span>' if line.lstrip().startswith(">") else escape(line)
        for line in body_of(entry).splitlines()
    ]
    text = "\n".join(lines)
    when = datetime.fromtimestamp(entry.epoch, UTC)
    head = f"{escape(mask(entry.sender))} · {when:%Y-%m-%d %H:%M} UTC"
    anchor = escape(entry.id)
    return (
        f'<article class="mail" id="{anchor}"><h2>{escape(entry.subject or "(no subject)")}</h2>'
        f"<p class='soft'>{head} · <a href=\"/api/source.lua?id={quote(entry.id)}\">source</a></p>"
        f"<pre>{text}</pre></article>"
    )


def _render_slack(posts: list[Post]) -> str:
    if not posts:
        return "<article><p class='soft'>Nothing has been posted yet.</p></article>"
    parts: list[str] = []
    for name in sorted({p.channel for p in posts}):
        here = [p for p in posts if p.channel == name]
        shown = "".join(_render_thread(p, here) for p in reversed(here) if not p.thread)
        parts.append(f"<article><h1>{escape(name)}</h1>{shown}</article>")
    return "".join(parts)


def _render_thread(root: Post, posts: list[Post]) -> str:
    answers = "".join(_render_post(p) for p in posts if p.thread == root.ts)
    return _render_post(root) + (f'<div class="answers">{answers}</div>' if answers else "")


def _render_post(post: Post) -> str:
    # as in Slack: where there are blocks, the text is only for notifications
    texts = [post.text] if post.text and not post.blocks else []
    for block in post.blocks:
        fields = [block.get("text"), *(block.get("fields") or []), *(block.get("elements") or [])]
        texts += [str(f.get("text")) for f in fields if isinstance(f, dict) and isinstance(f.get("text"), str)]
    edited = " (edited)" if post.edited else ""
    shown = "".join(f"<p>{render_mrkdwn(text)}</p>" for text in dict.fromkeys(texts))
    head = f'<span class="soft"><strong>kipflow</strong> {post.at:%Y-%m-%d %H:%M}{edited}</span>'
    return f'<div class="post">{head}{shown}</div>'
