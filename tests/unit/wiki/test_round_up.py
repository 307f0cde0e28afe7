"""The round-up index: read, written, and edited in place."""

from __future__ import annotations

import json
import time
from collections import Counter
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kipflow.domain.errors import KipflowError, UnreadableInput
from kipflow.domain.pages import IndexEntry
from kipflow.wiki.index_editing import replace_index
from kipflow.wiki.index_exports import parse_index_json
from kipflow.wiki.index_reading import parse_index_page
from kipflow.wiki.index_text import parse_index_text
from kipflow.wiki.index_writing import FORMATS, render_index
from kipflow.wiki.recordings import parse_recordings_text

SEEN = datetime(2026, 1, 1, tzinfo=UTC)
SHARED = Path(__file__).resolve().parents[4] / "shared"

PAGE = (
    "<p>Process &amp; rules.</p><table><tbody><tr><td>KIP-99: not in the round-up</td></tr></tbody></table>"
    "<h1>KIP round-up</h1><p><strong>Next KIP Number:&nbsp;</strong><em>31</em></p>"
    '<h2>Adopted KIPs</h2><table class="wrapped"><colgroup><col/></colgroup><tbody>'
    "<tr><th>KIP</th><th>Release</th></tr>"
    "<tr><td>KIP-4 - Operations,,, (WIP)</td><td></td></tr>\n"
    "<tr><td>KIP-4 - Metadata</td><td>0.9.0.0</td></tr>\n"
    '<tr><td><ac:link><ri:page ri:content-title="KIP-2 - Ports" /></ac:link></td><td>0.8.2 (WIP)</td></tr>'
    "</tbody></table>"
    "<h2>KIPs under <em>discussion</em></h2><p>Talk on the list.</p><table><tbody>"
    "<tr><th>KIP</th><th>Comment</th></tr>"
    '<tr><td><a href="https://w.example/7">KIP-7: Faster &lt;b&gt;</a></td><td>ask <b>Kim</b></td></tr>'
    "<tr><td>KIP-30 Colour</td><td>later</td></tr></tbody></table>"
    "<h2>Dormant/inactive KIPs</h2><p>none</p>"
    "<h2>Discarded KIPs</h2><table><tbody><tr><td>KIP-5: Old</td></tr></tbody></table>"
    "<h1>KIP Discussion Recordings</h1><table><tbody><tr><td>KIP-7: talked</td></tr></tbody></table>"
)


def facts(entries: tuple[IndexEntry, ...]) -> list[tuple[object, ...]]:
    return [(e.section, e.number, e.title, e.release, e.in_progress) for e in entries]


def sections(entries: tuple[IndexEntry, ...]) -> dict[str, list[IndexEntry]]:
    found: dict[str, list[IndexEntry]] = {}
    for entry in entries:
        found.setdefault(entry.section, []).append(entry)
    return found


def entry(number: int, section: str, title: str = "x", **more: object) -> IndexEntry:
    made = IndexEntry(number=number, title=title, section=section, seen_at=SEEN, origin="page")
    return replace(made, **more)  # type: ignore[arg-type]


def test_a_page_gives_its_rows_by_section_with_release_and_wip() -> None:
    found = parse_index_page(PAGE, "KIP", SEEN)
    assert facts(found.entries) == [
        ("accepted", 4, "Operations", None, True),
        ("accepted", 4, "Metadata", "0.9.0.0", False),
        ("accepted", 2, "Ports", "0.8.2", True),
        ("discussion", 7, "Faster <b>", None, False),
        ("discussion", 30, "Colour", None, False),
        ("discarded", 5, "Old", None, False),
    ]
    assert found.next_number == 31
    assert found.entries[3].url == "https://w.example/7"
    assert {e.origin for e in found.entries} == {"page"}


def test_a_number_that_stands_twice_stays_two_rows_and_is_reported() -> None:
    (warning,) = parse_index_page(PAGE, "KIP", SEEN).warnings
    assert warning.startswith("KIP-4 appears 2 times")


