"""Mail that is not whole: files that break off, mails too long to read, separators that are none."""

from __future__ import annotations

import base64
import gzip
import json
import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from kipflow_spark.datasource import plan_spans, read_span

from kipflow.domain.facts import Message, Unreadable
from kipflow.mbox.splitting import MAX_MAIL
from tests.adversary.conftest import BERG, DAY, LIST, MONDAY, PETIT, VOTE, Community, Mail, honest_vote

LATER = (MONDAY + 6 * DAY).isoformat()


def objection(body: str = "-1 (binding)", *, headers: str = "", name: str = "no") -> Mail:
    """Rune Berg takes his +1 back, in time: with this the vote lacks a third binding +1."""
    return Mail(name=name, by=BERG, day=3, body=body, headers=headers)


def with_objection(mail: Mail) -> list[Mail]:
    return sorted([*honest_vote().values(), mail], key=lambda one: one.day)


def ingest(community: Community, *paths: Path, through: str = "") -> tuple[int, str]:
    """Ingest files, decide a day after the result; the exit code and what was said of the files."""
    more = ("--complete-through", through) if through else ()
    said = community.run("ingest", *paths, *more, "--as-of", LATER)
    community.run("advance", "--as-of", LATER)
    return said.code, " ".join(said.err.split())


def save(community: Community, *mails: Mail) -> Path:
    path = community.folder / "2026-03.mbox"
    path.write_bytes(b"".join(mail.render() for mail in mails))
    return path


def why_not(community: Community) -> str:
    return " ".join(community.status()["missing"])


# -- files that break off -----------------------------------------------------------------------------------
def test_a_whole_file_is_enough_for_an_acceptance(community: Community) -> None:
    """An operator gives a whole export of the month.

    Its newest recorded arrival says how far it holds, and the vote is accepted.
    """
    assert ingest(community, save(community, *honest_vote().values())) == (0, "")
    assert community.stage() == "Accepted"


@pytest.mark.parametrize("kind", ["gz", "line", "headers", "parts"])
def test_a_file_that_breaks_off_before_an_objection_is_not_enough(community: Community, kind: str) -> None:
    """A download broke off right where a veto begins: in its compressed data, a line, the headers, or an open part.

    What was whole is stored, the break is reported in one line with exit code 1, and nothing is accepted on that month.
    """
    multipart = "Content-Type: multipart/mixed; boundary=b\n"
    last = objection("--b\nContent-Type: text/plain\n\nHi all,\n\n-1 (binding)\n--b--", headers=multipart)
    whole = b"".join(m.render() for m in honest_vote().values())
    mail = last.render()
    path = community.folder / "2026-03.mbox"
    cuts = {"line": mail.index(b"-1 (bin") + 4, "headers": mail.index(b"Message-ID"), "parts": mail.index(b"-1 (bin")}
    path.write_bytes(whole + mail[: cuts.get(kind, len(mail))])
    if kind == "gz":
        packed = gzip.compress(path.read_bytes())
        path.write_bytes(packed[: len(packed) - 12])
    code, said = ingest(community, path)
    assert code == 1
    assert "no acceptance rests on" in said
    assert community.stage() == "Vote"
    assert "incomplete" in why_not(community)
    # whoever vouches: what is missing is missing
    ingest(community, path, through=LATER)
    assert community.stage() == "Vote"
    # a whole file that lacks the mail in which the other one broke off proves nothing about the rest
    path.write_bytes(whole)
    assert ingest(community, path)[0] == 0
    assert community.stage() == "Vote"
    assert "incomplete" in why_not(community)
    path.write_bytes(whole + mail)
    ingest(community, path, through=LATER)
    assert community.stage() == "Vote"
    assert "incomplete" not in why_not(community)
    assert "needs 1 more binding +1" in why_not(community)


