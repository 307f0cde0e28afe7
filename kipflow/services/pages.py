"""A new proposal: the next number, and its page from the template."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from kipflow.domain.errors import KipflowError, SaveConflict
from kipflow.domain.pagefaults import ANY, Norms
from kipflow.domain.proposals import format_key
from kipflow.services.ports import PageRef, Store, Wiki
from kipflow.wiki.index import parse_index_page
from kipflow.wiki.template import render_page
from kipflow.wiki.titles import parse_title

#: Two people who take a number at the same moment: the loser goes on to the next one, so often.
NUMBER_ATTEMPTS = 5
#: Confluence's titles have 255 characters at most; a key takes some.
MAX_HEADING = 240


@dataclass(frozen=True, slots=True, kw_only=True)
class NewPage:
    """A number that was taken. `page_id` is None in dry-run, where nothing was written."""

    number: int
    title: str
    page_id: str | None
    url: str = ""


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
    norms: Norms = ANY,
) -> NewPage:
    """Take the next number and write the page from the template.

    The wiki is the judge of who had a number first: after writing, the children are read again, and if
    an older page carries the same number, ours is given the next one.

    Args:
        again: also where a page of this title exists already: most often that is the same command, run twice.
        norms: the community's, whose template is written.

    Raises:
        KipflowError: the title cannot be a page's, or is taken; says what to do.
    """
    words = clean_heading(title, prefix)
    for _ in range(NUMBER_ATTEMPTS):
        children = list(wiki.fetch_children(index_page))
        if not again:
            _refuse_double(children, words, prefix)
        number = _next_number(store, wiki, index_page, children, prefix, now)
        heading = f"{format_key(prefix, number)}: {words}"
        if not writes:
            return NewPage(number=number, title=heading, page_id=None)
        try:
            page = wiki.create_page(index_page, title=heading, body=render_page(norms=norms))
        except SaveConflict:
            continue
        while (free := _first_free(wiki, index_page, page.page_id, number, prefix)) != number:
            number = free
            renamed = replace(page, title=f"{format_key(prefix, number)}: {words}")
            page = wiki.save_page(renamed, body=page.body, message=f"number {number}: the other was taken first")
        return NewPage(number=number, title=page.title, page_id=page.page_id, url=page.url)
    raise KipflowError(f"no number could be taken in {NUMBER_ATTEMPTS} attempts; try again")


def clean_heading(title: str, prefix: str) -> str:
    """A proposal's title without a number: the number is given, not chosen.

    Raises:
        KipflowError: nothing is left of it, or it is longer than a wiki's titles can be.
    """
    line = " ".join("".join(c if c.isprintable() else " " for c in title).split())
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


def _next_number(
    store: Store, wiki: Wiki, index_page: str, children: Sequence[PageRef], prefix: str, now: datetime
) -> int:
    parsed = parse_index_page(wiki.fetch_page(index_page).body, prefix, now)
    with store.begin() as session:
        known = session.load_numbers()
    taken = [
        *known,
        *(e.number for e in parsed.entries),
        *(n for c in children if (n := parse_title(c.title, prefix).number) is not None),
    ]
    return max([*taken, (parsed.next_number or 1) - 1], default=0) + 1


def _first_free(wiki: Wiki, index_page: str, page_id: str, number: int, prefix: str) -> int:
    """`number` if no older page than ours has it, else the next one that nobody has."""
    numbers: dict[int, list[str]] = {}
    for child in wiki.fetch_children(index_page):
        found = parse_title(child.title, prefix).number
        if found is not None:
            numbers.setdefault(found, []).append(child.page_id)
    oldest = min(numbers.get(number, [page_id]), key=lambda i: (len(i), i))
    if oldest == page_id:
        return number
    return max(numbers) + 1
