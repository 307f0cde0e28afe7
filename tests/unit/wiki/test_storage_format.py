"""Storage format as lines: macros, entities, broken and hostile markup."""

from __future__ import annotations

import time
from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kipflow.domain.errors import UnreadableInput
from kipflow.wiki.sections import Line, read_sections
from kipflow.wiki.storage import MAX_BODY, parse_storage


def lines(body: str) -> list[str]:
    return [line.text for section in read_sections(parse_storage(body, source="p")) for line in section.lines]


def one(body: str) -> Line:
    (section,) = read_sections(parse_storage(body, source="p"))
    (line,) = section.lines
    return line


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("<p>a&nbsp;b &ldquo;c&rdquo; &hellip; &amp; &lt;d&gt; &#233;</p>", ["a b “c” … & <d> é"]),
        ("<p>&#xd800;a&#0;b&#65535;c&#x110000;d<br>&#x1F600;</p>", ["abcd", "\U0001f600"]),
        ("<p>R&D &unknown; &; a && b</p>", ["R&D &unknown; &; a && b"]),
        ("<p>a < b and 3 <4</p>", ["a < b and 3 <4"]),
        ("<p>one<br>two<br />three</p>", ["one", "two", "three"]),
        ("<ul><li>a<ul><li>b</li></ul></li><li>c</li></ul>", ["a", "b", "c"]),
        ("<table><tbody><tr><td>a</td><td><p>b</p></td></tr></tbody></table>", ["a | b"]),
        ("<table><tr><td><p>a</p><p>b</p></td><td><p>c</p></td></tr></table>", ["a", "b", "c"]),
        (
            "<table><tr><td><p>a</p></td><td><table><tr><td>b</td><td>c</td></tr></table></td></tr></table>",
            ["a", "b | c"],
        ),
        ("<table><tbody><tr><th>a</th><td>b</td></tr></tbody></table>", ["a | b"]),
        ("<p>x</p> stray <p>y</p>", ["x", "stray", "y"]),
        ("<p>\u200ba \ufeff b\x00\x0b</p>", ["a b"]),
        ("<p><s>old</s><del>older</del> new</p>", ["new"]),
        ('<p><span style="text-decoration: line-through;">old</span> new</p>', ["new"]),
        ("<p>a<ac:emoticon ac:name='tick'/>b</p>", ["a (tick) b"]),
        ("<p>a<ac:emoticon ac:name='smile'/>b</p>", ["ab"]),
        ("<p><time datetime='2024-01-02' /></p>", ["2024-01-02"]),
        ("<ac:placeholder>Write here</ac:placeholder><p>x</p>", ["x"]),
        ("", []),
    ],
)
def test_a_body_reads_as_a_person_would_read_it(body: str, expected: list[str]) -> None:
    assert lines(body) == expected


def macro(name: str, inside: str = "", **parameters: str) -> str:
    given_ = "".join(f'<ac:parameter ac:name="{k}">{v}</ac:parameter>' for k, v in parameters.items())
    return f'<ac:structured-macro ac:name="{name}" ac:schema-version="1">{given_}{inside}</ac:structured-macro>'


