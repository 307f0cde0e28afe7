"""A mail server for the sandbox's list: accepted mail is in the list's archive at once."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime

from kipflow.sandbox.mailarchive import MailArchive, receive_mail
from kipflow.sandbox.mails import LIST

#: The most octets of a line, and of a mail.
_LINE, _MAIL = 8_192, 1_000_000
#: Seconds after which a silent client is disconnected.
_IDLE_SECONDS = 60.0
#: A sender that can stand in a header as it is.
_PLAIN = re.compile(r"[a-z0-9_.+-]{1,64}@[a-z0-9.-]{1,253}")


async def serve_mail(
    archive: MailArchive, now: Callable[[], datetime], saved: Callable[[], None], *, port: int
) -> asyncio.Server:
    """Accept mails on the loopback address. Raises OSError if the port is taken.

    `saved` is called when a mail is in the archive, before it is acknowledged.
    """

    async def talk(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with suppress(OSError, ValueError, TimeoutError, asyncio.IncompleteReadError):
            async with asyncio.timeout(_IDLE_SECONDS):
                await _Session(archive, now, saved, reader, writer).run()
        writer.close()

    return await asyncio.start_server(talk, "127.0.0.1", port, limit=_LINE)


@dataclass(slots=True)
class _Session:
    """One client's session: greeting, sender, recipients, mails, until it quits."""

    archive: MailArchive
    now: Callable[[], datetime]
    saved: Callable[[], None]
    reader: asyncio.StreamReader
    writer: asyncio.StreamWriter
    sender: str = ""
    is_addressed: bool = False

    async def run(self) -> None:
        await self._say("220 sandbox")
        while line := await self.reader.readline():
            words = line.decode("utf-8", "replace").strip()
            word = words.partition(" ")[0].upper()
            await self._say(
                await self._receive() if word == "DATA" and self.is_addressed else self._answer(word, words)
            )
            if word == "QUIT":
                return

    def _answer(self, word: str, words: str) -> str:
        address = words.partition("<")[2].partition(">")[0].lower()
        if word in {"MAIL", "RSET"}:
            self.sender, self.is_addressed = "".join(filter(_PLAIN.fullmatch, [address])), False
        elif word == "RCPT":
            if address != LIST:
                return f"550 only {LIST} is here"
            self.is_addressed = True
        elif word not in {"HELO", "EHLO", "NOOP", "QUIT"}:
            return "503 first who it is for" if word == "DATA" else "502 not here"
        return "221 bye" if word == "QUIT" else "250 ok"

    async def _receive(self) -> str:
        await self._say("354 go on")
        lines, size = list[bytes](), 0
        while (line := await self.reader.readuntil(b"\n")).rstrip(b"\r\n") != b".":
            size += len(line)
            lines += [line.removeprefix(b".").rstrip(b"\r\n") + b"\n"] if size <= _MAIL else []
        self.is_addressed = False
        if size > _MAIL:
            return "552 too long"
        receive_mail(self.archive, self.sender, b"".join(lines), self.now())
        self.saved()
        return "250 taken"

    async def _say(self, line: str) -> None:
        self.writer.write(f"{line}\r\n".encode())
        await self.writer.drain()
