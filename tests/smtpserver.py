"""A mail server over a real socket: takes mails, refuses recipients, and loses its answers."""

from __future__ import annotations

import socketserver
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from tests.httpservers import running


@dataclass(slots=True)
class MailServer:
    """`mails` are those that it took, with sender and recipients. `refuses` are recipients that it does not know.

    `loses` so many answers to a mail that it has taken: the connection ends. `stalls`: it keeps them to itself.
    `says` is what it answers instead to a command, by the command's first word.
    """

    port: int = 0
    mails: list[tuple[str, list[str], bytes]] = field(default_factory=list)
    refuses: set[str] = field(default_factory=set)
    loses: int = 0
    stalls: threading.Event = field(default_factory=threading.Event)
    stalling: bool = False
    says: dict[str, str] = field(default_factory=dict)


class _Talk(socketserver.StreamRequestHandler):
    server: _Server

    def handle(self) -> None:
        self.say("220 mail.x.example")
        sender, recipients = "", list[str]()
        while line := self.rfile.readline():
            word, _, rest = line.decode("ascii").strip().partition(" ")
            kept = self.server.kept
            if word.upper() in kept.says:
                self.say(kept.says[word.upper()])
                continue
            address = rest.partition("<")[2].partition(">")[0]
            match word.upper():
                case "MAIL":
                    sender, recipients = address, []
                    self.say("250 ok")
                case "RCPT" if address in kept.refuses:
                    self.say("550 no such list here")
                case "RCPT":
                    recipients.append(address)
                    self.say("250 ok")
                case "DATA":
                    self.say("354 go on")
                    if not self.take(sender, recipients):
                        return
                case "QUIT":
                    self.say("221 bye")
                    return
                case _:
                    self.say("250 ok")

    def take(self, sender: str, recipients: list[str]) -> bool:
        lines = iter(self.rfile.readline, b".\r\n")
        mail = b"".join(line.removeprefix(b".") if line.startswith(b"..") else line for line in lines)
        kept = self.server.kept
        kept.mails.append((sender, recipients, mail))
        if kept.stalling:
            kept.stalls.wait(10)
        if kept.loses:
            kept.loses -= 1
            return False
        self.say("250 taken")
        return True

    def say(self, line: str) -> None:
        self.wfile.write(f"{line}\r\n".encode())


class _Server(socketserver.ThreadingTCPServer):
    allow_reuse_address = daemon_threads = True

    def __init__(self, kept: MailServer) -> None:
        super().__init__(("127.0.0.1", 0), _Talk)
        self.kept = kept


@contextmanager
def mail_server() -> Iterator[MailServer]:
    kept = MailServer()
    with running(_Server(kept)) as address:
        kept.port = int(address.partition(":")[2])
        try:
            yield kept
        finally:
            kept.stalls.set()
