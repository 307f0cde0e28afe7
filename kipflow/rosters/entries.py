"""Entries of others' rosters, cleaned and bounded, since rosters come from strangers."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, time

from kipflow.config.roster import MAX_PEOPLE
from kipflow.domain.errors import UnreadableInput
from kipflow.domain.people import Person, Role, clean_address, fold_name
from kipflow.domain.texts import as_printable
from kipflow.domain.times import as_utc

MAX_NAME = 120
#: Addresses, aliases and roles of one person.
MAX_EACH = 64

_ID = re.compile(r"[a-z0-9][a-z0-9._-]{0,63}")
_EMAIL = re.compile(r"[a-z0-9!#$%&'+/=^_`{|}~-]+(?:\.[a-z0-9!#$%&'+/=^_`{|}~-]+)*@(?:[a-z0-9-]+\.)+[a-z]{2,24}")
_NICKNAME = re.compile(r"""(?P<first>[^\s("]+) +[("](?P<nick>[^()"]+)[)"] +(?P<last>[^()"]+)""")
_AT = re.compile(r"\s*[\[(]?\b(?:at|AT)\b[\])]?\s*")
_DOT = re.compile(r"\s+[\[(]?(?:dot|DOT)[\])]?\s+")
_DAY_FORMS = ("%Y/%m/%d", "%d %b %Y", "%d %B %Y", "%b %d, %Y", "%B %d, %Y", "%Y%m%d%H%M%SZ", "%Y%m%d")


@dataclass(frozen=True, slots=True, kw_only=True)
class RosterEntry(Person):
    """One person as one source describes them.

    `id` is "" where the source has none. `place` says where in the source ("row 3"), for reports.
    """

    place: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Listing:
    """All entries of one source. `notes` say what was left out or is uncertain."""

    entries: tuple[RosterEntry, ...]
    notes: tuple[str, ...] = ()


class Collector:
    """Collects the entries of one source, and notes on what was left out or is uncertain."""

    def __init__(self, source: str) -> None:
        self.entries: list[RosterEntry] = []
        self.notes: list[str] = []
        self._source = source

    def note(self, place: str, what: str) -> None:
        self.notes.append(f"{place}: {what}")

    def add(
        self,
        *,
        name: str,
        id: str = "",
        aliases: Iterable[str] = (),
        emails: Iterable[str] = (),
        roles: Iterable[Role] = (),
        place: str = "",
    ) -> None:
        """Add the cleaned entry, unless it names nobody.

        An address at apache.org is the account's, and gives the id if there is none.

        Raises:
            UnreadableInput: there are more people than any community has.
        """
        cleaned_id = id.strip().lower()
        if cleaned_id and not _ID.fullmatch(cleaned_id):
            self.note(place, f"{clean_name(id)!r} is not an id; left out")
            return
        addresses = list(dict.fromkeys(self._clean_emails(emails, place)))[:MAX_EACH]
        if not cleaned_id:
            accounts = {a.removesuffix("@apache.org") for a in addresses if a.endswith("@apache.org")}
            cleaned_id = accounts.pop() if len(accounts) == 1 else ""
        shown = clean_name(name)
        if not shown and not cleaned_id:
            self.note(place, "names nobody; left out")
            return
        others = dict.fromkeys(clean_name(a) for a in (*aliases, *_spell_nickname(shown)))
        entry = RosterEntry(
            id=cleaned_id,
            name=shown,
            aliases=tuple(a for a in others if a and fold_name(a) != fold_name(shown))[:MAX_EACH],
            emails=tuple(addresses),
            roles=tuple(dict.fromkeys(roles))[:MAX_EACH],
            place=place,
        )
        self.entries.append(entry)
        check_count(len(self.entries), self._source)

    def _clean_emails(self, emails: Iterable[str], place: str) -> Iterator[str]:
        for text in emails:
            address = find_email(text)
            if address is not None:
                yield address
            elif text.strip():
                self.note(place, f"{clean_name(text)!r} is no person's address; left out")

    def as_listing(self) -> Listing:
        return Listing(entries=tuple(self.entries), notes=tuple(self.notes))


def clean_name(name: str) -> str:
    """The name in one line, without control and direction characters, at most `MAX_NAME` long."""
    composed = unicodedata.normalize("NFC", name[: MAX_NAME * 4])
    return " ".join(as_printable(composed, " ").split())[:MAX_NAME].strip()


def _spell_nickname(name: str) -> tuple[str, ...]:
    """`Tomasz (Tom) Berg` also writes as Tomasz Berg and Tom Berg."""
    found = _NICKNAME.fullmatch(name)
    return () if found is None else (f"{found['first']} {found['last']}", f"{found['nick']} {found['last']}")


def find_email(text: str) -> str | None:
    """The address in `text`, also as "name at apache dot org"; None for a list's or a masked one."""
    start = text.strip()[:400]
    cleaned = clean_address(start if "@" in start else _DOT.sub(".", _AT.sub("@", start)))
    if len(cleaned) > 254 or not _EMAIL.fullmatch(cleaned):
        return None
    # with a list's address a person would be the author of every rewritten mail
    return None if cleaned.endswith(".apache.org") else cleaned


def parse_roles(text: str) -> tuple[str, ...]:
    """The roles in a cell: "PMC Member, Committer" → pmc, committer. A chair is in the PMC.

    An ended role never binds: "former PMC member" is emeritus.
    """
    words = " ".join(re.findall(r"[a-z]+", text.lower()[:200]))
    if not words:
        return ()
    if re.search(r"\b(?:emeritus|emerita|former|inactive|retired|past|ex)\b", words):
        return ("emeritus",)
    found = []
    if re.search(r"\b(?:pmc|ppmc|chair|vp|vice president|management committee)\b", words) and not re.search(
        r"\b(?:non|not|no) (?:a |in |on |the )*p?pmc\b", words
    ):
        found.append("pmc")
    if re.search(r"\bcommit(?:ter|er|or|tor)s?\b", words):
        found.append("committer")
    if not found and "contributor" in words:
        found.append("contributor")
    return tuple(found)


def parse_day(text: str) -> datetime | None:
    """A date or time as midnight UTC of its day; None if there is none. A month alone is no date."""
    cleaned = text.strip()[:64]
    if not re.match(r"\d{1,2} |\d{4}[-/]\d|\d{8}|[A-Za-z]{3,9} \d", cleaned):
        return None
    try:
        moment = datetime.fromisoformat(cleaned)
    except ValueError:
        for form in _DAY_FORMS:
            try:
                moment = datetime.strptime(cleaned, form).replace(tzinfo=UTC)
                break
            except ValueError:
                continue
        else:
            return None
    return datetime.combine(as_utc(moment).date(), time(), tzinfo=UTC)


def check_count(count: int, source: str) -> None:
    """Refuse more people than any community has.

    Raises:
        UnreadableInput: there are too many.
    """
    if count > MAX_PEOPLE:
        raise UnreadableInput(source=source, why=f"lists more than {MAX_PEOPLE:,} people")
