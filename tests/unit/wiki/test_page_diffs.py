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


def test_sections_that_come_and_go_are_distinguished_from_changed_ones() -> None:
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
    started = time.process_time()
    (change,) = diff_pages(old, new)
    assert "z" in change.added
    assert time.process_time() - started < 5


def test_lines_that_repeat_a_thousand_times_are_compared_as_a_set() -> None:
    """Looked at one by one, two such sections cost seconds, and a page can have many of them."""
    old, new = ["x", "y"] * 450, ["y", "x", "x"] * 300
    (change,) = diff_pages(*("<h1>Log</h1>" + "".join(f"<p>{line}</p>" for line in lines) for lines in (old, new)))
    assert [(sorted(set(h.removed)), sorted(set(h.added))) for h in change.hunks] == [(["y"], ["x"])]
    assert (len(change.removed), len(change.added)) == (150, 150)


def test_two_lines_of_the_same_few_words_are_shown_whole() -> None:
    pair = Hunk(removed=("a b " * 60,), added=("b a " * 60,)).pairs[0]
    assert [span.changed for span in (*pair.old, *pair.new)] == [False, False]


def test_a_row_of_a_table_is_one_line_with_the_word_that_changed_marked() -> None:
    row = "<h1>Settings</h1><table><tr><td><p>gate.oil.ms</p></td><td><p>{}</p></td></tr></table>"
    (change,) = diff_pages(row.format("5000"), row.format("9000"))
    ((pair,),) = (hunk.pairs for hunk in change.hunks)
    assert [(s.text, s.changed) for s in pair.new] == [("gate.oil.ms |", False), ("9000", True)]


def test_a_section_that_only_moved_did_not_change() -> None:
    first, second = "<h1>A</h1><p>a</p>", "<h1>B</h1><p>b</p>"
    assert diff_pages(first + second, second + first) == ()


def test_code_is_compared_line_by_line() -> None:
    code = (
        '<h1>Sketch</h1><ac:structured-macro ac:name="code"><ac:plain-text-body><![CDATA[int a;\n{}\nint c;]]>'
        "</ac:plain-text-body></ac:structured-macro>"
    )
    (change,) = diff_pages(code.format("int b;"), code.format("long b<T>;"))
    assert (change.removed, change.added) == (("int b;",), ("long b<T>;",))