@pytest.mark.parametrize("first", ["whole", "broken"])
@pytest.mark.parametrize("cleared_by", ["file", "archive", "operator"])
def test_it_does_not_matter_which_file_of_a_month_was_read_first(
    community: Community, first: str, cleared_by: str
) -> None:
    """An operator has a whole file of a month without a veto, and one that breaks off in it, and gives both.

    In either order nothing is accepted, until a whole file has the mail that was cut off, the archive gives the month,
    or the operator says that no mail is missing.
    """
    honest, veto = b"".join(m.render() for m in honest_vote().values()), objection("-1 (binding)\n\nBecause.")
    whole, broken = community.folder / "whole.mbox", community.folder / "broken.mbox"
    whole.write_bytes(honest)
    broken.write_bytes(honest + veto.render()[: veto.render().index(b"Because") + 4])
    for path in [whole, broken] if first == "whole" else [broken, whole]:
        community.run("ingest", path, "--as-of", LATER)
    community.run("advance", "--as-of", LATER)
    assert community.stage() == "Vote"
    assert "incomplete" in why_not(community)
    if cleared_by == "operator":
        ingest(community, whole, through=LATER)
        assert community.stage() == "Accepted"
        return
    if cleared_by == "archive":
        community.follow(*with_objection(veto), day=6)
    else:
        whole.write_bytes(b"".join(m.render() for m in with_objection(veto)))
        ingest(community, whole)
    assert community.stage() == "Vote"
    assert "needs 1 more binding +1" in why_not(community)
    assert "incomplete" not in why_not(community)


def test_a_box_that_somebody_put_together_needs_no_empty_line_at_its_end(community: Community) -> None:
    """The last mail of a file ends with its last line, as in boxes made by hand.

    It is read as it stands, and nothing is reported."""
    path = community.folder / "made.mbox"
    path.write_bytes(b"".join(m.render() for m in honest_vote().values()).rstrip(b"\n") + b"\n")
    roster = community.folder / "config" / "rosters" / "village.yaml"
    said = community.run("votes", path, "--roster", roster, "--format", "json")
    assert said.code == 0
    assert said.json["unreadable"] == []
    assert [v["outcome"] for v in said.json["votes"]] == ["passed"]


@pytest.mark.parametrize("end", ["headers", "line"])
def test_votes_in_a_file_that_breaks_off_say_so(community: Community, end: str) -> None:
    """A mail that breaks off after its "+1" is read from a file.

    It is no ballot but a question, because the rest may take it back, and the file is reported as cut.
    """
    mails = b"".join(m.render() for m in list(honest_vote().values())[:3])
    last = honest_vote()["three"].render()
    path = community.folder / "cut.mbox"
    path.write_bytes(mails + (last[: last.index(b"Message-ID")] if end == "headers" else last.rstrip(b"\n")))
    roster = community.folder / "config" / "rosters" / "village.yaml"
    said = community.run("votes", path, "--roster", roster, "--format", "json", "--as-of", LATER)
    assert said.code == 1
    assert "breaks off" in said.json["unreadable"][0]["why"]
    [vote] = said.json["votes"]
    assert vote["tally"]["binding"]["+1"] == 2
    assert vote["outcome"] != "passed"
    if end == "line":
        assert [b["status"] for b in vote["ballots"]][-1] == "review"


def test_a_mail_dated_in_the_future_vouches_for_nothing(community: Community) -> None:
    """A stranger dates a mail most of a day ahead, so that an export looks as if it held more than it does.

    No Date says how far mail is held: only what a receiving host recorded.
    """
    future = Mail(name="future", by=BERG, day=2.1, body="Hello.", dated=MONDAY + 3 * DAY, subject="Hi", answers="")
    early = [m for m in honest_vote().values() if m.day < 3]
    assert ingest(community, save(community, *early, future))[0] == 0
    assert "read up to 2026-03-04" in community.run("status").err


def test_mails_that_nobody_received_vouch_for_nothing(community: Community) -> None:
    """An operator gives a box in which nothing but the senders' dates says when a mail arrived.

    It is stored and shown, and nothing is accepted until the operator says that it is all.
    """
    mails = []
    for mail in honest_vote().values():
        head, _, body = mail.render().partition(b"\n\n")
        kept = [x for x in head.split(b"\n") if not x.startswith((b"Received", b"\tfor", b"List-Id"))]
        mails.append(b"\n".join(kept) + b"\n\n" + body)
    path = community.folder / "by-hand.mbox"
    path.write_bytes(b"".join(mails))
    ingest(community, path)
    assert community.stage() == "Vote"
    assert "--complete-through" in why_not(community)
    ingest(community, path, through=LATER)
    assert community.stage() == "Accepted"