def rich(text: str) -> str:
    return f"<ac:rich-text-body>{text}</ac:rich-text-body>"


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("<p>State: " + macro("status", title="Accepted", colour="Green") + "</p>", ["State: Accepted"]),
        (macro("toc", maxLevel="2") + "<p>x</p>", ["x"]),
        (macro("info", rich("<p>note</p>"), title="Mind"), ["Mind", "note"]),
        (macro("expand", rich("<p>hidden</p>"), title="More"), ["More", "hidden"]),
        (
            macro("code", "<ac:plain-text-body><![CDATA[a < b &nbsp;\n  c]]></ac:plain-text-body>", language="java"),
            ["a < b &nbsp;", "c"],
        ),
        ('<p><ac:link><ri:page ri:content-title="KIP-1 - x" /></ac:link></p>', ["KIP-1 - x"]),
        (
            '<p><ac:link><ri:page ri:content-title="KIP-1 - x" /><ac:link-body>here</ac:link-body></ac:link></p>',
            ["here"],
        ),
        (
            '<p><ac:link><ri:page ri:content-title="t" /><ac:plain-text-link-body><![CDATA[a & b]]>'
            "</ac:plain-text-link-body></ac:link></p>",
            ["a & b"],
        ),
        (
            "<ac:layout><ac:layout-section><ac:layout-cell><p>a</p></ac:layout-cell><ac:layout-cell><p>b</p>"
            "</ac:layout-cell></ac:layout-section></ac:layout>",
            ["a", "b"],
        ),
        (
            "<ac:task-list><ac:task><ac:task-id>1</ac:task-id><ac:task-status>complete</ac:task-status>"
            "<ac:task-body>do it</ac:task-body></ac:task></ac:task-list>",
            ["do it"],
        ),
        ('<p><ac:image><ri:attachment ri:filename="hinge.png" /></ac:image></p>', ["hinge.png"]),
        ('<p>See <ac:link><ri:attachment ri:filename="plan.pdf" /></ac:link></p>', ["See plan.pdf"]),
        ('<p>See <ac:link ac:anchor="Goals" /></p>', ["See Goals"]),
        ('<p>Asked <ac:link><ri:user ri:username="mlind" /></ac:link></p>', ["Asked mlind"]),
        ('<p>Asked <ac:link><ri:user ri:userkey="8a7f" /></ac:link></p>', ["Asked"]),
        (
            macro("code", "<ac:plain-text-body><![CDATA[x]]></ac:plain-text-body>", title="Gate.java"),
            ["Gate.java", "x"],
        ),
        (macro("details", rich("<p>Owner: Ann</p>"), hidden="true"), ["Owner: Ann"]),
        (macro("excerpt", rich("<p>In short</p>"), hidden="true"), ["In short"]),
        (macro("note", rich("<p>Careful</p>")), ["Careful"]),
        (macro("drawio", diagramName="Flow of oil"), ["[drawio: Flow of oil]"]),
        (macro("anchor") + macro("children") + "<p>x</p>", ["x"]),
        (
            '<ac:structured-macro ac:name="include"><ac:parameter ac:name=""><ac:link>'
            '<ri:page ri:content-title="Hinges" /></ac:link></ac:parameter></ac:structured-macro>',
            ["[include: Hinges]"],
        ),
    ],
)
def test_a_macro_reads_as_what_it_shows(body: str, expected: list[str]) -> None:
    assert lines(body) == expected


def test_a_line_knows_its_links_and_tickets() -> None:
    line = one(f'<p>JIRA: {macro("jira", key="KAFKA-9")} <a href="https://x.example/1">here</a> <em>[a hint]</em></p>')
    assert line.text == "JIRA: KAFKA-9 here [a hint]"
    assert line.links == ("https://x.example/1",)
    assert line.tickets == ("KAFKA-9",)


def test_sections_are_cut_at_headings_wherever_they_are_nested() -> None:
    body = f"<p>top</p><h1>A</h1><p>a</p>{macro('panel', rich('<h2>B</h2><p>b</p>'))}<h1>C<br/>D</h1>"
    found = [(s.title, s.level, [x.text for x in s.lines]) for s in read_sections(parse_storage(body, source="p"))]
    assert found[:3] == [("", 0, ["top"]), ("A", 1, ["a"]), ("B", 2, ["b"])]
    assert found[3] == ("C D", 1, [])


