"""A mail whose body is read on demand says the very same as one that was read at once."""

from __future__ import annotations

import copy
import pickle
from dataclasses import fields, replace
from itertools import islice
from pathlib import Path

import pytest

from kipflow.domain.errors import UnreadableInput
from kipflow.domain.facts import MailKind, Message, Unreadable
from kipflow.domain.policy import Policy
from kipflow.domain.roster import Roster
from kipflow.mail import messages
from kipflow.mail.archive import read_path
from kipflow.mail.filereading import FileReading
from kipflow.mail.heads import Place
from kipflow.mail.lazy import LazyMessage, read_lazily
from kipflow.mail.threads import find_votes
from tests.corpus import write_mail_cases, write_vote_cases
from tests.examples import take_some
from tests.unit.mail.onemail import read_one

pytestmark = pytest.mark.usefixtures("same_words_read_once")

DATA = Path(__file__).resolve().parents[2] / "data"
FOLDERS = (write_vote_cases(), write_mail_cases(), DATA / "communities")
ARCHIVES = [path for folder in FOLDERS for path in sorted(folder.iterdir()) if path.suffix in {".mbox", ".eml"}]
POLICY = Policy(version="test", binding_roles=frozenset({"pmc", "committer"}))
ANSWER = b"""From: Ada Roe <ada@x.example>
Subject: Re: Names
Message-ID: <2@x.example>
In-Reply-To: <1@x.example>
Date: Mon, 2 Mar 2026 10:00:00 +0000

+1 (binding)
"""


def read(path: Path, *, lazy: bool) -> list[Message | Unreadable]:
    return list(
        read_path(
            path, how=FileReading(list_id="dev@x.example", month="", prefix="KIP", list_from_headers=True, lazy=lazy)
        )
    )


def read_answer() -> LazyMessage:
    found = read_lazily(ANSWER, Place(list_id="dev@x.example", month="", prefix="KIP"), source="x#0")
    assert isinstance(found, LazyMessage)
    return found


def check(path: Path, roster: Roster) -> int:
    """Compare both ways of reading an archive; how many bodies were put off."""
    whole, late = (read(path, lazy=lazy) for lazy in (False, True))
    fresh = read(path, lazy=True)  # nothing of these is read before the votes ask
    put_off = [isinstance(m, LazyMessage) for m in late]
    assert put_off == [isinstance(m, LazyMessage) for m in fresh], "a second reading puts off others"
    for keyed_by in ("number", "subject"):
        votes = [
            find_votes([m for m in found if isinstance(m, Message)], roster, POLICY, prefix="KIP", keyed_by=keyed_by)
            for found in (whole, fresh)
        ]
        assert votes[0] == votes[1]
    for one, other in zip(whole, late, strict=True):
        if isinstance(other, LazyMessage):
            assert isinstance(one, Message)
            assert other.digest == one.digest  # asked first: the headers answer
            assert other.declared == one.declared  # a look at the words may answer
            assert [getattr(other, f.name) for f in fields(Message)] == [getattr(one, f.name) for f in fields(Message)]
        else:
            assert one == other
    return sum(put_off)


@pytest.mark.parametrize("path", take_some(ARCHIVES), ids=lambda p: p.stem)
def test_facts_and_votes_are_the_same_when_bodies_are_read_on_demand(path: Path, roster: Roster) -> None:
    check(path, roster)


def test_the_examples_hold_bodies_that_are_put_off() -> None:
    put_off = (m for path in ARCHIVES for m in read(path, lazy=True) if isinstance(m, LazyMessage))
    assert sum(1 for _ in islice(put_off, 21)) > 20


@pytest.mark.realdata
def test_facts_and_votes_of_real_months_are_the_same_when_bodies_are_read_on_demand(
    realdata: Path, roster: Roster
) -> None:
    assert sum(check(path, roster) for path in sorted((realdata / "mail").glob("*.mbox"))) > 500


def test_a_body_is_read_once_it_is_asked_for_and_no_sooner(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> str:
        raise AssertionError("read")

    monkeypatch.setattr(messages, "find_texts", refuse)
    answer = read_answer()
    assert (answer.author_name, answer.in_reply_to, answer.reading.kind) == ("Ada Roe", "<1@x.example>", MailKind.OTHER)
    with pytest.raises(AssertionError, match="read"):
        answer.expressions  # noqa: B018


@pytest.mark.parametrize("change", [b"", ANSWER.replace(b"<2@", b"<3@"), None], ids=["emptied", "another", "removed"])
def test_a_file_that_changes_before_a_mail_of_it_is_read_on_is_reported(tmp_path: Path, change: bytes | None) -> None:
    path = tmp_path / "x.mbox"
    path.write_bytes(ANSWER)
    (answer,) = read(path, lazy=True)
    assert isinstance(answer, LazyMessage)
    path.unlink() if change is None else path.write_bytes(change)
    assert answer.author_name == "Ada Roe", "its headers are at hand"
    answer.forget_headers()
    for field in ("author_name", "own_text"):
        with pytest.raises(UnreadableInput, match=r"x\.mbox#0: changed while it was read"):
            getattr(answer, field)


def test_a_late_mail_equals_the_whole_one_and_is_copied_and_sent_as_it_is() -> None:
    answer = read_answer()
    whole = read_one(ANSWER)
    sent = pickle.loads(pickle.dumps(answer))  # noqa: S301  # our own
    assert isinstance(sent, LazyMessage)
    assert answer == whole == sent == copy.copy(answer)
    assert hash(answer) == hash(whole)
    assert answer != replace(answer, cancels="stop")
    assert type(replace(answer, source="y#0")) is Message