def test_a_next_number_that_is_taken_is_reported() -> None:
    taken = parse_index_page(PAGE.replace(">31<", ">30<"), "KIP", SEEN).warnings
    assert any("next number is said to be 30, but KIP-30 is taken" in w for w in taken)


def test_plain_text_gives_the_same_rows() -> None:
    text = (
        'e.g. "KIP 42: Allow"\nKIP round-up\nNext KIP Number: 31\nAdopted KIPs\nKIP Release\n'
        "KIP-4 - Operations,,, (WIP)\nKIP-38: ZooKeeper\nKIP-20 Enable\nKIP-94 Windows\t0.10.2.0\n\n"
        "KIPs under discussion\nKIP-7: Faster\nDormant/inactive KIPs\n\nDiscarded KIPs\nKIP-5: Old\n"
        "KIP Discussion Recordings\nDate (link to recording)Summary\n  \u2022 KIP-112 - Disks: talked\nKIP-35: talked\n"
    )
    found = parse_index_text(text, "KIP", SEEN)
    assert facts(found.entries) == [
        ("accepted", 4, "Operations", None, True),
        ("accepted", 38, "ZooKeeper", None, False),
        ("accepted", 20, "Enable", None, False),
        ("accepted", 94, "Windows", "0.10.2.0", False),
        ("discussion", 7, "Faster", None, False),
        ("discarded", 5, "Old", None, False),
    ]
    assert found.next_number == 31
    assert {e.origin for e in found.entries} == {"import"}


def test_markdown_of_any_hand_gives_rows_with_their_releases() -> None:
    text = (
        "# Round-up\n## Accepted\n| KIP | Title | Author | Release |\n|---|---|---|---|\n"
        "| KIP-1 | First \\| things | Mara | 1.0 (WIP) |\n| [KIP-2](https://x.example/2) | R&amp;D | Jun | |\n"
        "## Under discussion\n- [KIP-3: Names](https://x.example/3)\n* KIP-4 - Aliases\n"
    )
    found = parse_index_text(text, "KIP", SEEN)
    assert facts(found.entries) == [
        ("accepted", 1, "First | things", "1.0", True),
        ("accepted", 2, "R&D", None, False),
        ("discussion", 3, "Names", None, False),
        ("discussion", 4, "Aliases", None, False),
    ]


def test_rows_of_no_section_are_left_out_by_name_and_a_column_may_name_it() -> None:
    below_other = "## Withdrawn\n| KIP-1: A | |\n## Parked ideas\n| KIP-2: B | |\n| KIPP-3: C | |\n"
    rows = ("KIP-4: D | accepted", "KIP-5: E | pending", "KIP-6: F | In discussion")
    with_states = "| Proposal | Status |\n|---|---|\n" + "".join(f"| {row} |\n" for row in rows)
    one, other = (parse_index_text(text, "KIP", SEEN) for text in (below_other, with_states))
    assert [(e.number, e.section) for e in one.entries] == [(1, "discarded")]
    assert [(e.number, e.section) for e in other.entries] == [(4, "accepted"), (6, "discussion")]
    assert one.warnings[0].endswith("rejected: 'KIP-2: B', 'KIPP-3: C'")
    assert other.warnings[0].endswith("'KIP-5: E'")
    deeper = parse_index_text("# Adopted KIPs\n## Kafka 2.0\nKIP-1: A\n# Draft\nKIP-2: B\n", "KIP", SEEN)
    assert ([e.number for e in deeper.entries], deeper.warnings[0][-10:]) == ([1], " 'KIP-2: B'"[-10:])


def test_the_markdown_that_is_rendered_reads_back() -> None:
    entry = IndexEntry(
        number=5,
        title="Pipes | and [marks] & <tags>_x",
        section="accepted",
        seen_at=SEEN,
        origin="import",
        release="4.0",
    )
    [read] = parse_index_text(
        render_index({"accepted": [entry]}, prefix="KIP", next_number=None, format="markdown"), "KIP", SEEN
    ).entries
    assert read == entry


