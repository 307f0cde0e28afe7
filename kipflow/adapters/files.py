"""Mail in files: which there are under a path, of what kind, and which list and month their names tell."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from kipflow.domain.errors import UnreadableInput

_GZIP = b"\x1f\x8b"
_MONTH = r"(?P<year>(?:19|20)\d\d)-?(?P<month>0[1-9]|1[0-2])"
#: "dev@kafka.apache.org", "dev@kafka.apache.org-2024-01"
_ADDRESS = re.compile(
    r"(?P<name>[a-z0-9][a-z0-9.+-]*)@(?P<domain>[a-z0-9-]+(?:\.[a-z0-9-]+)*\.[a-z]{2,24})(?![a-z0-9.])", re.IGNORECASE
)
_SUFFIX = re.compile(r"(?:\.(?:mbox|mbx|gz|eml|json))+$", re.IGNORECASE)
#: "dev_kafka_apache_org-2024-01"
_FLAT = re.compile(
    rf"^(?P<name>[a-z0-9-]+)_(?P<domain>[a-z0-9-]+(?:_[a-z0-9-]+)*?_(?:org|com|net|io|dev|example))[-_.]{_MONTH}",
    re.IGNORECASE,
)
_MONTH_IN_NAME = re.compile(rf"(?<!\d){_MONTH}(?!\d)")
_HEADER = re.compile(rb"^(?:[A-Za-z][A-Za-z0-9-]{1,60}):[ \t]")
#: The envelope line of an mbox and the header (or further ">From ") below it: many a letter begins with "From".
_ENVELOPE = re.compile(rb"^>?From \S[^\r\n]{0,300}\r?\n(?:>?From |[A-Za-z][A-Za-z0-9-]{0,60}:)")


@dataclass(frozen=True, slots=True, kw_only=True)
class MailFile:
    """A file (or maildir) with mail. `kind`: mbox, mbox.gz, maildir, eml or json.

    `list_id` and `month` ("2024-01") are None where the name does not tell them.
    """

    path: Path
    kind: str
    list_id: str | None = None
    month: str | None = None


def find_mail(paths: Sequence[Path]) -> Iterator[MailFile]:
    """Every mail file under `paths`, each once, in the order of the paths and then of their names.

    A folder is searched; what is no mail in it is passed over. A file named by itself is taken for mail
    if it looks like it. Links to folders are not followed.

    Raises:
        UnreadableInput: a path does not exist, can't be opened, or is a file that holds no mail.
    """
    seen: set[Path] = set()
    for path in paths:
        if not path.exists():
            raise UnreadableInput(source=str(path), why="no such file or folder")
        found = list(_walk(path) if path.is_dir() else _named(path))
        for file in found:
            real = file.path.resolve()
            if real not in seen:
                seen.add(real)
                yield file


def _named(path: Path) -> Iterator[MailFile]:
    kind = find_kind(path)
    if kind is None:
        raise UnreadableInput(source=str(path), why="neither mbox, .eml, maildir nor a Pony Mail export")
    yield _as_mail_file(path, kind)


def _walk(root: Path) -> Iterator[MailFile]:
    for folder, names, files in os.walk(root):
        here = Path(folder)
        if {"cur", "new"} <= set(names):
            yield _as_mail_file(here, "maildir")
            names[:] = [n for n in names if n not in {"cur", "new", "tmp"}]
            continue
        names.sort()
        names[:] = [n for n in names if not n.startswith(".") or (n.startswith(".") and (here / n / "cur").is_dir())]
        for name in sorted(files):
            if name.startswith("."):
                continue
            path = here / name
            kind = find_kind(path)
            if kind is not None:
                yield _as_mail_file(path, kind)


def find_kind(path: Path) -> str | None:
    """The kind of a mail file by its first bytes, and by its name where they leave it open; None if it is no mail.

    Raises `UnreadableInput` if it can't be opened.
    """
    try:
        with open(path, "rb") as file:
            head = file.read(4_096)
    except OSError as error:
        raise UnreadableInput(source=str(path), why=error.strerror or type(error).__name__) from None
    name = path.name.lower()
    if head.startswith(_GZIP):
        return "mbox.gz" if name.endswith((".mbox.gz", ".mbx.gz", ".gz")) and not name.endswith(".tar.gz") else None
    if not head:
        return "mbox" if name.endswith((".mbox", ".mbx")) else None
    text = head.removeprefix(b"\xef\xbb\xbf").lstrip(b"\r\n")
    if _ENVELOPE.match(text):
        return "mbox"
    if name.endswith((".mbox", ".mbx")):
        return "mbox"
    if text[:1] in {b"{", b"["}:
        return "json" if name.endswith(".json") and _is_export(path) else None
    if name.endswith((".eml", ".msg", ".mail")) or (not path.suffix and _HEADER.match(text)):
        return "eml"
    return None


def _is_export(path: Path) -> bool:
    """Whether a JSON file looks like Pony Mail's: mails with a message-id or a source."""
    with open(path, "rb") as file:
        head = file.read(65_536).decode("utf-8", "replace")
    return any(json.dumps(word) in head for word in ("message-id", "mid", "emails", "source", "in-reply-to"))


def _as_mail_file(path: Path, kind: str) -> MailFile:
    list_id, month = parse_name(path)
    return MailFile(path=path, kind=kind, list_id=list_id, month=month)


def parse_name(path: Path) -> tuple[str | None, str | None]:
    """List and month as a path tells them.

    >>> parse_name(Path("dev@kafka.apache.org/2024-01.mbox"))
    ('dev@kafka.apache.org', '2024-01')
    >>> parse_name(Path("dev_kafka_apache_org-2024-01.mbox"))
    ('dev@kafka.apache.org', '2024-01')
    """
    flat = _FLAT.match(path.name)
    if flat is not None:
        domain = flat.group("domain").replace("_", ".")
        return f"{flat.group('name')}@{domain}".lower(), f"{flat.group('year')}-{flat.group('month')}"
    month = _MONTH_IN_NAME.search(path.name)
    list_id = None
    for part in (_SUFFIX.sub("", path.name), path.parent.name):
        address = _ADDRESS.search(part)
        if address is not None:
            list_id = f"{address.group('name')}@{address.group('domain')}".lower()
            break
    return list_id, f"{month.group('year')}-{month.group('month')}" if month else None
