"""A new proposal: the next number, and its page from the template."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from itertools import count, islice

from kipflow.domain.errors import KipflowError, SaveConflict
from kipflow.domain.pagefaults import ANY, Norms
from kipflow.domain.proposals import MAX_NUMBER, Numbers, find_next, format_key, is_number
from kipflow.domain.texts import as_printable
from kipflow.services.ports import PageRef, Store, Wiki, WikiPage
from kipflow.wiki.index_reading import parse_index_page
from kipflow.wiki.template import render_page
from kipflow.wiki.titles import parse_title

#: How often the next number is tried if somebody else takes one at the same moment.
NUMBER_ATTEMPTS = 5
#: Confluence's limit for titles is 255 characters, including the key.
MAX_HEADING = 240


@dataclass(frozen=True, slots=True, kw_only=True)
class NewPage:
    """A number that was taken. `page_id` is None in dry-run, where nothing was written.

    `skipped` are lower numbers that somebody in the roster claims in mail.
    """

    number: int
    title: str
    page_id: str | None
    url: str = ""
    skipped: tuple[int, ...] = ()


def create_proposal(
    store: Store,
    wiki: Wiki,
    *,
    index_page: str,
    prefix: str,
    title: str,
    writes: bool,
    now: datetime,
    again: bool = False,
    chosen: int | None = None,
    norms: Norms = ANY,
) -> NewPage:
    """Take the next number and write the page from the template.

    The wiki decides who had a number first: after each write the children are read again, and if a page with the same
    number may have been first, ours gets the next one.

    Args:
        again: also if a page of this title exists already, which is usually the same command run twice.
        chosen: the number to take, if a person chose one; it must be free.
        norms: the community's, whose template is written.

    Raises:
        KipflowError: the title cannot be a page's, or is taken; says what to do.
    """
    words = clean_heading(title, prefix)
    for _ in range(NUMBER_ATTEMPTS):
        children = list(wiki.fetch_children(index_page))
        if not again:
            _refuse_double(children, words, prefix)
        found = _load_numbers(store, wiki, index_page, children, prefix, now)
        number, skipped = _find_free(found, chosen, prefix)
        heading = f"{format_key(prefix, number)}: {words}"
        if not writes:
            return NewPage(number=number, title=heading, page_id=None, skipped=skipped)
        try:
            page = wiki.create_page(index_page, title=heading, body=render_page(norms=norms))
        except SaveConflict:
            continue
        while (free := _first_free(wiki, index_page, page, number, prefix)) != number:
            number = free
            renamed = replace(page, title=f"{format_key(prefix, number)}: {words}")
            page = wiki.save_page(renamed, body=page.body, message=f"number {number}: the other was taken first")
        return NewPage(number=number, title=page.title, page_id=page.page_id, url=page.url, skipped=skipped)
    raise KipflowError(f"no number could be taken in {NUMBER_ATTEMPTS} attempts; try again")


def clean_heading(title: str, prefix: str) -> str:
    """A proposal's title without its number, which kipflow assigns.

    Raises:
        KipflowError: it is empty, or longer than the wiki allows.
    """
    line = " ".join(as_printable(title, " ").split())
    words = parse_title(line, prefix).text
    if not words:
        raise KipflowError("a proposal needs a title of its own, in words")
    if len(words) > MAX_HEADING:
        raise KipflowError(f"the title has {len(words)} characters; a wiki takes {MAX_HEADING} beside the number")
    return words


def _refuse_double(children: Sequence[PageRef], words: str, prefix: str) -> None:
    for child in children:
        found = parse_title(child.title, prefix)
        if found.number is not None and found.text.casefold() == words.casefold():
            raise KipflowError(f'"{child.title}" (page {child.page_id}) has this title; --again takes another number')


def _load_numbers(
    store: Store, wiki: Wiki, index_page: str, children: Sequence[PageRef], prefix: str, now: datetime
) -> Numbers:
    """The numbers in the store and on the wiki now."""
    parsed = parse_index_page(wiki.fetch_page(index_page).body, prefix, now)
    with store.read() as session:
        held = session.pages.load_taken()
    titles = (parse_title(c.title, prefix).number for c in children)
    here = {*(e.number for e in parsed.entries), *(n for n in titles if n is not None)}
    # a refused number stays refused, even on the wiki
    stated = parsed.next_number if parsed.next_number is not None else held.stated
    return replace(held, taken=held.taken | (here - held.refused), stated=stated)


def _find_free(numbers: Numbers, chosen: int | None, prefix: str) -> tuple[int, tuple[int, ...]]:
    """The number to take, and the claimed ones that were skipped.

    Raises:
        KipflowError: none is left, the next one is not clear, or the chosen one is no free number.
    """
    following = find_next(numbers)
    if chosen is not None:
        if not is_number(chosen):
            raise KipflowError(f"a number lies between 1 and {MAX_NUMBER}; {chosen} does not")
        if chosen in numbers.taken | numbers.refused:
            raise KipflowError(f"{format_key(prefix, chosen)} is taken already")
        return chosen, ()
    if following.beyond is not None:
        beyond, highest = (format_key(prefix, n) for n in (following.beyond, following.highest))
        settle = f'`kipflow review number {following.beyond} accept --reason "…"` (or refuse) settles it'
        if following.beyond not in numbers.taken:
            beyond, settle = f"the index says {following.beyond}, which", "correct it there"
        raise KipflowError(
            f"the next number is not clear: {beyond} lies {following.beyond - following.highest} beyond {highest}; "
            f"{settle}, or name one: --number {following.number}"
        )
    if not is_number(following.number):
        raise KipflowError(f"no number is left: {format_key(prefix, following.highest)} is taken, the last that can be")
    return following.number, following.skipped


def _first_free(wiki: Wiki, index_page: str, ours: PageRef | WikiPage, number: int, prefix: str) -> int:
    """`number` if no other page can have had it first, else a number that no page has.

    Of two pages created with it, the older one was first. When a page was renamed to it is unknown, so whoever sees the
    other page takes another number; the pages' age decides which, so that all differ.
    """
    holders: dict[int, list[PageRef]] = {}
    for child in wiki.fetch_children(index_page):
        found = parse_title(child.title, prefix).number
        if found is not None:
            holders.setdefault(found, []).append(child)
    others = [c for c in holders.get(number, []) if c.page_id != ours.page_id]
    older = sum(_age(c) < _age(ours) for c in others)
    by_age = all(c.version == 1 for c in (ours, *others))
    if not others or (by_age and not older):
        return number
    free = (n for n in count(number + 1) if n not in holders)
    return next(islice(free, older - by_age, None))


def _age(page: PageRef | WikiPage) -> tuple[int, str]:
    """A sort key for age: a wiki's page ids grow."""
    return len(page.page_id), page.page_id