def rows(*given: dict[str, object]) -> str:
    return json.dumps({str(n): row for n, row in enumerate(given)})


def test_an_export_gives_states_people_times_and_tickets() -> None:
    row = {
        "kip_id": 8,
        "title": "KIP-8: Flush",
        "state": "not accepted",
        "created_by": "Kim Osei",
        "created_on": "2015-01-16T02:11:02.000Z",
        "last_modified_on": "2015-07-18T04:58:41",
        "web_url": "https://w.example/KIP-8",
        "jira": "https://issues.example/browse/KAFKA-9",
    }
    (found,) = parse_index_json(rows(row), "KIP", SEEN).entries
    assert (found.number, found.title, found.section, found.author) == (8, "Flush", "rejected", "Kim Osei")
    assert found.created_at == datetime(2015, 1, 16, 2, 11, 2, tzinfo=UTC)
    assert found.changed_at == datetime(2015, 7, 18, 4, 58, 41, tzinfo=UTC)
    assert (found.url, found.jira) == ("https://w.example/KIP-8", "KAFKA-9")


@pytest.mark.parametrize(
    ("state", "section"),
    [
        ("accepted", "accepted"),
        ("under discussion", "discussion"),
        ("voting", "discussion"),
        ("not accepted", "rejected"),
        ("discarded", "discarded"),
        ("inactive", "dormant"),
        ("unknown", "unknown"),
        ("", "unknown"),
    ],
)
def test_an_exports_state_becomes_a_section(state: str, section: str) -> None:
    (found,) = parse_index_json(rows({"kip_id": 1, "title": "KIP-1: x", "state": state}), "KIP", SEEN).entries
    assert found.section == section


def test_a_misnumbered_row_takes_its_titles_number_where_that_is_free_and_is_reported() -> None:
    free = parse_index_json(rows({"kip_id": 12, "title": "KIP-21: x", "state": ""}), "KIP", SEEN)
    assert [e.number for e in free.entries] == [21]
    assert free.warnings == ("KIP-12 is titled KIP-21: kept as KIP-21",)
    both = ({"kip_id": 12, "title": "KIP-21: x"}, {"kip_id": 21, "title": "KIP-21: y"})
    taken = parse_index_json(rows(*both), "KIP", SEEN)
    assert [e.number for e in taken.entries] == [12, 21], "no proposal is lost"
    assert taken.warnings == ("KIP-12 is titled KIP-21: kept as KIP-12",)


def test_one_title_under_two_numbers_and_marks_around_a_title_are_reported() -> None:
    given = (
        {"kip_id": 1, "title": "KIP-1: Same thing"},
        {"kip_id": 2, "title": "KIP-2: same Thing"},
        {"kip_id": 3, "title": "Old KIP-3 - x", "state": "accepted"},
        {"kip_id": 4, "title": "KIP-4: [DISCARDED] y"},
    )
    found = parse_index_json(rows(*given), "KIP", SEEN)
    assert len(found.entries) == 4
    assert len(found.warnings) == 3
    assert "KIP-1 and KIP-2 have the same title" in found.warnings[2]


@pytest.mark.parametrize("text", ["", "nope", "[1, 2]", "{}", '{"a": 1}', "[" * 100_000])
def test_a_file_that_is_no_export_is_refused(text: str) -> None:
    with pytest.raises(UnreadableInput):
        parse_index_json(text, "KIP", SEEN)


@pytest.mark.parametrize("link", ["javascript:alert(1)", "data:text/html,x", "//x.example", "https://" + "x" * 3_000])
def test_a_link_that_is_no_web_address_is_not_kept(link: str) -> None:
    (found,) = parse_index_json(rows({"kip_id": 1, "title": "KIP-1: x", "web_url": link}), "KIP", SEEN).entries
    assert found.url is None
    body = f'<h2>Adopted</h2><table><tr><td><a href="{link}">KIP-1: x</a></td></tr></table>'
    assert parse_index_page(body, "KIP", SEEN).entries[0].url is None


