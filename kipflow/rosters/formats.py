"""Find a roster's form, and read its entries."""

from __future__ import annotations

import re
from collections.abc import Sequence
from enum import StrEnum

from kipflow.domain.errors import UnreadableInput
from kipflow.rosters.asf_html import find_columns, parse_html
from kipflow.rosters.entries import Listing
from kipflow.rosters.files import as_listing, parse_roster
from kipflow.rosters.keys import parse_keys
from kipflow.rosters.ldap import parse_ldap
from kipflow.rosters.tables import parse_csv


class Format(StrEnum):
    """The forms that can be read."""

    ASF_HTML = "asf-html"
    LDAP_JSON = "ldap-json"
    KEYS = "keys"
    CSV = "csv"
    YAML = "yaml"


#: ASF's own export of all its people has some 2 MB.
MAX_CHARS = 16_000_000
#: How many characters of a text are used to find its form.
_START = 20_000


def find_format(text: str) -> Format | None:
    """The form that the beginning of `text` shows, or None."""
    start = text[:_START].lstrip("\ufeff \t\r\n")
    if start[:1] == "{":
        return Format.LDAP_JSON
    if re.search(r"<(?:!doctype html|html|table|body)\b", start, re.IGNORECASE):
        return Format.ASF_HTML
    if "-----BEGIN PGP PUBLIC KEY" in start or re.search(r"^(?:pub|uid)\s.*\S", start, re.MULTILINE):
        return Format.KEYS
    if re.search(r"^people:", start, re.MULTILINE):
        return Format.YAML
    head = [cell.strip(' "') for cell in re.split(r"[,;\t]", (start.splitlines() or [""])[0])]
    return Format.CSV if len(head) >= 2 and "name" in find_columns(head) else None


def parse_listing(
    documents: Sequence[tuple[str, str]], *, form: Format | None = None, project: str | None = None
) -> Listing:
    """The entries of one or more documents of one form.

    Args:
        documents: (name, text) of each; only LDAP's exports need several.
        form: None: found by the first text.
        project: which project, if a source has many.

    Raises:
        UnreadableInput: the form is not known, or the text is not of it.
    """
    if not documents:
        return Listing(entries=())
    for source, text in documents:
        if len(text) > MAX_CHARS:
            raise UnreadableInput(source=source, why=f"has more than {MAX_CHARS:,} characters; no roster is that large")
    chosen = form or find_format(documents[0][1])
    if chosen is None:
        known = ", ".join(Format)
        raise UnreadableInput(source=documents[0][0], why=f"its form is not known; name it with --format ({known})")
    if chosen is Format.LDAP_JSON:
        listing = parse_ldap(documents, project=project)
    else:
        parts = [_parse_one(source, text, chosen, project) for source, text in documents]
        notes = tuple(n for part in parts for n in part.notes)
        listing = Listing(entries=tuple(e for part in parts for e in part.entries), notes=notes)
    if not listing.entries:
        because = f" ({listing.notes[0]})" if listing.notes else ""
        raise UnreadableInput(source=documents[0][0], why=f"names nobody{because}; is it the right page or project?")
    return listing


def _parse_one(source: str, text: str, form: Format, project: str | None) -> Listing:
    if form is Format.ASF_HTML:
        return parse_html(text, source=source, project=project)
    if form is Format.KEYS:
        return parse_keys(text, source=source)
    if form is Format.CSV:
        return parse_csv(text, source=source)
    return as_listing(parse_roster(text, source=source))
