"""Proposal pages saved as text or HTML from a browser: title and sections."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import lru_cache
from html import unescape

from kipflow.wiki.sections import Line, Section, cut_at_headings
from kipflow.wiki.storage import collapse

ADDRESS = re.compile(r"https?://[^\s\])>]{1,500}")
_VERSION_BANNER = re.compile(
    r"you are viewing an old version|compare with current|view page history|« ?previous|version \d+ next"
    r"|^no labels$",
    re.IGNORECASE,
)
_HTML_TITLE = re.compile(r"<title>([^<]{1,1000})</title>", re.IGNORECASE)
#: The title is looked for in this many first lines.
_HEAD_LINES = 5


def sections_of_text(text: str, names: Iterable[str]) -> tuple[Section, ...]:
    """Plain text as sections: headings are lines equal to one of `names` (the template's headings).

    Banners of old versions and empty lines are left out.
    """
    headings = {collapse(name).casefold(): name for name in names}

    def read_lines() -> Iterator[tuple[Line, int]]:
        for raw in text.splitlines():
            line = collapse(raw.strip().lstrip("•-* ")) if raw.strip()[:1] in "•-*" else collapse(raw)
            name = headings.get(line.casefold())
            if name is not None:
                yield Line(text=name), 1
            elif line and not _VERSION_BANNER.search(line):
                yield Line(text=line, links=tuple(ADDRESS.findall(line))), 0

    return cut_at_headings(read_lines())


def find_title(text: str, prefix: str) -> str:
    """A saved page's title: the HTML title, or a first line that begins with a key; empty if there is none."""
    html = _HTML_TITLE.search(text[:20_000])
    if html is not None:
        title = collapse(unescape(html.group(1)))
        # "Space : Title", as a wiki exports it
        at = _key_at(prefix).search(title)
        return title if at is None else title[at.start() :]
    for line in [collapse(raw) for raw in text[:20_000].splitlines() if raw.strip()][:_HEAD_LINES]:
        # a heading in Markdown begins with "#"
        if _key_at(prefix).match(line.lstrip("# ")):
            return line.lstrip("# ")[:300]
    return ""


@lru_cache(maxsize=32)
def _key_at(prefix: str) -> re.Pattern[str]:
    return re.compile(rf"\b{re.escape(prefix)}\s?-?\s?(?:\d{{1,5}}|NEXT|XXX?|\?{{1,3}})(?!\w)", re.IGNORECASE)