# -- mails that are not read to their end ----------------------------------------------------------------------
def _below_40_kb() -> Mail:
    return objection(
        "\n".join(["I have read the proposal and thought about each of its parts."] * 660) + "\n\n-1 (binding)"
    )


def _in_part_202() -> Mail:
    part = "--b\nContent-Type: text/plain\n\n"
    body = "".join(f"{part}Remark {n}.\n" for n in range(201)) + f"{part}-1 (binding)\n--b--"
    return objection(body, headers="Content-Type: multipart/mixed; boundary=b\n")


def _nested(depth: int) -> Mail:
    opened = "".join(f"--b{n}\nContent-Type: multipart/mixed; boundary=b{n + 1}\n\n" for n in range(depth))
    closed = "".join(f"\n--b{n}--" for n in range(depth, -1, -1))
    body = f"{opened}--b{depth}\nContent-Type: text/plain\n\n-1 (binding){closed}"
    return objection(body, headers="Content-Type: multipart/mixed; boundary=b0\n")


def _beyond_16_mb() -> Mail:
    return objection("x" * 70 + "\n" + ("> " + "y" * 76 + "\n") * (MAX_MAIL // 79) + "-1 (binding)")


def _below_html(depth: int) -> Mail:
    body = "<div>" * depth + "Hello." + "</div>" * depth + "<p>-1 (binding)</p>"
    return objection(body, headers="Content-Type: text/html\n")


@pytest.mark.parametrize(
    "make",
    [_below_40_kb, _in_part_202, lambda: _nested(20), lambda: _nested(60), _beyond_16_mb],
    ids=["below 40 kB", "in part 202", "20 parts deep", "60 parts deep", "beyond 16 MB"],
)
def test_an_objection_beyond_what_is_read_of_a_mail_is_not_swallowed(
    community: Community, make: Callable[[], Mail]
) -> None:
    """A veto stands below 40 kB of text, in part 202, within 20 or 60 parts, or beyond 16 MB.

    It is read, or the mail becomes a question ("not read to its end: …") that holds the acceptance.
    """
    community.follow(*with_objection(make()), day=6)
    status = community.status()
    ballot = [b for b in status["votes"][-1]["ballots"] if b["voter"] == "rberg"][-1]
    if ballot["status"] == "counted":
        assert ballot["choice"] == "-1"
    else:
        assert ballot["status"] == "review"
        assert "not read to its end: more than" in json.dumps(community.questions())
    assert status["stage"] == "Vote"


@pytest.mark.parametrize("depth", [200, 251, 256, 3_000])
def test_an_objection_below_deep_markup_is_not_swallowed(community: Community, depth: int) -> None:
    """A veto stands behind HTML elements nested so deep that the parser stops there.

    The mail is a question that holds the acceptance; above that depth it is read.
    """
    community.follow(*with_objection(_below_html(depth)), day=6)
    status = community.status()
    ballot = [b for b in status["votes"][-1]["ballots"] if b["voter"] == "rberg"][-1]
    assert (ballot["status"], status["stage"]) == ("counted" if depth == 200 else "review", "Vote")


def _references(*, root_at: int, count: int) -> str:
    named = [f"<other{n}@m.example>" for n in range(count)]
    named[root_at] = "<vote@m.example>"
    return "References: " + "\n ".join(named) + "\n"


@pytest.mark.parametrize(("root_at", "count"), [(0, 110), (300, 700), (-1, 1_500), (10, 5_000)])
def test_an_objection_that_refers_to_many_mails_stays_in_its_thread(
    community: Community, root_at: int, count: int
) -> None:
    """A veto under another subject belongs to the vote only by its References, which name hundreds of mails.

    Each of them is looked up; of more than a header field may hold, those at both ends of it.
    """
    mail = replace(objection(headers=_references(root_at=root_at, count=count)), subject="Re: shelves", answers="")
    community.follow(*with_objection(mail), day=6)
    status = community.status()
    ballot = [b for b in status["votes"][-1]["ballots"] if b["voter"] == "rberg"][-1]
    assert (ballot["status"], status["stage"]) == ("review", "Vote")


@pytest.mark.parametrize("marks", ["Re: " * 30, "Re: " * 300, "Re: [village] " * 400, "Re: Fwd: " * 1_000])
def test_an_objection_under_a_subject_with_many_marks_is_not_swallowed(community: Community, marks: str) -> None:
    """A veto comes under "Re: Re: Re: …", so often that the vote's subject begins beyond what is read of one.

    Marks count once, however many there are; a subject longer than is read makes the mail a question.
    """
    mail = replace(objection(), subject=f"{marks}{VOTE}", answers="")
    community.follow(*with_objection(mail), day=6)
    status = community.status()
    ballot = [b for b in status["votes"][-1]["ballots"] if b["voter"] == "rberg"][-1]
    assert (ballot["status"], status["stage"]) == ("review" if len(marks) > 600 else "counted", "Vote")


_TEXT, _FILE = "Content-Type: text/plain\n\n", "Content-Disposition: attachment; filename=vote.txt\n"


@pytest.mark.parametrize(
    ("kind", "body"),
    [
        ("application/octet-stream", "-1 (binding)"),
        ("message/rfc822", "From: rberg@village.example\nSubject: x\n\n-1 (binding)"),
        ("multipart/mixed; boundary=b", f"--b\n{_TEXT}\n--b\n{_FILE}{_TEXT}-1 (binding)\n--b--"),
        ("multipart/mixed; boundary=b", f"--b\n{_TEXT}My vote is attached.\n--b\n{_FILE}{_TEXT}-1 (binding)\n--b--"),
    ],
    ids=["program data", "mail within", "file", "file and a word"],
)
def test_an_objection_outside_the_text_is_a_question(community: Community, kind: str, body: str) -> None:
    """A veto stands where no text is read: in a file that is attached, a mail within the mail, a body of an odd type.

    Where the mail says nothing else, or that its vote is attached, it is a question that holds the acceptance.
    """
    community.follow(*with_objection(objection(body, headers=f"Content-Type: {kind}\n")), day=6)
    assert community.stage() == "Vote"
    assert "attachments are not read" in json.dumps(community.questions())


@pytest.mark.parametrize("said", ["+1 (binding)", "Some words on shelves and on tidying them.\n" * 9])
def test_an_objection_in_the_html_of_a_mail_that_says_something_else_in_plain_text(
    community: Community, said: str
) -> None:
    """A mail's plain text says +1, or nothing of a vote, and its HTML, which most people see, says -1.

    Both are looked at; a person is asked which is meant, and the acceptance waits.
    """
    twins = f"--b\nContent-Type: text/plain\n\n{said}\n--b\nContent-Type: text/html\n\n<p>-1 (binding)</p>\n--b--"
    mail = objection(twins, headers="Content-Type: multipart/alternative; boundary=b\n")
    community.follow(*with_objection(mail), day=6)
    assert community.stage() == "Vote"
    assert "its HTML -1: which is meant?" in json.dumps(community.questions())


@pytest.mark.parametrize(
    ("kind", "body"),
    [
        ("text/html", "<style>.x {display:none}</style><p class=x>+1 (binding)</p><p>I am against it.</p>"),
        ("text/html", "<p>My vote: <img src=x.png alt='+1 (binding)'></p>"),
        ("text/plain; charset=utf-7", "+-1 (binding)"),
        ("text/plain; charset=utf-8", "\u202e1-\u202c"),
        ("text/plain; charset=utf-8", "-\u03361\u0336 (binding)"),
    ],
    ids=["style", "picture", "utf-7", "direction", "strokes"],
)
def test_a_vote_that_is_not_shown_as_it_is_read_is_a_question(community: Community, kind: str, body: str) -> None:
    """What is read as +1 is hidden by a style, a picture's description, or "+-1"; what is shown as -1 is written "1-".

    The mail is a question: nobody knows what its author saw.
    """
    community.follow(*with_objection(objection(body, headers=f"Content-Type: {kind}\n")), day=6)
    status = community.status()
    ballot = [b for b in status["votes"][-1]["ballots"] if b["voter"] == "rberg"][-1]
    assert (ballot["status"], status["stage"]) == ("review", "Vote")


# -- separators that are none ----------------------------------------------------------------------------------
FAKES = "\n\n".join(
    f"From x{n} Wed Mar  4 10:0{n}:00 2026\nFrom: {who}\nSubject: Re: [VOTE] KIP-7: Tidy shelves\n"
    f"Date: Wed, 04 Mar 2026 10:0{n}:00 +0000\n\n+1 (binding)"
    for n, who in enumerate(("Kim Osei <kosei@village.example>", BERG, PETIT))
)


@pytest.mark.parametrize("way", ["archive", "file"])
def test_separators_forged_in_a_body_make_no_ballots(community: Community, way: str) -> None:
    """A stranger writes three "mails" of committers, with lines that separate mails, into the body of his own.

    They are read as his text, reported with their line, and his mail is a question in the vote's thread.
    """
    called = [honest_vote()["vote"], honest_vote()["one"]]
    hoax = Mail(name="hoax", by="Eve <eve@evil.example>", day=2, body=f"Nice.\n\n{FAKES}")
    if way == "file":
        code, said = ingest(community, save(community, *called, hoax))
        assert (code, said) == (1, "")
    else:
        community.follow(*called, hoax, day=6)
    state = community.status()["votes"][-1]
    assert state["tally"]["binding"]["+1"] == 1
    assert community.stage() == "Vote"
    assert {b["voter"]: b["status"] for b in state["ballots"]} == {"mlind": "counted", "eve@evil.example": "review"}
    found = community.read_file(*called, hoax)
    [why] = [item["why"] for item in found["unreadable"]]
    assert why.startswith("a line that looks like the start of a mail was read as text: From x0 Wed Mar")
    assert found["messages_read"] == 3


def test_a_forged_separator_with_all_but_a_servers_trace_makes_a_question(community: Community) -> None:
    """A stranger adds a Message-ID and the list's List-Id to the "mails" in the body, and no server's Received.

    Whether they are mails is asked with each of their votes; none counts.
    """
    mails = honest_vote()
    ids = (f"Message-ID: <fake{n}@m.example>\nList-Id: <dev.village.example>\nFrom:" for n in range(3))
    body = re.sub("From:", lambda _: next(ids), FAKES).replace("+1 (binding)", "-1 (binding)")
    body = re.sub(r"From x(\d)", r"From x\1@m.example", body)
    hoax = Mail(name="hoax", by="Eve <eve@evil.example>", day=2.5, body=f"Nice.\n\n{body}")
    community.follow(*mails.values(), hoax, day=6)

    state = community.status()["votes"][-1]
    assert state["tally"]["binding"] == {"+1": 3, "0": 0, "-1": 0}
    fakes = [b for b in state["ballots"] if b["message_id"].startswith("<fake")]
    assert [b["status"] for b in fakes] == ["review"] * 3
    assert community.stage() == "Vote"


def test_parts_of_a_large_file_find_no_other_mails(community: Community) -> None:
    """A forged separator stands right where a large file is cut into parts for Spark.

    Each part asks the bytes, not its neighbours: the parts give what the whole file gives, doubts and all.
    """
    mails = [*honest_vote().values(), Mail(name="hoax", by="Eve <eve@evil.example>", day=5.5, body=f"Nice.\n\n{FAKES}")]
    path = save(community, *mails)
    file: dict[str, Any] = {"path": str(path), "list_id": LIST, "month": "2026-03"}
    [whole] = plan_spans([file], 1 << 20)
    expected = list(read_span(whole, prefix="KIP"))
    assert sum(isinstance(item, Message) for item in expected) == len(mails)
    assert [item.source.partition("#")[2] for item in expected if isinstance(item, Unreadable)] == ["5 line 14"]
    for size in range(90, 400, 7):
        parts = [item for span in plan_spans([file], size) for item in read_span(span, prefix="KIP")]
        assert [_say(i) for i in parts] == [_say(i) for i in expected]


def _say(item: Message | Unreadable) -> tuple[str, str]:
    return (item.message_id, item.unread) if isinstance(item, Message) else ("", item.why)


def test_a_vote_hidden_in_base64_below_a_boundary_too_far_down_is_a_question(community: Community) -> None:
    """A sender declares so much in Content-Type that its boundary is not read, and encodes the veto below it.

    The mail is a question, not silence.
    """
    encoded = base64.b64encode(b"-1 (binding)").decode()
    head = f"Content-Type: multipart/mixed; x={'y' * 5_000}; boundary=b\n"
    body = f"--b\nContent-Type: text/plain\nContent-Transfer-Encoding: base64\n\n{encoded}\n--b--"
    community.follow(*with_objection(objection(body, headers=head)), day=6)
    assert community.stage() == "Vote"
    assert "not read to its end" in json.dumps(community.questions())
