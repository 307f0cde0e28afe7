"""An index page that says what it should is written back byte for byte, however people wrote it."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime
from html import escape
from pathlib import Path

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from kipflow.domain.pages import IndexEntry
from kipflow.wiki.index_editing import replace_index
from kipflow.wiki.index_reading import parse_index_page
from kipflow.wiki.index_text import parse_index_text
from kipflow.wiki.index_writing import render_index
from kipflow.wiki.recordings import parse_recordings
from tests.examples import examples

SEEN = datetime(2026, 3, 2, tzinfo=UTC)
SEEDS = Path(__file__).resolve().parents[4] / "shared" / "seeds"


def write_back(body: str, next_number: int) -> str:
    """The page after kipflow read it and wants it to say what it says."""
    return write(body, parse_index_page(body, "KIP", SEEN).entries, next_number)


def write(body: str, entries: Sequence[IndexEntry], next_number: int = 1) -> str:
    """The page once it says this."""
    sections: dict[str, list[IndexEntry]] = {}
    for entry in entries:
        sections.setdefault(entry.section, []).append(entry)
    rendered = render_index(sections, prefix="KIP", next_number=next_number, format="confluence")
    return replace_index(body, rendered)


# -- pages as people make them -----------------------------------------------------------------------
_NUMBERS = st.integers(1, 60)  # few: some stand twice
_WORDS = st.text(
    alphabet=st.characters(codec="utf-8", exclude_categories=["Cc", "Cs"], exclude_characters="<>&"), max_size=30
)
_TITLES = st.one_of(
    _WORDS.map(lambda text: escape(f"Use {text} here")),
    st.sampled_from(
        ["Rename a &amp; b", "a &lt;b&gt; c", "One,,,", "A – dash &ndash; more", "Cafe\u0301 au&nbsp;lait"]
    ),
    st.just("KIP-9 again"),
)
_BETWEEN = st.sampled_from([" - ", ": ", " ", " – ", "  -  ", "&nbsp;- "])
_MARKS = st.sampled_from(["", "", " (WIP)", ", (WIP)", ",,, (WIP)", " [wip]", "<span> (WIP)</span>"])
_AROUND = st.sampled_from(
    [
        "{}",
        "<p>{}</p>",
        '<a href="https://w.example/x?a=1&amp;b=2">{}</a>',
        "<s>old</s> {}",
        '<ac:link><ri:page ri:content-title="x" /><ac:link-body>{}</ac:link-body></ac:link>',
        "<span style='x'>{}<br/></span>",
    ]
)
_RELEASES = st.sampled_from(["", "0.9.0.0", "3.1", " 3.1.0 ", "<p>1.0.0, 1.1.0</p>", "trunk (WIP)", "<br/>"])
_HEADINGS = st.lists(
    st.sampled_from(["Adopted KIPs", "KIPs under discussion", "Dormant/inactive KIPs", "Discarded KIPs"]),
    unique=True,
    min_size=1,
)
_ELSEWHERE = st.sampled_from(
    [
        "",
        "<p>Thanks to all.</p>",
        "<!-- <tr><td>KIP-1</td></tr> -->",
        "<h2>KIP Discussion Recordings</h2><table><tr><td>KIP-3 was discussed</td></tr></table>",
        "<![CDATA[<table>KIP-2</table>]]>",
        "\r\n\t",
    ]
)


@st.composite
def _rows(draw: st.DrawFn) -> str:
    label = f"KIP-{draw(_NUMBERS)}{draw(_BETWEEN)}{draw(_TITLES)}{draw(_MARKS)}"
    more = draw(st.sampled_from(["", "<td>ask Kim</td>", "<td />"]))
    space = draw(st.sampled_from(["", "\n", "  "]))
    return f"<tr>{space}<td>{draw(_AROUND).format(label)}</td><td>{draw(_RELEASES)}</td>{more}</tr>{space}"


@st.composite
def _pages(draw: st.DrawFn) -> str:
    parts = [draw(_ELSEWHERE), f"<p>Next KIP Number: <strong>{draw(st.integers(61, 900))}</strong></p>"]
    for heading in draw(_HEADINGS):
        head = draw(
            st.sampled_from(["<tr><th>KIP</th><th>Release</th></tr>", "<tr><td>KIP</td><td>Release</td></tr>", ""])
        )
        rows = "".join(draw(st.lists(_rows(), max_size=5)))
        parts += [f"<h2>{heading}</h2>{draw(_ELSEWHERE)}<table><tbody>{head}{rows}</tbody></table>", draw(_ELSEWHERE)]
    return "".join(parts)


@examples(300)
@given(_pages())
def test_a_page_that_is_true_is_not_touched(page: str) -> None:
    assert write_back(page, 1) == page


@examples(300)
@given(_pages(), st.data())
def test_whatever_a_row_is_to_say_it_says_then_and_no_other_row_changes(page: str, data: st.DataObject) -> None:
    """Its section, its release and "(WIP)", in the label or in the release's cell; also beside numbers taken twice."""
    entries = parse_index_page(page, "KIP", SEEN).entries
    counts = Counter(entry.number for entry in entries)
    single = [entry for entry in entries if counts[entry.number] == 1]
    assume(single)
    old = data.draw(st.sampled_from(single))
    section = data.draw(st.sampled_from(sorted({entry.section for entry in entries})))
    release = data.draw(st.sampled_from([old.release, "4.0.0"]))
    new = replace(old, section=section, release=release, in_progress=data.draw(st.booleans()))
    wanted = [new if entry is old else entry for entry in entries]

    after = write(page, wanted)

    # a table without a heading row has no column for a release
    has_columns = page.count("Release</t") == page.count("<tbody>")
    assert say(parse_index_page(after, "KIP", SEEN).entries, has_columns) == say(wanted, has_columns)
    assert rows_but(old.number, after) == rows_but(old.number, page)
    assert write(after, wanted) == after


