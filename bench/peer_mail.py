"""The small job of `archive.measure_mailbox` by a peer: `python bench/peer_mail.py NAME FILE…`, in its environment."""

from __future__ import annotations

import json
import re
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

_KEY = re.compile(r"KIP[- ]?\d+", re.IGNORECASE)


def read_by_fast_mail_parser(files: list[str]) -> Iterator[tuple[str, str]]:
    from fast_mail_parser import parse_email

    for file in files:
        for mail in re.split(rb"\n(?=From \S+@)", Path(file).read_bytes()):
            found = parse_email(mail.split(b"\n", 1)[1])
            yield found.subject, "\n".join(found.text_plain)


def read_by_perceval(files: list[str]) -> Iterator[tuple[str, str]]:
    from perceval.backends.core.mbox import MBox

    with TemporaryDirectory() as folder:
        for number, file in enumerate(files):
            Path(folder, f"{number}.mbox").symlink_to(Path(file).resolve())
        for item in MBox(uri="bench", dirpath=folder).fetch():
            body = item["data"].get("body") or {}
            yield item["data"].get("Subject") or "", body.get("plain") or ""


def main() -> None:
    name, *files = sys.argv[1:]
    read = {"fast_mail_parser": read_by_fast_mail_parser, "perceval": read_by_perceval}[name]
    start = time.process_time()
    mails = numbers = votes = 0
    for subject, text in read(files):
        mails += 1
        numbers += _KEY.search(subject) is not None
        votes += sum(line.startswith(("+1", "-1")) for line in text.splitlines())
    print(json.dumps({"seconds": time.process_time() - start, "mails": mails, "numbers": numbers, "votes": votes}))


if __name__ == "__main__":
    main()
