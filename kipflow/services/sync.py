"""Wiki and tickets: which pages have versions we do not hold, and what the tickets say now."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from datetime import datetime, timedelta

from kipflow.domain.errors import KipflowError, ServiceUnavailable, UnreadableInput
from kipflow.domain.facts import PageVersion, Unreadable
from kipflow.services.ports import PageRef, Report, Store, Tickets, Wiki, WikiPage
from kipflow.wiki.index import parse_index_page
from kipflow.wiki.pages import parse_page
from kipflow.wiki.substance import read_substance

#: Tickets change slowly and cost a request each.
TICKETS_EVERY = timedelta(hours=6)


def sync_wiki(
    store: Store,
    wiki: Wiki,
    *,
    index_page: str,
    prefix: str,
    as_of: datetime,
    on_progress: Callable[[str], None] = lambda _: None,
) -> Report:
    """Store every version that is not held of the index page's children, and the index's rows.

    A page that cannot be fetched or parsed is noted with its reason and does not stop the others.

    Raises:
        ServiceUnavailable: the list of pages itself cannot be had.
    """
    with store.begin() as session:
        held = session.load_page_versions()
    stored = unreadable = 0
    warnings: list[str] = []
    for ref in wiki.fetch_children(index_page):
        if ref.version <= held.get(ref.page_id, 0):
            continue
        on_progress(f"page {ref.page_id}, version {ref.version}")
        for version in _parse_missing(wiki, ref, held.get(ref.page_id, 0), prefix):
            with store.begin() as session:
                if isinstance(version, Unreadable):
                    unreadable += session.save_unreadable([version], seen_at=as_of)
                    warnings.append(f"{version.source}: {version.why}")
                else:
                    before = session.find_page_text(version.page_id, version.version - 1)
                    version = replace(version, substance=read_substance(version.body, before=before))
                    stored += session.save_page_version(version, seen_at=as_of)
    rows = _sync_index(store, wiki, index_page, prefix, as_of, warnings)
    counts = {"versions_new": stored, "index_rows": rows, "unreadable": unreadable}
    return Report(counts=counts, warnings=tuple(warnings))


def sync_tickets(store: Store, tickets: Tickets, *, as_of: datetime) -> Report:
    """Store the state of every ticket that a proposal names, at most every `TICKETS_EVERY`."""
    with store.begin() as session:
        last = session.load_mark("tickets-synced")
        keys = session.load_ticket_keys()
        seen = set((session.load_mark("tickets-seen") or "").split())
    if last is not None and as_of - datetime.fromisoformat(last) < TICKETS_EVERY:
        keys = [k for k in keys if k not in seen]
    changed = 0
    warnings: list[str] = []
    for key in keys:
        try:
            ticket = tickets.fetch_ticket(key, now=as_of)
        except ServiceUnavailable as error:
            warnings.append(str(error))
            continue
        seen.add(key)
        if ticket is not None:
            with store.begin() as session:
                changed += session.save_ticket(ticket)
    if keys:
        with store.begin() as session:
            session.save_mark("tickets-synced", as_of.isoformat())
            session.save_mark("tickets-seen", " ".join(sorted(seen)))
    return Report(counts={"tickets_asked": len(keys), "tickets_changed": changed}, warnings=tuple(warnings))


def _parse_missing(wiki: Wiki, ref: PageRef, held: int, prefix: str) -> Iterator[PageVersion | Unreadable]:
    for number in range(held + 1, ref.version + 1):
        try:
            page = wiki.fetch_page(ref.page_id) if number == ref.version else wiki.fetch_version(ref.page_id, number)
            yield parse(page, prefix)
        except UnreadableInput as error:
            yield Unreadable(source=f"page {ref.page_id}@{number}", why=error.why)
        except KipflowError as error:
            # the next run asks again: without its newest version the page still counts as not held
            yield Unreadable(source=f"page {ref.page_id}@{number}", why=str(error))
            return


def parse(page: WikiPage, prefix: str) -> PageVersion:
    """A wiki's page as a fact."""
    return parse_page(
        page_id=page.page_id,
        version=page.version,
        title=page.title,
        body=page.body,
        saved_at=page.saved_at,
        saved_by=page.saved_by,
        url=page.url,
        prefix=prefix,
        labels=page.labels,
    )


def _sync_index(store: Store, wiki: Wiki, index_page: str, prefix: str, as_of: datetime, warnings: list[str]) -> int:
    try:
        page = wiki.fetch_page(index_page)
        with store.begin() as session:
            if session.load_mark("index-version") == str(page.version):
                return 0
        rows, odd = note_index(store, page, prefix, as_of)
    except KipflowError as error:
        warnings.append(f"index page {index_page}: {error}")
        return 0
    warnings.extend(_first(odd, 20))
    return rows


def note_index(store: Store, page: WikiPage, prefix: str, as_of: datetime) -> tuple[int, tuple[str, ...]]:
    """Store the rows of an index page's version: how many are new, and what is odd about them.

    Raises:
        UnreadableInput: the page cannot be read at all.
    """
    parsed = parse_index_page(page.body, prefix, as_of)
    with store.begin() as session:
        rows = session.save_index_entries(parsed.entries)
        session.save_mark("index-version", str(page.version))
    return rows, parsed.warnings


def _first(lines: Iterable[str], limit: int) -> list[str]:
    found = list(lines)
    return found if len(found) <= limit else [*found[:limit], f"… and {len(found) - limit} more"]
