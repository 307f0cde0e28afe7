"""Which interfaces a page's "Public Interfaces" touches: the author's own words, under their headings."""

from __future__ import annotations

from html import escape

from kipflow.wiki.template import TEMPLATE, render_page
from tests.unit.wiki.test_proposal_pages import page


def touches(*parts: str) -> list[tuple[str, str]]:
    body = "<h1>Motivation</h1><p>The log format is old.</p><h1>Public Interfaces</h1>" + "".join(parts)
    found = page(body + "<h1>Rejected Alternatives</h1><p>A new RPC.</p>")
    assert found.interfaces == tuple(name for name, _ in found.touches)
    return list(found.touches)


def paragraph(text: str) -> str:
    return f"<p>{escape(text)}</p>"


def items(*texts: str) -> str:
    return "<ul>" + "".join(f"<li>{escape(t)}</li>" for t in texts) + "</ul>"


def test_only_the_section_on_public_interfaces_counts() -> None:
    assert touches(paragraph("Fences get a new metric.")) == [("monitoring", "Fences get a new metric.")]


def test_the_templates_own_list_touches_nothing() -> None:
    assert touches(items(*TEMPLATE["Public Interfaces"])) == []
    assert page(render_page()).touches == ()


def test_the_templates_list_with_answers_touches_what_is_answered_otherwise_than_no() -> None:
    answered = items(
        "Binary log format: No",
        "The network protocol and api behavior: fences carry a colour in FenceRequest",
        "Configuration, especially client configuration: none",
        "Monitoring: N/A",
        "Command line tools and arguments - no",
    )
    assert [name for name, _ in touches(answered)] == ["protocol"]


def test_a_heading_says_what_its_section_is_about() -> None:
    found = touches(
        "<h2>Binary log format</h2>", paragraph("A fence takes eight bytes more."), "<h2>Monitoring</h2>",
        paragraph("None."), "<h2>Configuration</h2>", "<h2>Command line</h2>", paragraph("Not changed."),
    )  # fmt: skip
    assert found == [("log-format", "Binary log format: A fence takes eight bytes more.")]


def test_alternatives_below_the_section_and_struck_out_lines_touch_nothing() -> None:
    found = touches(
        paragraph("Only a metric is added."),
        "<p><s>The wire protocol changes.</s></p>",
        "<h2>Alternatives</h2>",
        paragraph("A new record batch version."),
    )
    assert [name for name, _ in found] == ["monitoring"]


def test_a_table_of_settings_touches_the_configuration() -> None:
    table = "<table><tr><th>Name</th><th>Default</th></tr><tr><td>fence.height.max</td><td>3</td></tr></table>"
    assert [name for name, _ in touches(table)] == ["configuration"]


def test_code_of_a_public_class_touches_the_client_packages() -> None:
    code = (
        '<ac:structured-macro ac:name="code"><ac:plain-text-body><![CDATA[package org.apache.kafka.clients.fence;\n'
        "public interface Fence { int height(); }]]></ac:plain-text-body></ac:structured-macro>"
    )
    assert [name for name, _ in touches(code)] == ["client-api"]


def test_nothing_public_touches_nothing() -> None:
    for text in ("None", "N/A", "There are no changes to public interfaces.", "This KIP does not change any API."):
        assert touches(paragraph(text)) == []


def test_the_templates_own_sentence_touches_nothing_where_a_copy_lost_the_rest() -> None:
    first = next(iter(TEMPLATE["Public Interfaces"])).partition(". ")[0] + "."
    assert touches(paragraph(first)) == []
