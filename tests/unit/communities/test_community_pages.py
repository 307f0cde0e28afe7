"""What each community's template asks of a page, and what it leaves out."""

from __future__ import annotations

from html import escape
from pathlib import Path

import pytest
import yaml

from kipflow.cli import run
from kipflow.config.loading import load_community
from kipflow.domain.errors import ConfigError
from kipflow.domain.pagefaults import Norms, PageFault
from kipflow.wiki.lint import lint_page, lint_text
from kipflow.wiki.template import TEMPLATE, render_page
from kipflow.wiring import page_norms

CONFIG = Path(__file__).resolve().parents[3] / "config"
#: Community → prefix, and the status part of a page that is put up for discussion.
THREAD = '<a href="https://lists.apache.org/thread/abc">here</a>'
OTHERS = {
    "flink": ("FLIP", f"<table><tr><th>Discussion thread</th><td>{THREAD}</td></tr><tr><th>JIRA</th>"
              "<td>FLINK-77</td></tr></table>"),
    "cassandra": ("CEP", f"<p>Current state: Under Discussion</p><p>Discussion thread: {THREAD}</p>"
                  "<p>JIRA: CASSANDRA-77</p>"),
    "airflow": ("AIP", "<table><tr><td>State</td><td>Draft</td></tr><tr><td>Discussion Thread</td><td>"
                "<p>Where it began:</p><ul><li>PR: <a href='https://github.com/x/y/pull/7'>7</a></li>"
                f"<li>List: {THREAD}</li></ul></td></tr><tr><td>Vote Thread</td><td><br/></td></tr></table>"),
    "pulsar": ("PIP", f"<p>Discussion thread: {THREAD}</p>"),
}  # fmt: skip


def norms_of(name: str) -> Norms:
    return page_norms(load_community(name, CONFIG))


def lint(name: str, body: str, **more: str) -> tuple[PageFault, ...]:
    prefix, _ = OTHERS[name]
    title = more.get("title", f"{prefix}-7: Oiled gates")
    return lint_page(body, title=title, prefix=prefix, source="page", norms=norms_of(name))


def write_page(name: str, *, left: str = "", words: str = "Gates stick when it rains.") -> str:
    """A page with every section that is required but `left`, under a Status as that community has it."""
    sections = [s.title for s in norms_of(name).sections if s.required and s.title != left]
    body = "".join(f"<h1>{escape(title)}</h1><p>{escape(words)}</p>" for title in sections)
    return f"<h1>Status</h1>{OTHERS[name][1]}{body}"


@pytest.mark.parametrize("name", OTHERS)
def test_a_page_with_its_communitys_sections_has_no_fault(name: str) -> None:
    assert lint(name, write_page(name)) == ()


#: One section on the design is taken for both of a PIP's.
SHARED = {"High Level Design", "Detailed Design"}


@pytest.mark.parametrize(
    ("name", "title"),
    [(n, s.title) for n in OTHERS for s in norms_of(n).sections if s.required and s.title not in SHARED],
)
def test_a_section_that_is_left_out_is_reported_by_its_name_and_nothing_else(name: str, title: str) -> None:
    assert [(f.code, f.place) for f in lint(name, write_page(name, left=title))] == [("K02", title)]


@pytest.mark.parametrize("name", OTHERS)
def test_an_empty_page_lacks_only_what_its_own_template_has(name: str) -> None:
    norms = norms_of(name)
    found = lint(name, "<p>Soon.</p>")
    assert {f.place for f in found if f.code == "K02"} == {s.title for s in norms.sections if s.required}
    expected = {"state": "K05", "discussion": "K06", "jira": "K07"}
    assert {f.code for f in found} - {"K02"} == {expected[field] for field in norms.fields}


def test_a_flip_is_not_asked_for_a_state_and_an_aip_not_for_a_ticket() -> None:
    assert "K05" not in {f.code for f in lint("flink", "<p>Soon.</p>")}
    assert "K07" not in {f.code for f in lint("airflow", "<p>Soon.</p>")}


def test_a_state_that_nobody_demanded_is_judged_where_it_stands() -> None:
    body = write_page("flink").replace("<table>", "<p>Current state: Simmering</p><table>")
    assert [(f.code, f.place) for f in lint("flink", body)] == [("K05", "Status")]


def test_the_interfaces_of_kafka_are_not_looked_for_in_other_proposals() -> None:
    words = "Add a field to the FetchRequest and a new magic byte of the binary log format."
    assert lint("flink", write_page("flink", words=words)) == ()


@pytest.mark.parametrize("name", OTHERS)
def test_a_new_page_has_the_sections_of_its_community_and_is_a_draft(name: str) -> None:
    norms = norms_of(name)
    body = render_page(norms=norms)
    assert [s for s in norms.sections if f"<h1>{escape(s.title)}</h1>" not in body] == []
    faults = lint(name, body)
    assert faults
    assert {f.severity for f in faults} == {"note"}
    assert "kafka" not in body.lower()