# -- writing -----------------------------------------------------------------------------------------
_TITLES = st.text(alphabet=st.characters(codec="utf-8", exclude_categories=["Cc", "Cs", "Zl", "Zp"]), max_size=60)
_ENTRIES = st.builds(
    entry,
    number=st.integers(1, 99_999),
    section=st.sampled_from(["accepted", "discussion", "dormant", "discarded", "rejected"]),
    title=_TITLES.map(lambda t: " ".join(("t " + t + " e").split())).filter(lambda t: "wip" not in t.lower()),
    release=st.none() | st.from_regex(r"[1-9]\.[0-9]\.[0-9]", fullmatch=True),
    in_progress=st.booleans(),
    url=st.none() | st.just("https://w.example/a?b=1&c='\"<>"),
)
_INDEXES = st.lists(_ENTRIES, max_size=12, unique_by=lambda e: e.number).map(tuple)


def shown(entries: tuple[IndexEntry, ...]) -> set[tuple[object, ...]]:
    # invisible characters are not kept
    return {
        (e.section, e.number, "".join(c for c in e.title if c.isalnum()), e.release, e.in_progress) for e in entries
    }


@given(_INDEXES, st.sampled_from(["confluence", "html"]))
def test_what_is_rendered_reads_back_as_the_same(entries: tuple[IndexEntry, ...], form: str) -> None:
    text = render_index(sections(entries), prefix="KIP", next_number=31, format=form)
    found = parse_index_page(text, "KIP", SEEN)
    assert shown(found.entries) == shown(entries)
    assert found.next_number == 31


@given(_INDEXES)
def test_json_reads_back_as_the_same(entries: tuple[IndexEntry, ...]) -> None:
    text = render_index(sections(entries), prefix="KIP", next_number=31, format="json")
    if entries:
        found = parse_index_json(text, "KIP", SEEN)
        assert {(e.section, e.number, e.release, e.in_progress) for e in found.entries} == {
            (e.section, e.number, e.release, e.in_progress) for e in entries
        }
        assert found.next_number == 31


@pytest.mark.parametrize("form", FORMATS)
def test_what_people_wrote_is_escaped_in_every_format(form: str) -> None:
    bad = entry(
        1,
        "accepted",
        '<script>x</script> | [a](javascript:b) `c` & "d"',
        release="<i>1</i>|",
        url="javascript:alert(1)",
    )
    text = render_index({"accepted": [bad]}, prefix="KIP", next_number=2, format=form)
    if form == "json":
        assert json.loads(text)["sections"]["accepted"][0]["title"] == bad.title
        return
    assert "<script" not in text
    assert "<i>" not in text
    assert "href" not in text
    if form == "markdown":
        (row,) = [line for line in text.splitlines() if line.startswith("| KIP-1")]
        assert row.replace("\\|", "").count("|") == 3
        assert "\\[a\\](" in row


def test_an_unknown_format_or_section_is_refused() -> None:
    with pytest.raises(KipflowError, match="markdown"):
        render_index({}, prefix="KIP", next_number=1, format="pdf")
    with pytest.raises(KipflowError, match="accepted"):
        render_index({"approved": []}, prefix="KIP", next_number=1)


# -- editing -----------------------------------------------------------------------------------------
def edit(body: str, entries: tuple[IndexEntry, ...], next_number: int = 31) -> str:
    rendered = render_index(sections(entries), prefix="KIP", next_number=next_number, format="confluence")
    return replace_index(body, rendered)


HELD = parse_index_page(PAGE, "KIP", SEEN).entries


def test_an_index_that_is_true_is_left_alone_byte_by_byte() -> None:
    assert edit(PAGE, HELD) == PAGE


def test_a_release_changes_its_cell_and_nothing_else() -> None:
    after = edit(PAGE, (replace(HELD[0], release="2.0"), *HELD[1:]))
    assert after == PAGE.replace("(WIP)</td><td></td>", "(WIP)</td><td>2.0</td>")


