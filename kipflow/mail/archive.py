"""Reads archives of mail from files: mbox (also packed), maildir, single mails, folders, Pony Mail's JSON."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

from kipflow.domain.errors import UnreadableInput
from kipflow.domain.facts import Message, Unreadable
from kipflow.mail.exports import read_export
from kipflow.mail.filereading import FileReading, say_error
from kipflow.mail.lazy import LazyMessage
from kipflow.mail.workers import count_workers, open_workers, run_in_order, split_size
from kipflow.mbox.packed import DAMAGE, is_packed, open_box
from kipflow.mbox.ranges import is_splittable, split_range
from kipflow.mbox.splitting import RawMail, split_mbox

#: A range of bytes, its end not included.
Part = tuple[int, int]
#: Containers that are reported by name instead of being read as bad mail.
_PACKED = {
    b"\x28\xb5\x2f\xfd": "compressed with zstd",
    b"PK\x03\x04": "a zip file",
    b"7z\xbc\xaf\x27\x1c": "a 7z file",
}
_BOM = b"\xef\xbb\xbf"
_JSON = {".json", ".jsonl", ".ndjson"}
#: Reading it compiles the patterns that every mail needs: once, before worker processes start.
_A_VOTE = b"From: a@x.example\nSubject: Re: [VOTE] KIP-1\n\n+1 (binding), thanks all. I vote for it: the vote passed."


def read_mbox(
    path: Path,
    how: FileReading,
    *,
    name: str = "",
    part: Part | None = None,
    first_position: int = 0,
    is_wanted: Callable[[RawMail], bool] | None = None,
    whole: bool = False,
) -> Iterator[Message | Unreadable]:
    """Read a box, plain or packed. A damaged file yields its readable mails, then the reason why it ends.

    Args:
        path: the file.
        how: where its mails are from.
        name: the name of the file in their sources; empty: list and month.
        part: only mails that begin in this range of bytes of a plain box are read; None: all of it.
        first_position: how many mails begin before that range.
        is_wanted: only mails that it accepts are read; None: all of them.
        whole: the archive itself confirms the length of the file.
    """

    def split() -> Iterator[RawMail]:
        with open_box(path) as stream:
            mails = split_mbox(stream, whole=whole) if part is None else split_range(stream, *part, whole=whole)
            yield from mails

    name = name or f"{how.list_id}/{how.month}"
    plain = path if how.lazy and (part is not None or not is_packed(path)) else None
    return how.read_until_damage(split(), name, first_position, is_wanted=is_wanted, plain=plain)


def read_path(*paths: Path, how: FileReading) -> Iterator[Message | Unreadable]:
    """Read whatever mail `paths` hold, in order: an mbox, one mail, a maildir, Pony Mail JSON, or a folder of these.

    In a folder every file is read once, except hidden ones and a maildir's unfinished deliveries. Links to files
    are followed, links to folders are not. Unreadable paths are reported last.
    """
    refused: list[Unreadable] = []
    yield from _read_files([file for path in paths for file in _list_files(path, refused, how)], how)
    yield from refused


def _list_files(path: Path, refused: list[Unreadable], how: FileReading) -> list[tuple[Path, str]]:
    """The files at `path`, each with its name; unreadable paths are added to `refused`."""
    if path.is_dir():
        found: dict[Path, Path] = {}
        for file in sorted(_walk(path, refused, how)):
            found.setdefault(file.resolve(), file)
        return [(file, str(file.relative_to(path))) for file in found.values()]
    if path.is_file():
        return [(path, path.name)]
    # a pipe or a device would block its reader for ever
    refused.append(how.refuse(str(path), "neither a file nor a folder" if path.exists() else "no such file", lost=True))
    return []


def _read_files(files: Sequence[tuple[Path, str]], how: FileReading) -> Iterator[Message | Unreadable]:
    """Read files, with their names, in order: large ones on all cores, a large box in parts."""
    sizes = [file.stat().st_size for file, _ in files]
    workers = count_workers(sum(sizes))
    if workers == 1:
        for file, name in files:
            yield from _read_file(file, name, how)
        return
    # votes are read in the worker processes, which share that work too
    how = replace(how, votes_at_once=True)
    how.read(_A_VOTE, "")
    parts = [
        (file, name, part)
        for (file, name), size in zip(files, sizes, strict=True)
        for part in (split_size(size) if is_splittable(file) else [None])
    ]
    with open_workers(workers) as pool:
        tasks = [partial(_read_part, file, name, how, part) for file, name, part in parts]
        first = 0
        for (_, name, part), items in zip(parts, run_in_order(pool, workers, tasks), strict=True):
            first = first if part is not None and part[0] else 0
            yield from (_count_on(item, name, first) for item in items) if first else items
            first += max((_find_position(item, name) for item in items[-3:]), default=-1) + 1


def _read_part(path: Path, name: str, how: FileReading, part: Part | None) -> list[Message | Unreadable]:
    return list(_read_file(path, name, how) if part is None else read_mbox(path, how, name=name, part=part))


_POSITION = re.compile(r"#(\d+)")


def _find_position(item: Message | Unreadable, name: str) -> int:
    """The position in its part of the file, from an item's source; -1: the source has none."""
    found = _POSITION.match(item.source, len(name))
    return int(found[1]) if found is not None else -1


def _count_on(item: Message | Unreadable, name: str, first: int) -> Message | Unreadable:
    """The item with its position counted from the beginning of the file; `first` mails come before its part."""
    position = _find_position(item, name)
    if position < 0:
        return item
    source = f"{name}#{first + position}{item.source[len(f'{name}#{position}') :]}"
    return item.move(source) if isinstance(item, LazyMessage) else replace(item, source=source)


def _walk(root: Path, refused: list[Unreadable], how: FileReading) -> Iterator[Path]:
    """The files below a folder; unreadable paths are added to `refused`."""

    def refuse(error: OSError) -> None:
        why = f"cannot be looked into: {error.strerror or type(error).__name__}"
        refused.append(how.refuse(str(error.filename or root), why, lost=True))

    for folder, names, files in os.walk(root, onerror=refuse):
        names[:] = [n for n in names if not n.startswith(".") and n != "tmp"]
        for name in files:
            if not name.startswith(".") and (found := Path(folder, name)).is_file():
                yield found


def _read_file(path: Path, name: str, how: FileReading) -> Iterator[Message | Unreadable]:
    try:
        with open_box(path) as stream:
            start = stream.read(4096)
    except DAMAGE as error:
        yield how.refuse(name, f"cannot be read: {say_error(error)}", lost=True)
        return
    packed = next((what for magic, what in _PACKED.items() if start.startswith(magic)), None)
    if packed is None and start[257:262] == b"ustar":
        packed = "a tar file"
    if packed is not None:
        yield how.refuse(name, f"{packed}: unpack it first", lost=True)
    elif not start.strip():
        yield how.refuse(name, "the file is empty")
    elif path.suffix.lower() in _JSON and start.removeprefix(_BOM).lstrip()[:1] in (b"{", b"["):
        yield from _read_json(path, name, how)
    else:
        yield from read_mbox(path, how, name=name)


def _read_json(path: Path, name: str, how: FileReading) -> Iterator[Message | Unreadable]:
    try:
        for position, mail in enumerate(read_export(path)):
            where = f"{name}#{position}"
            yield how.refuse(where, mail, lost=True) if isinstance(mail, str) else how.read(mail, where)
    except UnreadableInput as error:
        yield how.refuse(name, error.why, lost=True)
