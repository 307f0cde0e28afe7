"""Store new versions of wiki pages, and the index."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import datetime, timedelta

from kipflow.domain.errors import KipflowError, ServiceUnavailable, UnreadableInput
from kipflow.domain.facts import Unreadable
from kipflow.domain.pages import PageAbsence, PageVersion
from kipflow.domain.texts import take_some
from kipflow.services.away import noting_outages
from kipflow.services.ports import PageRef, Report, Session, Store, Wiki, WikiPage
from kipflow.wiki.index_reading import parse_index_page
from kipflow.wiki.pages import parse_page
from kipflow.wiki.recordings import is_call_page, parse_call_page, parse_recordings
from kipflow.wiki.substance import read_substance
from kipflow.wiki.titles import parse_title

#: How often an unreadable page or version is tried again.
ABSENT_EVERY = timedelta(days=1)
#: The most old versions that are tried again in one run.
MAX_HOLES = 50
#: Pages fetched at one time: all of Apache shares the wiki.
MAX_CONNECTIONS = 2
#: The most warnings about the index in one run.
_ODD = 20
#: The reason for which a readable page is noted as absent.
MOVED = "moved away from below the index page"


def sync_wiki(
    store: Store,
    wiki: Wiki,
    *,
    index_page: str,
    prefix: str,
    as_of: datetime,
    on_progress: Callable[[str], None] = lambda _: None,
) -> Report:
    """Store all missing versions of the index page's children, and the index's rows.

    A page that cannot be fetched or parsed is noted with its reason and does not stop the others. One that was moved
    away is still followed; one that is deleted or hidden is noted as absent.

    Raises:
        ServiceUnavailable: the list of pages cannot be fetched.
    """
    run = _PageRun(store, wiki, prefix, as_of, on_progress)
    with noting_outages(store, "wiki", as_of):
        children = list(wiki.fetch_children(index_page))
    with store.begin() as session:
        held, absent = session.pages.load_versions(), session.pages.load_absent()
    listed = {ref.page_id for ref in children}
    run.store_missing([r for r in children if r.version > held.get(r.page_id, 0) and run.is_due(absent.get(r.page_id))])
    run.look_again([r for r in children if r.page_id in absent and r.version <= held.get(r.page_id, 0)], absent)
    run.look_for(sorted(held.keys() - listed - {index_page}), held, absent)
    run.fill_holes()
    rows = _sync_index(store, wiki, index_page, prefix, as_of, run.warnings)
    counts = {"versions_new": run.stored, "index_rows": rows, "unreadable": run.unreadable}
    return Report(counts=counts, warnings=tuple(run.warnings))


class _PageRun:
    """One run over the wiki's pages: fetches at most `MAX_CONNECTIONS` at a time, and stores in order."""

    def __init__(
        self, store: Store, wiki: Wiki, prefix: str, as_of: datetime, on_progress: Callable[[str], None]
    ) -> None:
        self.store, self.wiki, self.prefix, self.as_of, self.on_progress = store, wiki, prefix, as_of, on_progress
        self.stored = self.unreadable = 0
        self.warnings: list[str] = []

    def is_due(self, absence: PageAbsence | None) -> bool:
        """Whether to fetch a page: an unreadable one is not tried at every run."""
        return absence is None or self.as_of - absence.asked_at >= ABSENT_EVERY

    def store_missing(self, refs: Sequence[PageRef]) -> None:
        """Fetch and store the missing versions of these pages."""
        with self.store.begin() as session:
            held = session.pages.load_versions()

        def fetch(ref: PageRef) -> list[PageVersion | Unreadable]:
            return list(_parse_missing(self.wiki, ref, held.get(ref.page_id, 0), self.prefix))

        with ThreadPoolExecutor(max_workers=MAX_CONNECTIONS) as pool:
            for position in range(0, len(refs), MAX_CONNECTIONS):
                # a few at a time: the pages of a first run would not all fit into memory
                batch = refs[position : position + MAX_CONNECTIONS]
                self.on_progress(f"page {position + 1} of {len(refs)}: {batch[0].title[:60]}")
                for ref, found in zip(batch, pool.map(fetch, batch), strict=True):
                    self.save(ref, found)

    def save(self, ref: PageRef, found: Sequence[PageVersion | Unreadable]) -> None:
        newest = found[-1] if found else None
        # a page that is hidden or gone is reported as such, once, and not for each of its versions
        gone = newest.why if isinstance(newest, Unreadable) else None
        for version in found:
            with self.store.begin() as session:
                if isinstance(version, Unreadable):
                    new = session.mail.save_unreadable([version], seen_at=self.as_of)
                    self.unreadable += new
                    if new and version.why != gone:
                        self.warnings.append(f"{version.source}: {version.why}")
                else:
                    self.stored += _save_version(session, version, self.as_of)
        if found:
            self.note(ref, found[-1])
            self.save_notes(found[-1])

    def save_notes(self, newest: PageVersion | Unreadable) -> None:
        """Store the notes on proposals, if the page is one of recorded calls."""
        if isinstance(newest, PageVersion) and is_call_page(newest.title, self.prefix):
            notes = parse_call_page(newest.body, self.prefix, title=newest.title, url=newest.url)
            with self.store.begin() as session:
                session.pages.save_call_notes(notes, seen_at=self.as_of)

    def note(self, ref: PageRef, newest: PageVersion | Unreadable) -> None:
        """Note whether the page's newest version can be read."""
        with self.store.begin() as session:
            if isinstance(newest, PageVersion):
                if session.pages.note_present(ref.page_id, at=self.as_of):
                    self.warnings.append(f"page {ref.page_id}: can be read again")
            elif session.pages.note_absent(
                ref.page_id, why=newest.why, at=self.as_of, number=parse_title(ref.title, self.prefix).number
            ):
                self.warnings.append(f"page {ref.page_id} ({ref.title[:60]}): {newest.why}")

    def look_again(self, refs: Sequence[PageRef], absent: Mapping[str, PageAbsence]) -> None:
        """Try absent pages that are listed again without a newer version."""
        for ref in refs:
            absence = absent[ref.page_id]
            if absence.why == MOVED:
                with self.store.begin() as session:
                    session.pages.note_present(ref.page_id, at=self.as_of)
            elif self.is_due(absence):
                newest = next(_parse_missing(self.wiki, ref, ref.version - 1, self.prefix))
                self.note(ref, newest)

    def look_for(self, lost: Sequence[str], held: Mapping[str, int], absent: Mapping[str, PageAbsence]) -> None:
        """Look for known pages that are no longer below the index: follow moved ones, note the others as absent."""
        for page_id in lost:
            if not self.is_due(absent.get(page_id)):
                continue
            try:
                page = self.wiki.fetch_page(page_id)
            except UnreadableInput as error:
                with self.store.begin() as session:
                    if session.pages.note_absent(page_id, why=error.why, at=self.as_of):
                        self.warnings.append(f"page {page_id}: {error.why}")
                continue
            except ServiceUnavailable as error:
                self.warnings.append(str(error))
                return
            ref = PageRef(page_id=page_id, version=page.version, title=page.title)
            if page.version > held[page_id]:
                self.store_missing([ref])
            with self.store.begin() as session:
                session.pages.note_absent(page_id, why=MOVED, at=self.as_of)

    def fill_holes(self) -> None:
        """Try again, once in `ABSENT_EVERY`, old versions that are missing while later ones are stored."""
        with self.store.begin() as session:
            last = session.marks.load("wiki-holes-asked")
            if last is not None and self.as_of - datetime.fromisoformat(last) < ABSENT_EVERY:
                return
            holes = session.pages.load_holes(MAX_HOLES)
            session.marks.save("wiki-holes-asked", self.as_of.isoformat())
        for page_id, number in holes:
            try:
                version = parse_page(self.wiki.fetch_version(page_id, number), self.prefix)
            except KipflowError:
                continue  # noted at the first attempt
            with self.store.begin() as session:
                self.stored += _save_version(session, version, self.as_of)


