"""Who wrote a mail, behind list rewriting (DMARC), robots that post for people, and masked addresses."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from kipflow.domain.people import clean_address
from kipflow.domain.senders import AddressSource
from kipflow.mail.content.charsets import decode
from kipflow.mail.content.encodedwords import decode_words
from kipflow.mail.content.headers import Headers
from kipflow.mail.content.mailboxes import is_ambiguous, mask_remarks
from kipflow.mail.content.trace import is_aligned


@dataclass(frozen=True, slots=True, kw_only=True)
class Sender:
    """A person as a mail shows them.

    `address` is empty where it is shared, masked or ambiguous; `source` says where it was found. `written` is the
    address in From itself, which a checking host uses. `is_robot`: a program sends from there for many people.
    """

    name: str
    address: str
    raw: str
    source: AddressSource = AddressSource.FROM
    written: str = ""
    is_robot: bool = False


_ANGLE = re.compile(r"<\s*([^<>]{1,320}?)\s*>")
_BARE = re.compile(r"[^\s<>()\"',;:]{1,200}@[^\s<>()\"',;:]{1,200}")
_COMMENT = re.compile(r"\(([^()]{1,200})\)")
_VIA = re.compile(r"^(.{1,200}?)\s+\(?via\s+\S.{0,200}$", re.IGNORECASE)
# control and zero-width characters, direction marks: without them names that look equal are equal and cannot
# control a terminal
_UNSEEN = re.compile(
    r"[\x00-\x08\x0e-\x1f\x7f-\x84\x86-\x9f\u200b-\u200f\u202a-\u202e\u2060-\u2064\u2066-\u2069\ufeff\u00ad]"
)
_SPELLED_DOT = re.compile(r"\s+(?:dot|\[dot\]|\(dot\))\s+", re.IGNORECASE)
_SPELLED_AT = re.compile(r"\s+(?:at|\[at\]|\(at\))\s+", re.IGNORECASE)

# addresses that post for many people: one address is not one voter
_ROBOTS = re.compile(
    r"^(?:git|gitbox|gitlab|github|gerrit|phabricator|jenkins|buildbot|jira|notifications|no-?reply|donotreply|mailer-daemon|bugzilla|confluence)@|@noreply\.github\.com$"
)
_LIST_WORDS = ("dev", "users", "user", "private", "general", "discuss", "commits", "issues", "notifications")


@lru_cache(maxsize=2048)
def parse_mailbox(text: str) -> tuple[str, str]:
    """One mailbox as (display name, address); either may be empty. No quoted name or comment gives the address.

    >>> parse_mailbox('"Lind, Mara" <mara@lind.example>')
    ('Mara Lind', 'mara@lind.example')
    """
    text = " ".join(text[:2000].replace("<>", " ").split())
    plain = mask_remarks(text)
    angles = list(_ANGLE.finditer(plain))
    if angles:
        match = ([angle for angle in angles if "@" in angle.group(1)] or angles)[-1]
        name = text[: angles[0].start()] or text[angles[-1].end() :]
        address = _spell_out(match.group(1).removeprefix("mailto:"))
    else:
        bare, comment = _BARE.search(plain), _COMMENT.search(text)
        remark = comment.group(1) if comment is not None else ""
        address = bare.group(0) if bare is not None else ""
        name = remark or (text.replace(address, "") if address else text)
        if not address and _SPELLED_AT.search(plain):
            address, name = _SPELLED_AT.sub("@", plain.strip()).split(" ")[0], remark
    address = _UNSEEN.sub("", "".join(_COMMENT.sub("", address).split())).replace('"', "").strip("'")
    name = clean_name(name)
    return "" if name.casefold() == address.casefold() else name, address


def _spell_out(address: str) -> str:
    """ "ola AT berg DOT example" as an address."""
    with_at = _SPELLED_AT.sub("@", address)
    return _SPELLED_DOT.sub(".", with_at) if with_at != address else address


_LONGEST_NAME = 200
# "Ola Berg, PhD" is no Mr Berg called PhD
_SUFFIX = re.compile(r"(?:jr|sr|ii|iii|iv|ph\.?\s?d|m\.?d|m\.?sc|mba|esq|cpa|dr|prof|ing)\.?", re.IGNORECASE)


def clean_name(name: str) -> str:
    """A display name without quotes and surplus blanks, "Last, First" turned round."""
    name = _UNSEEN.sub("", decode_words(name).replace("\\", ""))
    name = " ".join(name.split()).strip("\"' ,;<>")[:_LONGEST_NAME]
    if name.count(",") == 1 and "@" not in name:
        last, _, rest = name.partition(",")
        # "Berg, Ola (Oslo)": the text in brackets is no part of the name
        first, bracket, remark = rest.partition("(")
        last, first = last.strip(), first.strip()
        few = len(first.split()) <= 2 and len(last.split()) <= 2
        if first and last and few and not _SUFFIX.fullmatch(first):
            name = f"{first} {last} {bracket}{remark}".strip()
    return name


def find_sender(headers: Headers, list_id: str) -> Sender:
    """The person who wrote the mail.

    Lists that must satisfy DMARC send "Name via dev <dev@list>", with the writer in Reply-To,
    X-Original-From or as the last Cc; others append ".INVALID" to the address. The address is recovered, but not
    authenticated: DMARC or the list's own check confirms only the one in From. Only From's own host can have rewritten
    it: it must be a host of `list_id`, the configured list. Anybody can write the headers that name a mail's list.
    """
    found, is_hidden = _read_from(_find_from(headers), list_id)
    if not is_hidden:
        return found
    name, address, several = _find_behind(headers, found.name, found.address, list_id)
    if several:
        return Sender(name=name, address="", raw=", ".join((found.raw, *several)), source=AddressSource.AMBIGUOUS)
    return _name_sender(name, address, AddressSource.RECOVERED, raw=found.raw, written=found.written)


@lru_cache(maxsize=2048)
def _read_from(raw: str, list_id: str) -> tuple[Sender, bool]:
    """The person in From, and whether the list may have put itself there in place of the writer."""
    if is_ambiguous(raw) or _UNSEEN.search(_find_addressed(raw)) is not None:
        shown = " ".join(_UNSEEN.sub("", decode_words(raw)).split())[:_LONGEST_NAME]
        return Sender(name=shown, address="", raw=raw, source=AddressSource.AMBIGUOUS), False
    name, address = parse_mailbox(raw)
    unmarked = clean_address(address)
    cleaned = _undo_munging(unmarked) if _is_of_list(unmarked, list_id) else unmarked
    recovered = cleaned is not unmarked or unmarked != address.lower()
    via = _VIA.match(name)
    if via is not None:
        name = clean_name(via.group(1))
    if _ROBOTS.search(cleaned) is not None:
        return Sender(name=name or cleaned, address="", raw=raw, source=AddressSource.NONE, is_robot=True), False
    if via is not None or _is_list(cleaned, list_id):
        return Sender(name=name, address=cleaned, raw=raw, written=unmarked), True
    source = AddressSource.RECOVERED if recovered else AddressSource.FROM
    return _name_sender(name, cleaned, source, raw=raw, written=unmarked), False


def _name_sender(name: str, address: str, source: AddressSource, *, raw: str, written: str) -> Sender:
    """The sender; a masked address is left out."""
    if "..." in address or "…" in address:
        name, address = (name, "") if name else (address, address)
    return Sender(
        name=name, address=address, raw=raw, source=source if address else AddressSource.NONE, written=written
    )


def _find_behind(headers: Headers, name: str, address: str, list_id: str) -> tuple[str, str, tuple[str, ...]]:
    """Name and address of the writer whom a list replaced in From; no address if none is named.

    If the fields name several writers: no address, and all of them. Anybody can call themselves "Mara via dev" and set
    a Reply-To. So it is used only if From is the list's own address, or the writer's as the list encodes it at one of
    its hosts ("mara=lind.example@groups.example").
    """
    found = _find_original(headers, name, (list_id, address))
    if not found:
        return name, "", ()
    original_name, original = found[0]
    if len(found) > 1:
        return name or original_name, "", tuple(each for _, each in found)
    spelled = address.partition("@")[0] == original.replace("@", "=") and _is_of_list(address, list_id)
    if not spelled and not _is_list(address, list_id):
        return name, "", ()
    # the list's own name is nobody's: "dev <dev@list>", the writer in Reply-To
    shown = original_name if original_name and name.casefold() in _LIST_WORDS else name or original_name
    return shown, original, ()


def _find_from(headers: Headers) -> str:
    """The From field; if there are several, all of them, because the writer is then unknown."""
    raw = _text(headers, "from")
    if not raw:
        return _text(headers, "sender") or _text(headers, "return-path")
    values = {" ".join(decode(value, None).split()) for name, value in headers.fields if name == "from"}
    return raw if len(values) < 2 else ", ".join(sorted(values))


def _find_addressed(raw: str) -> str:
    """The part of a From that gives the address."""
    angles = _ANGLE.findall(mask_remarks(raw))
    return angles[-1] if angles else raw


def _undo_munging(address: str) -> str:
    """ "ola=40berg.example@dmarc.list.example" is how some lists write ola@berg.example."""
    match = re.fullmatch(r"([^@=]{1,100})=40([^@=]{1,200}\.[^@=]{2,60})@[^@]{1,200}", address)
    return address if match is None else f"{match[1]}@{match[2]}"


def _find_original(headers: Headers, name: str, lists: Sequence[str]) -> list[tuple[str, str]]:
    """The writers in the fields that lists use for them, in the order of the fields, each address once."""
    found: dict[str, tuple[str, str]] = {}
    for field in ("x-original-from", "x-original-sender", "reply-to", "x-reply-to", "cc"):
        mailboxes = [parse_mailbox(part) for part in split_mailboxes(_text(headers, field))]
        addressed = [(n, clean_address(a)) for n, a in mailboxes if "@" in a]
        usable = [(n, a) for n, a in addressed if not any(_is_list(a, each) for each in lists)]
        named = [m for m in usable if m[0] and m[0].casefold() == name.casefold()]
        # other receivers are not the writer: a Cc counts only with the writer's name, or without a name as the last
        last = usable[-1:] if field != "cc" or (not found and usable and not usable[-1][0]) else []
        for mailbox in named or last:
            found.setdefault(mailbox[1], mailbox)
    return list(found.values())


def split_mailboxes(text: str) -> list[str]:
    """An address list cut at its commas, not at those within quotes. At most 100."""
    parts: list[str] = []
    start, quoted = 0, False
    for index, char in enumerate(text[:16_000]):
        if char == '"':
            quoted = not quoted
        elif char == "," and not quoted:
            parts.append(text[start:index])
            start = index + 1
    parts.append(text[start : start + 2000])
    return [p for p in parts if p.strip()][-100:]


def _is_list(address: str, list_id: str) -> bool:
    """Whether an address is the list's, or of a list at its hosts."""
    return address == list_id or (address.partition("@")[0] in _LIST_WORDS and _is_of_list(address, list_id))


def _is_of_list(address: str, list_id: str) -> bool:
    """Whether an address is at a host of the list's organization, or of Apache's."""
    host, list_host = (a.rpartition("@")[2] for a in (address, list_id))
    return f".{host}".endswith(".apache.org") or is_aligned(host, list_host)


def _text(headers: Headers, name: str) -> str:
    # names are decoded after the address was cut out: an encoded word may hold a comma or a bracket
    value = headers.raw(name)
    return "" if value is None else decode(value, None)