def test_the_sentences_that_a_template_shares_with_kafkas_are_known_under_its_own_name() -> None:
    (line,) = TEMPLATE["Test Plan"]
    body = write_page("flink").replace(
        "<h1>Test Plan</h1><p>Gates stick when it rains.</p>",
        f"<h1>Test Plan</h1><p>{line.replace('KIP', 'FLIP')}</p>",
    )
    assert [(f.code, f.place) for f in lint("flink", body)] == [("K04", "Test Plan")]


def test_a_link_that_still_says_what_to_link_is_the_templates() -> None:
    hint = "here (&lt;- link to https://lists.apache.org/list?dev@flink.apache.org)"
    body = write_page("flink").replace(THREAD, hint)
    assert [f.code for f in lint("flink", body)] == ["K06"]


def test_the_word_that_a_template_puts_for_text_is_reported_as_left() -> None:
    body = write_page("cassandra").replace(
        "<h1>Scope</h1><p>Gates stick when it rains.</p>", "<h1>Scope</h1><p>todo</p>"
    )
    assert [(f.code, f.place) for f in lint("cassandra", body)] == [("K04", "Scope")]


PIP = """<!-- Some licence, which
stays -->
# PIP-7: Security of oiled gates

# Background knowledge
A gate has [hinges](https://gates.example/hinges).
# Motivation
<!-- Say what the trouble is. -->
Gates stick.
# Goals
## In Scope
- Hinges.
# High Level Design
Oil.
# Detailed Design
```
# Monitoring is not described here
```
# Monitoring
A gauge.
# Security Considerations
None.
# Backward & Forward Compatability
## Upgrade
Nothing to do.
# Alternatives
Rust.
# Links
* Mailing List discussion thread: https://lists.apache.org/thread/abc
* Mailing List voting thread:
"""


def lint_pip(text: str) -> list[tuple[str, str, str]]:
    return [(f.code, f.place, f.severity) for f in lint_text(text, title="", prefix="PIP", norms=norms_of("pulsar"))]


def test_a_proposal_that_is_a_markdown_file_is_read_by_its_headings() -> None:
    assert lint_pip(PIP) == [("K04", "Motivation", "note")]
    assert lint_pip(PIP.replace("<!-- Say what the trouble is. -->\n", "")) == []


@pytest.mark.parametrize(
    ("old", "new", "fault"),
    [
        ("# PIP-7: Security", "# PIP-XXX: Security", ("K01", "title", "error")),
        ("# Monitoring\nA gauge.\n", "", ("K02", "Monitoring", "error")),
        ("# Security Considerations\nNone.\n", "", ("K02", "Security Considerations", "error")),
        ("Gates stick.\n", "", ("K03", "Motivation", "error")),
        ("https://lists.apache.org/thread/abc", "", ("K06", "Status", "error")),
        ("https://lists.apache.org/thread/abc", "https://chat.example/7", ("K06", "Status", "error")),
    ],
    ids=["number", "missing", "a word in the title is no section", "only a comment", "no thread", "a chat"],
)
def test_each_fault_of_a_markdown_file_is_found(old: str, new: str, fault: tuple[str, str, str]) -> None:
    assert old in PIP
    assert set(lint_pip(PIP.replace(old, new))) == {fault, ("K04", "Motivation", "note")}


def test_a_comment_of_a_shell_makes_no_markdown() -> None:
    page = "Status\nCurrent state: Draft\nMotivation\nGates.\n# test the gate\nTest Plan\nOpen it.\n"
    found = lint_text(page, title="KIP-7: x", prefix="KIP")
    assert not {f.place for f in found} & {"Motivation", "Test Plan"}


def test_the_command_judges_a_file_by_its_community(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("KIPFLOW_HOME", str(tmp_path / "home"))
    (tmp_path / "pip-7.md").write_text(PIP, encoding="utf-8")
    assert run(["-C", "pulsar", "lint", str(tmp_path / "pip-7.md")]) == 0
    assert "1 note" in capsys.readouterr().out
    (tmp_path / "flip.html").write_text(write_page("flink"), encoding="utf-8")
    assert run(["-C", "flink", "lint", str(tmp_path / "flip.html")]) == 0


@pytest.mark.parametrize(
    ("key", "value", "expected"),
    [("fields", ["status"], "pages.fields.0"), ("sections", [], "pages.sections"), ("urls", "x", "pages.urls")],
)
def test_a_wrong_key_of_the_pages_is_refused_in_one_line(
    key: str, value: object, expected: str, tmp_path: Path
) -> None:
    raw = yaml.safe_load((CONFIG / "communities" / "flink.yaml").read_text(encoding="utf-8"))
    raw["pages"][key] = value
    path = tmp_path / "flink.yaml"
    path.write_text(yaml.safe_dump(raw), encoding="utf-8")
    with pytest.raises(ConfigError) as error:
        load_community(str(path), CONFIG)
    assert expected in str(error.value)
    assert "\n" not in str(error.value)
