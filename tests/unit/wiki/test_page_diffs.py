"""What changed between two versions of a page."""

from __future__ import annotations

import time

from kipflow.wiki.diffs import Hunk, SectionChange, diff_pages


def test_equal_text_is_no_change_whatever_its_markup() -> None:
    assert diff_pages("<h1>A</h1><p>one two</p>", "<h1>A</h1>\n<div><b>one</b>&nbsp;two</div>") == ()


def test_a_changed_section_names_its_lines_and_the_others_are_left_out() -> None:
    old = "<h1>A</h1><p>same</p><h1>B</h1><p>one</p><p>two</p><p>three</p>"
    new = "<h1>A</h1><p>same</p><h1>B</h1><p>one</p><p>2</p><p>three</p><p>four</p>"
    assert diff_pages(old, new) == (
        SectionChange(
            title="B",
            kind="changed",
            hunks=(Hunk(removed=("two",), added=("2",)), Hunk(removed=(), added=("four",))),
        ),
    )


def test_sections_that_come_and_go_are_told_apart_from_changed_ones() -> None:
    found = diff_pages("<h1>A</h1><p>a</p><h1>B</h1><p>b</p>", "<p>top</p><h1>B</h1><p>b</p><h2>C</h2><p>c</p>")
    assert [(c.title, c.kind, c.removed, c.added) for c in found] == [
        ("", "added", (), ("top",)),
        ("C", "added", (), ("c",)),
        ("A", "removed", ("a",), ()),
    ]


def test_a_deeper_heading_belongs_to_its_section() -> None:
    (change,) = diff_pages("<h1>A</h1><h3>x</h3><p>a</p>", "<h1>A</h1><h3>y</h3><p>a</p>")
    assert (change.title, change.removed, change.added) == ("A", ("x",), ("y",))


def test_two_sections_of_one_name_are_kept_apart() -> None:
    (change,) = diff_pages(
        "<h1>A</h1><p>1</p><h1>A</h1><p>2</p>",
        "<h1>A</h1><p>1</p><h1>A</h1><p>3</p>",
    )
    assert (change.removed, change.added) == (("2",), ("3",))


def test_lines_in_another_order_are_a_change_also_in_a_long_section() -> None:
    rows = [f"<p>{n}</p>" for n in range(1_500)]
    (change,) = diff_pages("<h1>A</h1>" + "".join(rows), "<h1>A</h1>" + "".join(reversed(rows)))
    assert len(change.added) == 1_500


def test_a_pasted_log_costs_little() -> None:
    old = "<h1>A</h1>" + "<p>x</p><p>y</p>" * 20_000
    new = "<h1>A</h1>" + "<p>y</p><p>x</p>" * 20_000 + "<p>z</p>"
    started = time.monotonic()
    (change,) = diff_pages(old, new)
    assert "z" in change.added
    assert time.monotonic() - started < 5
