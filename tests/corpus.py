"""The tables of tests/data/votes and tests/data/words as mail: bytes to read, and what must be read from them."""

from __future__ import annotations

import atexit
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import yaml

DATA = Path(__file__).resolve().parent / "data"
LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
PEOPLE = {
    "mara": "Mara Lind <mara@lind.example>",
    "jun": "Jun Okafor <jun@okafor.example>",
    "tess": "Tess Moreau <tess@moreau.example>",
    "ravi": "Ravi Patel <ravi@patel.example>",
    "kim": "Kim Osei <kim@osei.example>",
    "ola": "Ola Berg <ola@berg.example>",
    "nils": "Nils Holt <nils@holt.example>",
    "zoe": "Zoe Haddad <zoe@haddad.example>",
}
OPENING = {
    "from": "mara",
    "subject": "[VOTE] KIP-7: Shorter names",
    "at": "2026-03-02 10:00",
    "body": "Hi all,\n\nI would like to start the vote on KIP-7. It stays open for 72 hours.\n\nThanks,\nMara\n",
}
PLAIN = "text/plain; charset=utf-8"
CHOICES = ("+1", "0", "-1")


@dataclass(frozen=True, slots=True, kw_only=True)
class VoteCase:
    """A small archive and what a careful person reads in it."""

    name: str
    family: str
    mbox: bytes
    expected: dict[str, Any]


@cache
def load_vote_cases(folder: Path = DATA / "votes") -> dict[str, VoteCase]:
    """Every case of the folder's tables, by name."""
    cases: dict[str, VoteCase] = {}
    for path in sorted(folder.glob("*.yaml")):
        if path.name == "roster.yaml":
            continue
        table = load_yaml(path)
        threads = table.get("threads", {})
        for name, case in table["cases"].items():
            if name in cases:
                raise ValueError(f"{path.name}: {name} is a case of {cases[name].family}.yaml too")
            mails = [*threads.get(case.get("after"), []), *case.get("mails", [])]
            expected = _read_expected(case)
            cases[name] = VoteCase(name=name, family=path.stem, mbox=build_mbox(mails), expected=expected)
    return cases


@cache
def write_vote_cases() -> Path:
    """A folder with each case's archive as NAME.mbox; gone with the process."""
    folder = _make_folder()
    for case in load_vote_cases().values():
        (folder / f"{case.name}.mbox").write_bytes(case.mbox)
    return folder


def build_mbox(mails: list[Any]) -> bytes:
    """What the list's archive holds of these mails; what a mail leaves out follows from the mails before it."""
    return b"".join(_build_all(mails))


def _build_all(mails: list[Any]) -> Iterator[bytes]:
    at, subject = datetime(2026, 3, 2, 9, tzinfo=UTC), ""
    whole = [OPENING if row == "opening" else row for row in mails]
    for number, mail in enumerate((row for row in whole for _ in range(int(row.get("times", 1)))), 1):
        at = _parse_time(mail["at"]) if "at" in mail else at + timedelta(hours=1)
        subject = subject or mail.get("subject", "")
        arrived = _parse_time(mail["arrived"]) if "arrived" in mail else at
        yield f"From dev-return-1@commons.example {arrived.ctime()}\n".encode()
        yield (unescape(mail["raw"]) if "raw" in mail else _build_mail(mail, number, at, subject)) + b"\n"


def _build_mail(mail: Mapping[str, Any], number: int, at: datetime, opened: str) -> bytes:
    first = number == 1
    answers = mail.get("answers", None if first else "root")
    if answers == "previous":
        answers = f"m{number - 1}"
    names = mail.get("references", answers)
    fields: dict[str, str | None] = {
        "From": PEOPLE.get(mail.get("from", ""), mail.get("from")),
        "Subject": mail.get("subject", opened if first else f"Re: {opened}"),
        "Date": format_datetime(at),
        "Message-ID": _id(mail.get("id", "root" if first else f"m{number}")),
        "In-Reply-To": _id(answers) if answers else None,
        "References": " ".join(_id(name) for name in names.split()) if names else None,
        "To": "dev@commons.example",
        "Content-Type": mail.get("type", PLAIN),
    }
    fields.update(mail.get("headers", {}))
    head = "".join(f"{name}: {value}\n" for name, value in fields.items() if value is not None)
    return head.encode() + b"\n" + (_build_body(mail))


