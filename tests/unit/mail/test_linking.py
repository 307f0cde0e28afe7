"""When mails were sent, where their clocks are wrong, and which mail is which."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from kipflow.domain.facts import Message
from kipflow.mail.rounds.linking import EPOCH, Links, find_times
from tests.unit.mail.onemail import read_one


def make_mail(name: str, date: str, answers: str = "", month: str = "") -> Message:
    head = f"From: Mara Lind <mara@lind.example>\nSubject: [VOTE] KIP-7: x\nMessage-ID: <{name}@x.example>\n"
    head += f"Date: {date}\n" if date else ""
    head += f"In-Reply-To: <{answers}@x.example>\n" if answers else ""
    return read_one(f"{head}\n+1\n", month=month)


def times_of(*mails: Message) -> list[str]:
    times = find_times(mails, Links(mails).parents)
    return [f"{times[m.message_id]:%Y-%m-%d %H}" for m in mails]


@pytest.mark.parametrize(("count", "cut"), [(120, False), (600, False), (3_000, True)])
def test_a_mail_names_its_root_however_many_it_refers_to(count: int, cut: bool) -> None:
    named = " ".join(f"<{n}@mail.example>" for n in range(count))
    head = f"From: mara@lind.example\nSubject: Re: x\nMessage-ID: <a@x.example>\nReferences: {named}\n"
    read = read_one(f"{head}\nHello\n")
    assert (read.references[0], read.references[-1]) == ("<0@mail.example>", f"<{count - 1}@mail.example>")
    assert (len(read.references) < count) == cut == bool(read.unread)


SECOND, THIRD, FOURTH = (f"{day:02} Mar 2026 10:00:00 +0000" for day in (2, 3, 4))


@pytest.mark.parametrize(
    ("mails", "times"),
    [
        ([("a", SECOND, ""), ("b", THIRD, "a")], ["2026-03-02 10", "2026-03-03 10"]),
        ([("a", SECOND, ""), ("b", "", "a")], ["2026-03-02 10", "2026-03-02 10"]),
        ([("a", SECOND, ""), ("b", "3 Mar 2001 10:00:00 +0000", "a")], ["2026-03-02 10", "2026-03-02 10"]),
        ([("a", SECOND, ""), ("b", "3 Mar 2038 10:00:00 +0000", "a")], ["2026-03-02 10", "2026-03-02 10"]),
        ([("a", "", ""), ("b", THIRD, "a"), ("c", FOURTH, "a")], ["2026-03-03 10", "2026-03-03 10", "2026-03-04 10"]),
        (
            [("a", "2 Mar 2099 10:00:00 +0000", ""), ("b", THIRD, "a"), ("c", FOURTH, "a")],
            ["2026-03-03 10", "2026-03-03 10", "2026-03-04 10"],
        ),
        ([("a", SECOND, ""), ("b", "2 Mar 2026 08:00:00 +0000", "a")], ["2026-03-02 10", "2026-03-02 08"]),
    ],
    ids=[
        "as written",
        "an answer without a time",
        "an answer from the past",
        "an answer from the future",
        "an opening without a time",
        "an opening from the future",
        "clocks a little apart",
    ],
)
def test_a_mail_is_as_old_as_the_mails_around_it_allow(mails: list[tuple[str, str, str]], times: list[str]) -> None:
    assert times_of(*(make_mail(*m) for m in mails)) == times


def test_a_mail_alone_without_a_time_goes_by_its_month_and_else_is_the_oldest() -> None:
    known, unknown = make_mail("a", "", month="2026-03"), make_mail("b", "")
    times = find_times([known, unknown], {})
    assert times == {known.message_id: datetime(2026, 3, 1, tzinfo=UTC), unknown.message_id: EPOCH}


def test_mails_that_answer_each_other_in_a_circle_have_times_too() -> None:
    one, other = make_mail("a", SECOND, "b"), make_mail("b", THIRD, "a")
    assert set(find_times([one, other], Links([one, other]).parents)) == {one.message_id, other.message_id}