def test_a_wip_mark_goes_and_comes_with_the_link_kept() -> None:
    gone = edit(PAGE, (replace(HELD[0], in_progress=False), HELD[1], replace(HELD[2], in_progress=False), *HELD[3:]))
    assert "<td>KIP-4 - Operations</td>" in gone
    assert '<td><ac:link><ri:page ri:content-title="KIP-2 - Ports" /></ac:link></td><td>0.8.2</td>' in gone
    come = edit(PAGE, (HELD[0], replace(HELD[1], in_progress=True), *HELD[2:]))
    assert "<td>KIP-4 - Metadata (WIP)</td>" in come


def test_a_row_moves_with_its_link_and_leaves_no_trace() -> None:
    moved = replace(HELD[3], section="accepted", release="4.0")
    after = edit(PAGE, (*HELD[:3], moved, *HELD[4:]))
    assert after.count("KIP-7: Faster") == 1
    assert '<tr><td><a href="https://w.example/7">KIP-7: Faster &lt;b&gt;</a></td><td>4.0</td></tr>' in after
    assert after.index("KIP-7: Faster") < after.index("KIPs under")
    assert "KIP-7: talked" in after, "other tables are not the round-up's"


def test_a_new_row_stands_behind_the_last_smaller_number_and_fills_every_column() -> None:
    after = edit(PAGE, (*HELD, entry(12, "discussion", "New & odd")))
    row = "<tr><td>KIP-12: New &amp; odd</td><td></td></tr>"
    assert after == PAGE.replace("<tr><td>KIP-30 Colour", row + "<tr><td>KIP-30 Colour")


def test_a_section_without_a_table_gets_one_below_its_heading() -> None:
    moved = replace(HELD[4], section="dormant")
    after = edit(PAGE, (*HELD[:4], moved, HELD[5]))
    found = parse_index_page(after, "KIP", SEEN)
    assert ("dormant", 30, "Colour", None, False) in facts(found.entries)
    assert "Dormant/inactive KIPs</h2>\n<table>" in after
    assert "<p>none</p>" in after


def test_a_row_of_an_unknown_proposal_and_a_release_we_do_not_know_stay() -> None:
    after = edit(PAGE, tuple(replace(e, release=None) for e in HELD if e.number != 30))
    assert after == PAGE


def test_the_next_number_is_raised_and_never_lowered() -> None:
    assert edit(PAGE, HELD, 45) == PAGE.replace("<em>31</em>", "<em>45</em>")
    assert edit(PAGE, HELD, 12) == PAGE


@pytest.mark.parametrize("body", ["", "<p>words</p>", "<h1>Motivation</h1><table><tr><td>KIP-1</td></tr></table>"])
def test_a_page_without_a_round_up_is_refused_and_not_changed(body: str) -> None:
    with pytest.raises(KipflowError, match="no round-up"):
        edit(body, HELD)


@pytest.mark.parametrize(
    "hidden",
    [
        "<!-- <h2>Adopted KIPs</h2><table><tr><td>KIP-1: x</td></tr></table> -->",
        '<ac:structured-macro ac:name="code"><ac:plain-text-body><![CDATA[<h2>Adopted</h2>'
        "<table><tr><td>KIP-1</td></tr></table>]]></ac:plain-text-body></ac:structured-macro>",
    ],
)
def test_what_only_looks_like_a_table_is_not_edited(hidden: str) -> None:
    after = edit(hidden + PAGE, (replace(HELD[0], release="2.0"), *HELD[1:]))
    assert after.startswith(hidden)


def test_a_table_inside_a_cell_belongs_to_its_row() -> None:
    nested = "<table><tbody><tr><td>KIP-7: inner</td></tr></tbody></table>"
    body = PAGE.replace("ask <b>Kim</b>", nested)
    after = edit(body, (replace(HELD[0], release="2.0"), *HELD[1:]))
    assert nested in after
    assert after.count("<tr>") == body.count("<tr>")


