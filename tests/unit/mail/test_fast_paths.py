"""What is read fast in the usual case must be what the slow way reads."""

from __future__ import annotations

import io
from datetime import UTC, datetime, timedelta, timezone
from email.utils import format_datetime, parsedate_to_datetime
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kipflow.mail import alternatives, limits, prefilter
from kipflow.mail.archive import read_mbox
from kipflow.mail.content import dates, headers
from kipflow.mail.content.dates import parse_date
from kipflow.mail.content.headers import split_mail
from kipflow.mail.content.html import parse_html
from kipflow.mail.content.text import clean_lines
from kipflow.mail.filereading import FileReading
from kipflow.mail.quoting import Words
from kipflow.mail.relevance import fold_case
from kipflow.mbox.splitting import split_mbox
from tests.corpus import write_vote_cases
from tests.examples import take_some

DATA = Path(__file__).resolve().parents[2] / "data"
ARCHIVES = [path for folder in (write_vote_cases(), DATA / "communities") for path in sorted(folder.glob("*.mbox"))]

zones = st.integers(min_value=-14 * 60, max_value=14 * 60).map(lambda m: timezone(timedelta(minutes=m)))
times = st.datetimes(min_value=datetime(1991, 1, 1), max_value=datetime(2098, 1, 1), timezones=zones)  # noqa: DTZ001
names = st.sampled_from(["From", "SUBJECT", "subject", "X-Thing", "Received", "Message-Id", "DKIM-Signature", "Cc"])
values = st.text(st.characters(codec="utf-8", exclude_characters="\r\n", exclude_categories=("Cc", "Zs")), max_size=30)


@given(at=times, comment=st.sampled_from(["", " (CET)", "  (UTC)"]))
def test_a_date_as_nearly_all_mails_write_it_is_read_as_any_other(at: datetime, comment: str) -> None:
    text = format_datetime(at.replace(microsecond=0)) + comment
    assert dates._USUAL.match(text) is not None
    assert parse_date(text) == parsedate_to_datetime(text).astimezone(UTC)


@given(at=st.datetimes(min_value=datetime(1991, 1, 1), max_value=datetime(2098, 1, 1)), tail=st.sampled_from(["", " "]))  # noqa: DTZ001
def test_an_envelope_line_as_nearly_all_archives_write_it_is_read_as_any_other(at: datetime, tail: str) -> None:
    text = at.replace(microsecond=0).ctime() + tail
    assert dates._ASCTIME.match(text) is not None
    assert dates.parse_envelope_date(f"From a@x.example  {text}\n".encode()) == parse_date(text)


@pytest.mark.parametrize("text", ["Mon Feb 31 10:00:00 2026", "Mon Foo  1 10:00:00 2026", "Mon Mar  1 25:00:00 2026"])
def test_an_envelope_line_with_a_date_that_no_calendar_has_shows_none(text: str) -> None:
    assert dates.parse_envelope_date(f"From a@x.example  {text}\n".encode()) is None


@pytest.mark.parametrize("text", ["Mon, 31 Feb 2026 10:00:00 +0000", "Mon, 1 Foo 2026 10:00:00 +0000", "Mon, 0"])
def test_a_date_that_no_calendar_has_is_no_date(text: str) -> None:
    assert parse_date(text) is None


@given(st.lists(st.tuples(names, st.lists(values, min_size=1, max_size=3)), min_size=1, max_size=8))
def test_fields_found_by_pattern_are_those_found_line_by_line(fields: list[tuple[str, list[str]]]) -> None:
    block = "\n".join(f"{name}: " + "\n ".join(lines) for name, lines in fields)
    by_pattern, by_line = read_both_ways(f"{block}\n\nbody\n".encode())
    assert by_pattern == by_line


def read_both_ways(mail: bytes) -> list[tuple[dict[str, list[bytes]], object]]:
    """The fields and the body of a mail that has a blank line, by pattern and line by line."""
    return [
        ({name: (found.raw(name) or b"").split() for name in headers._NAMES.values()}, body)
        for found, body in (split_mail(mail), headers._split_damaged(mail))
    ]