def _save_version(session: Session, version: PageVersion, seen_at: datetime) -> bool:
    """Store a version with its substance, which is found by comparison with the version before it."""
    before = session.pages.find_text(version.page_id, version.version - 1)
    substance = read_substance(version.body, before=before)
    return session.pages.save_version(replace(version, substance=substance), seen_at=seen_at)


def _parse_missing(wiki: Wiki, ref: PageRef, held: int, prefix: str) -> Iterator[PageVersion | Unreadable]:
    for number in range(held + 1, ref.version + 1):
        try:
            page = wiki.fetch_page(ref.page_id) if number == ref.version else wiki.fetch_version(ref.page_id, number)
            yield parse_page(page, prefix)
        except UnreadableInput as error:
            yield Unreadable(source=f"page {ref.page_id}@{number}", why=error.why)
        except KipflowError as error:
            # the next run tries again: without its newest version the page still counts as missing
            yield Unreadable(source=f"page {ref.page_id}@{number}", why=str(error))
            return


def _sync_index(store: Store, wiki: Wiki, index_page: str, prefix: str, as_of: datetime, warnings: list[str]) -> int:
    try:
        page = wiki.fetch_page(index_page)
        with store.begin() as session:
            if session.marks.load("index-version") == str(page.version):
                return 0
        rows, odd = note_index(store, page, prefix, as_of)
    except KipflowError as error:
        warnings.append(f"index page {index_page}: {error}")
        return 0
    warnings += take_some(odd, _ODD, "… and {} more")
    return rows


def note_page(store: Store, page: WikiPage, prefix: str, as_of: datetime) -> None:
    """Store a proposal's page as it is now, if the version before it is stored; else the next sync does."""
    with store.begin() as session:
        if session.pages.load_versions().get(page.page_id) == page.version - 1:
            _save_version(session, parse_page(page, prefix), as_of)


def note_index(store: Store, page: WikiPage, prefix: str, as_of: datetime) -> tuple[int, tuple[str, ...]]:
    """Store the rows and notes of calls of an index page. Returns the number of new rows, and warnings.

    Raises:
        UnreadableInput: the page cannot be read at all.
    """
    parsed = parse_index_page(page.body, prefix, as_of)
    with store.begin() as session:
        rows = session.pages.save_index_entries(parsed.entries)
        session.pages.save_stated_number(parsed.next_number, origin="page")
        session.pages.save_call_notes(parse_recordings(page.body, prefix), seen_at=as_of)
        session.marks.save("index-version", str(page.version))
    return rows, parsed.warnings
