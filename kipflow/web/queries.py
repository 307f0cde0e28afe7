"""Converts between a page's address and a `RowQuery`; every value that is read is bounded."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Annotated, Literal, TypeVar
from urllib.parse import urlencode

from fastapi import Query

from kipflow.domain.events import Stage
from kipflow.domain.interfaces import INTERFACES
from kipflow.services.board import RowQuery, Sort, Waiting

T = TypeVar("T")

PAGE_SIZE = 50
#: More pages than any community's list has; a larger number in an address is a mistake or a probe.
MAX_PAGE = 10_000

#: Columns that are first sorted in descending order: newest and highest first. All others ascend.
_FIRST_DESCENDING = frozenset({Sort.NUMBER, Sort.SINCE, Sort.ACTIVITY})


@dataclass(frozen=True, slots=True, kw_only=True)
class ListQuery(RowQuery):
    """The query in the address of the list of proposals."""

    limit: int = PAGE_SIZE

    @property
    def page(self) -> int:
        return self.offset // PAGE_SIZE + 1

    @property
    def is_filtered(self) -> bool:
        return bool(self.stages or self.text or self.author or self.interface or self.run or self.waiting)

    def link_sorted(self, sort: Sort) -> str:
        """The query string that sorts by `sort`, in reverse if the list is sorted by it already."""
        flipped = not self.descending if sort is self.sort else sort in _FIRST_DESCENDING
        return replace(self, sort=sort, descending=flipped, offset=0).as_query_string()

    def link_page(self, page: int) -> str:
        return replace(self, offset=(page - 1) * PAGE_SIZE).as_query_string()

    def as_query_string(self) -> str:
        """`?…` with only what differs from the default list; `?` alone for the default itself."""
        pairs: list[tuple[str, str]] = [("stage", s.value) for s in self.stages]
        named = {"q": self.text, "author": self.author, "interface": self.interface, "run": self.run}
        named["waiting"] = self.waiting or ""
        pairs += [(name, str(value)) for name, value in named.items() if value]
        if (self.sort, self.descending) != (Sort.NUMBER, True):
            pairs.append(("sort", self.sort.value))
            pairs.append(("order", "desc" if self.descending else "asc"))
        if self.page > 1:
            pairs.append(("page", str(self.page)))
        return "?" + urlencode(pairs)


def parse_list_query(
    stage: Annotated[Sequence[str], Query(max_length=20)] = (),
    q: Annotated[str, Query(max_length=200)] = "",
    author: Annotated[str, Query(max_length=200)] = "",
    interface: Annotated[str, Query(max_length=40)] = "",
    run: Annotated[str, Query(max_length=250)] = "",
    waiting: Annotated[str, Query(max_length=20)] = "",
    attention: Annotated[str, Query(max_length=10)] = "",
    sort: Sort = Sort.NUMBER,
    order: Literal["asc", "desc", ""] = "",
    page: Annotated[int, Query(ge=1, le=MAX_PAGE)] = 1,
) -> ListQuery:
    """Parse the query in an address. An empty `stage` (the form's "all stages") means all; an unknown one is ignored.

    `attention` is the former name of `waiting=person`, still found in old links.
    """
    known = {s.value.lower(): s for s in Stage}
    if attention not in {"", "0", "false"}:
        waiting = Waiting.PERSON
    stages = tuple(dict.fromkeys(known[s.lower()] for s in stage if s.lower() in known))
    return ListQuery(
        stages=stages,
        text=_clean(q),
        author=_clean(author),
        interface=interface if interface in INTERFACES else "",
        run=run.replace("\0", ""),
        waiting=Waiting(waiting) if waiting in list(Waiting) else None,
        sort=sort,
        descending=order == "desc" if order else sort in _FIRST_DESCENDING,
        offset=(page - 1) * PAGE_SIZE,
    )


def _clean(text: str) -> str:
    return " ".join(text.replace("\0", " ").split())


@dataclass(frozen=True, slots=True, kw_only=True)
class Pager:
    """The position of a page in its list, counted from 1."""

    page: int
    total: int

    @property
    def pages(self) -> int:
        return max(1, -(-self.total // PAGE_SIZE))

    def slice(self, items: Sequence[T]) -> Sequence[T]:
        """This page's part of a complete list."""
        return items[(self.page - 1) * PAGE_SIZE : self.page * PAGE_SIZE]

    @property
    def first(self) -> int:
        return min(self.total, (self.page - 1) * PAGE_SIZE + 1)

    @property
    def last(self) -> int:
        return min(self.total, self.page * PAGE_SIZE)