def read_raw(path: Path) -> list[bytes]:
    return [raw.data.replace(b"\r\n", b"\n") for raw in split_mbox(io.BytesIO(path.read_bytes()))]


@pytest.mark.parametrize("path", take_some(ARCHIVES), ids=lambda p: p.stem)
def test_fields_of_every_example_are_the_same_both_ways(path: Path) -> None:
    for mail in read_raw(path):
        if b"\n\n" in mail and not mail.startswith((b"\n", b" ")):
            by_pattern, by_line = read_both_ways(mail)
            assert by_pattern == by_line


def test_nearly_every_example_has_fields_to_compare() -> None:
    compared = [any(b"\n\n" in m and not m.startswith((b"\n", b" ")) for m in read_raw(path)) for path in ARCHIVES]
    assert sum(compared) > 0.9 * len(ARCHIVES)


@pytest.mark.realdata
def test_fields_of_real_mails_are_the_same_both_ways(realdata: Path) -> None:
    for path in sorted((realdata / "mail").glob("*.mbox")):
        mails = [mail for mail in read_raw(path) if b"\n\n" in mail]
        assert mails, path.name
        for mail in mails:
            by_pattern, by_line = read_both_ways(mail)
            assert by_pattern == by_line, path.name


def test_html_beside_plain_text_is_read_in_full_for_votes_only(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(_text: str) -> Words:
        raise AssertionError("read")

    monkeypatch.setattr(alternatives, "find_own_words", refuse)
    file = tmp_path / "x.mbox"
    file.write_bytes(
        b"From a@x.example Mon Mar  2 10:00:00 2026\nFrom: Ada Roe <a@x.example>\nSubject: Re: [VOTE] KIP-7: x\n"
        b'Content-Type: multipart/alternative; boundary="b"\n\n'
        b"--b\nContent-Type: text/plain\n\n" + b"Some words. " * 30 + b"\n"
        b"--b\nContent-Type: text/html\n\n<p>Words.</p>\n--b--\n"
    )
    [mail] = read_mbox(file, FileReading(list_id="dev@x.example", month="2026-03", prefix="KIP"))
    assert mail.own_text.startswith("Some words.")


PIECES = """b i n d B I N bi nd bin ind <b> </b> <p> </p> <br> <!-- --> <!--x--> <i_hidden>x</i> <style>x</style>
    <s>x</s> &#98; &#105 &#x69; &#0110; &#x62 &#x42; &nbsp; &shy; &imath; <img_alt=bi> <img_ALT_=_"nd"> <![CDATA[ ]]>
    <?x?> < > & = <pre> <li> <td> <blockquote> _ \u0131 \u200b \x01"""


@given(st.lists(st.sampled_from(PIECES.split()), max_size=12).map("".join).map(lambda s: s.replace("_", " ")))
def test_html_that_is_not_read_for_a_claim_to_bind_holds_none(source: str) -> None:
    shown = fold_case(" ".join(clean_lines(parse_html(source))))
    assert prefilter._may_claim(source) or prefilter.CLAIM not in shown


@pytest.mark.parametrize(
    "source", ["<b>" * 300, "<div>" * 150 + "<p>" * 150, "</p>" * 40_000, "x" * (limits.MARKUP.size + 1)]
)
def test_html_that_may_be_too_deep_or_too_long_is_read_for_a_claim_to_bind(source: str) -> None:
    assert prefilter._may_claim(source)


@pytest.mark.parametrize(
    "source", ["they bi<b>n</b>d", "&#98;inding", "&#x62;inding", "b\u0131nding", '<img alt="bind">', "+1 (BINDING)"]
)
def test_html_that_hides_a_claim_to_bind_is_read(source: str) -> None:
    assert prefilter._may_claim(source)
