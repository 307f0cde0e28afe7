"""Pages at which a person can look at the sandbox: overview, wiki, list, threads, Slack channels."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable
from datetime import UTC, datetime
from html import escape
from urllib.parse import quote

from fastapi import APIRouter
from starlette.responses import HTMLResponse, PlainTextResponse, RedirectResponse, Response

from kipflow.sandbox.answers import expected
from kipflow.sandbox.layout import page
from kipflow.sandbox.mailarchive import Entry, MailArchive, body_of, find_members, find_root, mask
from kipflow.sandbox.mrkdwn import render_mrkdwn
from kipflow.sandbox.people import PEOPLE, render_roster
from kipflow.sandbox.slack import Channels, Post
from kipflow.sandbox.storage import render_storage
from kipflow.sandbox.wikistate import WikiState

#: Nothing on these pages needs a script or another host.
_SAFE = {
    "Content-Security-Policy": "default-src 'none'; style-src 'unsafe-inline'; img-src data:",
    "X-Content-Type-Options": "nosniff",
}


def routes(
    archive: MailArchive,
    wiki: WikiState,
    channels: Channels,
    now: Callable[[], datetime],
    *,
    index_page: str,
    told: bool,
) -> APIRouter:
    """The person's pages. `told` False means that real mail is served instead of the story's."""
    router = APIRouter()

    def show(title: str, body: str, *, status: int = 200, wide_title: bool = True) -> Response:
        text = page(title, body, now=f"{now():%a %d %b %Y %H:%M} UTC", wide_title=wide_title)
        return HTMLResponse(text, status, headers=_SAFE)

    @router.get("/")
    def overview() -> Response:
        return show("A community in a box", _render_overview(archive, wiki, channels, now(), told=told))

    @router.get("/wiki/")
    def wiki_index(title: str = "") -> Response:
        if title:
            found = next((p for p in wiki.all() if p.title == title), None)
            return RedirectResponse(f"/wiki/{found.page_id if found else 'none'}")
        return RedirectResponse(f"/wiki/{index_page}")

    @router.get("/confluence/pages/viewpage.action")
    def view_page(pageId: str) -> Response:
        return RedirectResponse(f"/wiki/{quote(pageId, safe='')}")

    @router.get("/wiki/{page_id}")
    def wiki_page(page_id: str, version: int = 0) -> Response:
        found = wiki.find(page_id)
        if found is None or found.gone:
            return show("Page not found", "<article><p>No such page, or it was deleted.</p></article>", status=404)
        if found.denied:
            return show("Not permitted", "<article><p>You may not read this page.</p></article>", status=403)
        number = version if 1 <= version <= found.number else found.number
        return show(
            found.title, _render_wiki(found.page_id, number, found.versions[number - 1].body, found.number, wiki)
        )

    @router.get("/list")
    def mail_list(about: str = "") -> Response:
        named = re.compile(rf"{re.escape(about)}(?!\d)")
        found = [e for e in archive.seen(now()) if named.search(e.subject)]
        newest = sorted(found, key=lambda e: e.mail.arrives_at, reverse=True)[:100]
        return show(f"{archive.list_id}: {about or 'newest mails'}", _render_list(newest))

    @router.get("/thread/{mid:path}")
    def thread(mid: str) -> Response:
        seen = archive.seen(now())
        entry = archive.find(mid, now())
        if entry is None:
            return show("Thread not found", "<article><p>The archive has no such mail.</p></article>", status=404)
        root = find_root(seen, entry)
        return show(root.subject or "(no subject)", "".join(_render_mail(e) for e in find_members(seen, root)))

    @router.get("/slack")
    def slack() -> Response:
        return show("Slack", _render_slack(channels.posts))

    @router.get("/roster.yaml")
    def roster() -> Response:
        return PlainTextResponse(render_roster(), media_type="application/yaml")

    return router


def _render_overview(archive: MailArchive, wiki: WikiState, channels: Channels, now: datetime, *, told: bool) -> str:
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
    return text + f'<div class="cards">{shown}</div>' + (story if told else "")


def _render_wiki(page_id: str, number: int, body: str, newest: int, wiki: WikiState) -> str:
    found = wiki.find(page_id)
    version = found.versions[number - 1] if found else None
    who = PEOPLE[version.who].name if version and version.who in PEOPLE else (version.who if version else "")
    when = f"{version.at:%Y-%m-%d %H:%M} UTC" if version else ""
    older = f' · <a href="/wiki/{page_id}?version={number - 1}">previous</a>' if number > 1 else ""
    newer = f' · <a href="/wiki/{page_id}">newest</a>' if number < newest else ""
    line = f"<p class='soft'>Version {number} of {newest}, saved by {escape(who)} at {when}{older}{newer}</p>"
    return f"{line}<article>{render_storage(body)}</article>"


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