def _build_body(mail: Mapping[str, Any]) -> bytes:
    body = unescape(mail["escaped"]) if "escaped" in mail else mail["body"].encode()
    return body if body.endswith(b"\n") or not body else body + b"\n"


def _id(name: str) -> str:
    return f"<{name}@mail.example>"


def _parse_time(text: object) -> datetime:
    return datetime.fromisoformat(str(text)).replace(tzinfo=UTC)


def unescape(text: str) -> bytes:
    r"""The bytes of a text in which `\xNN` is a byte, `\uNNNN` a character that is not seen, `\\` a backslash."""

    def replace(found: re.Match[bytes]) -> bytes:
        mark = found[0]
        if mark == b"\\\\":
            return b"\\"
        code = int(mark[2:], 16)
        return bytes([code]) if mark[1:2] == b"x" else chr(code).encode()

    return re.sub(rb"\\\\|\\x[0-9a-f]{2}|\\u[0-9a-f]{4}", replace, text.encode())


def _read_expected(case: Mapping[str, Any]) -> dict[str, Any]:
    kept = {key: case[key] for key in ("why", "unreadable", "messages_read") if key in case}
    return {**kept, "community": case.get("community", "kafka"), "votes": [_read_vote(v) for v in case["read"]]}


def _read_vote(row: Mapping[str, Any]) -> dict[str, Any]:
    vote = {key: value for key, value in row.items() if key not in {"vote", "binding", "non_binding"}}
    vote |= {"key": row["vote"], "round": row.get("round", 1)}
    none = (0, 0, 0)
    vote["tally"] = {
        group: dict(zip(CHOICES, row.get(group, none), strict=True)) for group in ("binding", "non_binding")
    }
    if "ballots" in row:
        vote["ballots"] = [_read_ballot(ballot) for ballot in row["ballots"]]
    return vote


def _read_ballot(row: str | dict[str, Any]) -> dict[str, Any]:
    """`jun +1 counted`, with a question mark where the choice is unclear; or fields by name."""
    if isinstance(row, dict):
        return row
    voter, choice, status = row.split()
    return {"voter": voter, "choice": None if choice == "?" else choice, "status": status}


@dataclass(frozen=True, slots=True, kw_only=True)
class MailCase:
    """One mail as a program writes it, and what is read of it."""

    name: str
    data: bytes
    expected: dict[str, Any]


@cache
def load_mail_cases() -> dict[str, MailCase]:
    """Every mail of the tables of tests/data/words, by name."""
    cases: dict[str, MailCase] = {}
    for path in sorted((DATA / "words").glob("*.yaml")):
        for name, row in load_yaml(path).items():
            if name in cases:
                raise ValueError(f"{path.name}: {name} is a mail of another table too")
            cases[name] = MailCase(name=name, data=_build_words(row), expected=row["read"])
    return cases


@cache
def write_mail_cases() -> Path:
    """A folder with each mail as NAME.eml; gone with the process."""
    folder = _make_folder()
    for case in load_mail_cases().values():
        (folder / f"{case.name}.eml").write_bytes(case.data)
    return folder


def _build_words(row: Mapping[str, Any]) -> bytes:
    """Ola's answer to the opening, but for what the row says."""
    if "raw" in row:
        return unescape(row["raw"])
    fields: dict[str, str | None] = {
        "From": row.get("from", PEOPLE["ola"]),
        "To": "dev@commons.example",
        "Subject": row.get("subject", f"Re: {OPENING['subject']}"),
        "Date": row.get("date", "Tue, 03 Mar 2026 10:00:00 +0000"),
        "Message-ID": _id("r1"),
        "In-Reply-To": _id("root"),
        "References": _id("root"),
        "MIME-Version": "1.0",
        "Content-Type": row.get("type", PLAIN),
    }
    fields.update(row.get("headers", {}))
    head = "".join(f"{name}: {value}\n" for name, value in fields.items() if value is not None)
    return head.encode() + b"\n" + (unescape(row["escaped"]) if "escaped" in row else row.get("body", "+1\n").encode())


def _make_folder() -> Path:
    folder = TemporaryDirectory(prefix="kipflow-corpus-")
    atexit.register(folder.cleanup)
    return Path(folder.name)


def load_yaml(path: Path) -> Any:
    return yaml.load(path.read_text(encoding="utf-8"), Loader=LOADER)  # noqa: S506  # a safe loader, written in C
