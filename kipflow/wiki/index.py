"""The round-up index: read from page, text or JSON; written in four formats; edited in place."""

from __future__ import annotations

from kipflow.wiki.index_editing import replace_index
from kipflow.wiki.index_exports import parse_index_json
from kipflow.wiki.index_reading import ParsedIndex, parse_index_page, parse_index_text
from kipflow.wiki.index_writing import FORMATS, render_index

__all__ = [
    "FORMATS",
    "ParsedIndex",
    "parse_index_json",
    "parse_index_page",
    "parse_index_text",
    "render_index",
    "replace_index",
]