def say(entries: Sequence[IndexEntry], with_release: bool) -> list[str]:
    return sorted(str(entry if with_release else replace(entry, release=None)) for entry in entries)


def rows_but(number: int, page: str) -> list[str]:
    """The rows as they are written, but for those of one number."""
    return [row for row in re.findall(r"<tr>.*?</tr>", page, re.DOTALL) if not re.search(rf"KIP-{number}\b", row)]


# -- the index of the seed documents ------------------------------------------------------------------
@pytest.mark.realdata
def test_the_seed_s_index_is_read_and_written_back_byte_for_byte() -> None:
    files = sorted(SEEDS.glob("001_*.txt"))
    if not files:
        pytest.skip("the seed documents are not beside the project")
    lines = files[0].read_text(encoding="utf-8").splitlines()
    page = "".join(_as_storage(lines[lines.index("KIP round-up") :]))
    entries = parse_index_page(page, "KIP", SEEN).entries
    assert len(entries) == len(parse_index_text(files[0].read_text(encoding="utf-8"), "KIP", SEEN).entries)
    assert [e.number for e in entries].count(4) == 2
    assert {n.number for n in parse_recordings(page, "KIP")} >= {4, 28, 48, 54, 82, 112}
    assert write_back(page, 124) == page


def _as_storage(lines: Sequence[str]) -> list[str]:
    """The round-up as the wiki stores it: a table below each heading, a row for each line of it."""
    parts, in_table = list[str](), False
    for line in filter(None, (" ".join(line.split()) for line in lines)):
        if line.startswith(("KIP Release", "Date (")):
            parts.append(f"<table><tbody><tr><th>{line.split()[0]}</th><th>{escape(line.partition(' ')[2])}</th></tr>")
            in_table = True
        elif in_table and line.startswith("KIP-"):
            parts.append(f"<tr><td>{escape(line)}</td><td></td></tr>\n")
        elif in_table and line.startswith("•"):
            parts.append(f"<tr><td>a call</td><td><ul><li>{escape(line[1:])}</li></ul></td></tr>\n")
        else:
            parts.append(f"{'</tbody></table>' * in_table}<h2>{escape(line)}</h2>\n")
            in_table = False
    return [*parts, "</tbody></table>" * in_table]