@given(_INDEXES)
def test_any_index_can_be_put_on_a_page_and_doing_it_twice_changes_nothing(entries: tuple[IndexEntry, ...]) -> None:
    once = edit(PAGE, entries)
    assert edit(once, entries) == once
    found = parse_index_page(once, "KIP", SEEN).entries
    # the page has a column for the release in one table only
    assert {row[:3] + row[4:] for row in shown(entries)} <= {row[:3] + row[4:] for row in shown(found)}
    # in pairs: KIP-4 stands twice on the page, and one of its rows has the release
    given_ = {(e.number, e.release) for e in entries if e.section == "accepted" and e.release}
    assert given_ <= {(e.number, e.release) for e in found if e.section == "accepted"}
    numbers = [e.number for e in entries]
    assert all([e.number for e in found].count(n) == 1 for n in numbers if n != 4), "no row is doubled"


def test_an_index_of_1500_rows_is_edited_in_no_time() -> None:
    many = tuple(entry(n, "accepted" if n % 3 else "discussion", f"title {n}") for n in range(1, 1_501))
    body = render_index(sections(many), prefix="KIP", next_number=1_501, format="confluence")
    started = time.process_time()
    moved = edit(body, tuple(replace(e, section="accepted") for e in many), 1_501)
    assert time.process_time() - started < 3
    assert len(parse_index_page(moved, "KIP", SEEN).entries) == 1_500


# -- the real ones -----------------------------------------------------------------------------------
@pytest.mark.realdata
def test_the_seeds_adopted_list_is_read_whole() -> None:
    found_files = sorted(SHARED.glob("seeds/001_*.txt"))
    if not found_files:
        pytest.skip("the seed documents are not beside the project")
    found = parse_index_text(found_files[0].read_text(encoding="utf-8"), "KIP", SEEN)
    numbers = [e.number for e in found.entries]
    assert found.next_number == 124
    notes = parse_recordings_text(found_files[0].read_text(encoding="utf-8"), "KIP")
    assert {n.number for n in notes} >= {4, 28, 48, 54, 82, 112}
    assert {n.call for n in notes} == {"KIP Discussion Recordings"}
    assert {e.section for e in found.entries} == {"accepted"}
    assert numbers.count(4) == 2
    assert len(numbers) == 76
    assert (numbers[0], numbers[-1]) == (1, 48)
    assert {4, 21, 54, 72, 101, 106, 107, 109, 48} == {e.number for e in found.entries if e.in_progress}
    rendered = render_index(sections(found.entries), prefix="KIP", next_number=124, format="confluence")
    assert sorted(facts(parse_index_page(rendered, "KIP", SEEN).entries), key=str) == sorted(
        facts(found.entries), key=str
    )


@pytest.mark.realdata
def test_the_real_export_keeps_every_proposal() -> None:
    path = SHARED / "realdata" / "kafka" / "kip_index_2026-01-01.json"
    if not path.is_file():
        pytest.skip("the real index is not beside the project")
    found = parse_index_json(path.read_text(encoding="utf-8"), "KIP", SEEN)
    assert len(found.entries) == len({e.number for e in found.entries}) == 1_217
    assert Counter(e.section for e in found.entries) == {
        "accepted": 706,
        "discussion": 420,
        "rejected": 69,
        "unknown": 22,
    }
    assert any("KIP-671 and KIP-672" in w for w in found.warnings)


def test_a_release_of_any_length_is_cut() -> None:
    row = f"<tr><td>KIP-7: Shorter names</td><td>{'4.1 ' * 5_000}</td></tr>"
    body = f"<h2>Adopted KIPs</h2><table><tbody><tr><th>KIP</th><th>Release</th></tr>{row}</tbody></table>"
    (entry,) = parse_index_page(body, "KIP", datetime(2026, 3, 3, tzinfo=UTC)).entries
    assert entry.release is not None
    assert len(entry.release) <= 200
