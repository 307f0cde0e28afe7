"""The download of one month of an archive: written to a temporary file, verified, then moved to its place.

A JSON file next to it keeps its entity tag and digest, so that an unchanged month costs one request without a body.
"""

from __future__ import annotations

import hashlib
import itertools
import json
import os
import shutil
import uuid
import zlib
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import IO

import httpx

from kipflow.adapters.httpfaults import Fault
from kipflow.adapters.vanished import keep_vanished
from kipflow.domain.facts import ArchiveMonth
from kipflow.domain.records import pick_fields
from kipflow.mbox.files import count_starts, drop_last_mail, find_break
from kipflow.mbox.packed import inflate

#: The largest month that is accepted, in bytes after unpacking. Apache's busiest lists have about 60 MB.
MAX_MONTH = 1 << 30
#: Vanished mails that a message names.
MAX_NAMED = 3
#: The fields of a month that are kept beside its file; `why` names the mails in it that vanished from the archive.
_KEPT = ("size", "mails", "digest", "etag", "last_modified", "why")
_CHUNK = 1 << 16
_GZIP = b"\x1f\x8b"


class Download:
    """The download of one month to its path. It is reused for retries, and each attempt starts from the beginning."""

    def __init__(self, month: ArchiveMonth, target: Path) -> None:
        self.month, self.target = month, target
        self.part = target.with_name(f".{target.name}.{uuid.uuid4().hex}.part")
        self.size = self.mails = 0
        self.digest = ""
        self.not_mbox = False

    def write(self, chunks: Iterator[bytes]) -> None:
        """Write the chunks to the part file. Raises `Fault` if they are no mbox or too large."""
        self.size = self.mails = 0
        self.not_mbox = False
        self.target.parent.mkdir(parents=True, exist_ok=True)
        with open(self.part, "wb") as file:
            self._write_to(file, chunks)
            file.flush()
            os.fsync(file.fileno())

    def _write_to(self, file: IO[bytes], chunks: Iterator[bytes]) -> None:
        head, last = b"", b"\n"
        for chunk in chunks:
            if len(head) < 5:
                head += chunk
                self._check_head(head)
            self.size += len(chunk)
            if self.size > MAX_MONTH:
                raise Fault(f"larger than {MAX_MONTH:,} bytes", final=True)
            file.write(chunk)
            last = chunk[-1:] or last
        if head and len(head) < 5:
            self._check_head(head.ljust(5))
        if last != b"\n":
            raise Fault("breaks off in the middle of a line")

    def verify(self, expected: int) -> None:
        """Count the mails, and compare with the archive's own count (0: unknown).

        Raises:
            Fault: there are fewer; or the count is unknown, and the file seems to be truncated.
        """
        self.mails = count_starts(self.part)
        possible = self.mails if self.mails >= expected else count_starts(self.part, doubtful=True)
        if possible < expected:
            # equal lengths prove nothing if the archive itself sent a truncated answer
            raise Fault(f"holds {self.mails} mails where the archive counts {expected}")
        if not expected and (how := find_break(self.part)):
            raise Fault(f"breaks off {how}")

    def _check_head(self, head: bytes) -> None:
        if len(head) >= 5 and not head.startswith(b"From "):
            self.not_mbox = True
            kind = "an HTML page" if head.lstrip()[:1] == b"<" else "JSON" if head[:1] in b"{[" else "something"
            raise Fault(f"answered {kind} that is no mbox")

    def keep(self, etag: str | None, last_modified: str | None) -> ArchiveMonth:
        """Move the complete file to its place, and write its metadata next to it.

        Mails of the earlier file that vanished from the archive are added, if that file was complete: a truncated
        file may end in half a mail.
        """
        gone = keep_vanished(self.target, self.part) if load_known(self.month, self.target) is not None else ()
        self._measure(self.mails + len(gone))
        kept = replace(
            self.month,
            size=self.size,
            mails=self.mails,
            digest=self.digest,
            etag=etag,
            last_modified=last_modified,
            why=_describe_vanished(gone),
        )
        # in this order: after a crash in between, the file has no metadata and is fetched again
        _metadata_path(self.target).unlink(missing_ok=True)
        os.replace(self.part, self.target)
        text = json.dumps(pick_fields(kept, *_KEPT))
        temporary = _metadata_path(self.target).with_suffix(".tmp")
        temporary.write_text(text, encoding="utf-8")
        os.replace(temporary, _metadata_path(self.target))
        return kept

    def keep_partial(self) -> bool:
        """Keep the complete mails of a truncated download; False if there are none."""
        if not self.part.exists() or self.size == 0:
            return False
        self._measure(drop_last_mail(self.part))
        if not self.mails:
            return False
        _metadata_path(self.target).unlink(missing_ok=True)
        os.replace(self.part, self.target)
        return True

    def _measure(self, mails: int) -> None:
        """Set count, size and digest of the finished part file."""
        self.mails, self.size, self.digest = mails, self.part.stat().st_size, _hash_file(self.part)

    def clean(self) -> None:
        self.part.unlink(missing_ok=True)


def _describe_vanished(gone: Sequence[str]) -> str:
    if not gone:
        return ""
    what = "1 mail that it held before is" if len(gone) == 1 else f"{len(gone)} mails that it held before are"
    named = ", ".join(message_id[:100] for message_id in gone[:MAX_NAMED])
    return f"{what} gone from the archive and kept here: {named}{', …' if len(gone) > MAX_NAMED else ''}"


def _hash_file(path: Path) -> str:
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def join_files(parts: Sequence[Path], target: Path) -> tuple[int, str]:
    """Concatenate mboxes into `target`. Returns its size in bytes and its digest."""
    temporary = target.with_name(f".{target.name}.{uuid.uuid4().hex}.part")
    try:
        with open(temporary, "wb") as file:
            for part in parts:
                with open(part, "rb") as source:
                    shutil.copyfileobj(source, file)
            file.flush()
            os.fsync(file.fileno())
        size, digest = temporary.stat().st_size, _hash_file(temporary)
        os.replace(temporary, target)
        return size, digest
    finally:
        temporary.unlink(missing_ok=True)


def unpacked(chunks: Iterator[bytes], headers: httpx.Headers) -> Iterator[bytes]:
    """The body, unpacked if it is gzip, declared or not. Raises `Fault` if it is truncated."""
    encoding = headers.get("content-encoding", "").strip().lower()
    if encoding not in {"", "identity", "gzip", "x-gzip"}:
        raise Fault(f"answered in an encoding that was not asked for: {encoding[:20]}", final=True)
    first = b""
    for chunk in chunks:
        first += chunk
        if len(first) >= 2:
            break
    whole = itertools.chain([first] if first else [], chunks)
    try:
        yield from inflate(whole, _CHUNK) if first.startswith(_GZIP) else whole
    except zlib.error as error:
        raise Fault(f"broken gzip: {error}"[:120]) from None
    except EOFError:
        raise Fault("truncated: the gzip stream has no end") from None


def _metadata_path(target: Path) -> Path:
    return target.with_name(f".{target.name}.json")


def load_known(month: ArchiveMonth, target: Path) -> ArchiveMonth | None:
    """The month as the metadata of the file at `target` describes it; None if either is missing or the sizes differ."""
    try:
        known = replace(month, **json.loads(_metadata_path(target).read_text(encoding="utf-8")))
        return known if target.stat().st_size == known.size else None
    except (OSError, ValueError, TypeError):
        return None