@pytest.mark.parametrize(
    "body",
    [
        "<h1>A</h1></page><p>one two</p><p>three</p>",
        "<h1>A</h1><p>one<b>two</p><p>three",
        "<h1>A</h1></div><p>one two</p></p><p>three</p>",
        "<h1>A</h1><p>one</i> two</p><ul><li>three</ul>",
        "<h1>A</h1><p onclick=x()>one two</p><p>three</p><",
        '<h1>A</h1><p class="a" class="b">one two</p><p>three</p>',
        "<h1>A</h1><o:p>one two</o:p><p>three</p>",
        "<H1>A</H1><P>one two<P>three",
        "<h1>A</h1><!-- a comment <p>one two</p><p>three</p>",
        "<h1>A</h1><p>one two ]]> three",
        "<h1>A</h1>" + "<p>one two" * 600 + "three",
    ],
)
def test_broken_markup_keeps_its_words_and_headings(body: str) -> None:
    sections = read_sections(parse_storage(body, source="p"))
    assert sections[0].title == "A"
    words = " ".join(line.text for section in sections for line in section.lines)
    assert all(word in words for word in ("one", "two", "three") if word in body)


def test_a_file_is_never_read_through_an_entity(tmp_path: Path) -> None:
    secret = tmp_path / "secret"
    secret.write_text("geheim")
    body = f'<!DOCTYPE p [<!ENTITY x SYSTEM "file://{secret}">]><p>&x;</p>'
    assert "geheim" not in " ".join(lines(body))


def test_entities_do_not_multiply() -> None:
    levels = "".join(f'<!ENTITY e{n} "{f"&e{n - 1};" * 10}">' for n in range(1, 12))
    body = f'<!DOCTYPE p [<!ENTITY e0 "ha">{levels}]><p>&e11;</p>'
    assert len(" ".join(lines(body))) < 2 * len(body)


def test_a_body_beyond_the_bound_is_refused_with_a_reason() -> None:
    with pytest.raises(UnreadableInput, match="larger than"):
        parse_storage("x" * (MAX_BODY + 1), source="p")


def test_a_page_nested_too_deeply_is_refused_and_not_cut_off_silently() -> None:
    with pytest.raises(UnreadableInput, match="depth"):
        parse_storage("<div>" * 5_000 + "end" + "</div>" * 5_000, source="p")


@pytest.mark.parametrize(
    "body",
    ["<br " * 200_000, "&" * 500_000, '<br a="' * 100_000, "<" * 500_000, "<![CDATA[" * 100_000, "&a" * 300_000,
     "<p>" + "a<br a='" * 50_000, "\u00a0" * 1_000_000, "<td>" * 200 + "x " * 500_000,
     "<p><ac:" + "para:" * 100_000, "</b><a " + "para:" * 100_000 + " b=c>",
     "<table><tr><td>" * 60 + "<i>x</i>" * 60_000 + "</td></tr></table>" * 60,
     '<ac:structured-macro ac:name="x">' * 200 + "<i>x</i>" * 60_000 + "</ac:structured-macro>" * 200],
    ids=["tags", "ampersands", "quotes", "less-thans", "cdata", "entities", "mixed", "spaces", "cells", "long name",
         "long attribute", "nested tables", "nested macros"],
)  # fmt: skip
def test_hostile_markup_costs_little(body: str) -> None:
    started = time.process_time()
    with suppress(UnreadableInput):
        read_sections(parse_storage(body, source="p"))
    assert time.process_time() - started < 3


_PIECES = st.sampled_from(
    ["<p>", "</p>", "<h1>", "</h1>", "<em>", "</em>", "&nbsp;", "&", "<", "]]>", "<![CDATA[", "<!--", "-->", "a", " ",
     '<a href="x">', "</a>", "<ac:link>", "</ac:link>", "<ri:page ri:content-title='t'/>", "<table>", "<tr>", "<td>",
     "<br>", "\x00", "\ud800", "<?x", "<!DOCTYPE", "</page>", "<ac:structured-macro ac:name='status'>"]
)  # fmt: skip


@given(st.lists(_PIECES, max_size=60).map("".join))
def test_any_soup_of_markup_is_read_or_refused(body: str) -> None:
    with suppress(UnreadableInput):
        text = " ".join(
            line.text for section in read_sections(parse_storage(body, source="p")) for line in section.lines
        )
        assert "\x00" not in text
