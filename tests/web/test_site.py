"""The public site: complete without script, well-formed, without addresses and operators' matters."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import fields, replace
from pathlib import Path
from posixpath import dirname, join, normpath
from urllib.parse import urlsplit
from xml.etree import ElementTree

import jsonschema
import pytest
from hypothesis import given
from hypothesis import strategies as st
from lxml import html

from kipflow.cli import run
from kipflow.domain.events import Actor, Evidence, Stage
from kipflow.domain.senders import KnownBy
from kipflow.domain.votes import BallotStatus, Declared
from kipflow.services.board import Overview, ProposalView
from kipflow.web.site.feeds import escape_text, fold_line
from kipflow.web.site.pages import Site, build_site
from kipflow.web.site.public import ASKED, NAMELESS, PUBLIC, as_public, hide_addresses, hide_in_url, say_name
from kipflow.wiring import Parts
from tests.web.community import NOW
from tests.web.story import connect_board, store_story
from tests.web.validity import find_faults

SITE = Site(community="board", title="Board <community>", tickets="https://jira.example/browse/")
ADDRESS = re.compile(r"[\w.+-]+@[\w-]+\.\w+")
VOID = re.compile(r"<!doctype html>")
Files = dict[str, bytes]


@pytest.fixture(scope="module")
def parts(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Parts]:
    connected = connect_board(tmp_path_factory.mktemp("site"))
    store_story(connected)
    yield connected
    connected.store.close()


@pytest.fixture(scope="module")
def files(parts: Parts) -> Files:
    return dict(build_site(parts.store, SITE, NOW))


class Given:
    """A store of these views and nothing else."""

    def __init__(self, *views: ProposalView) -> None:
        self.views = views

    def published(self, _as_of: object) -> tuple[ProposalView, ...]:
        return self.views

    def overview(self, _as_of: object) -> Overview:
        return Overview(stages=dict.fromkeys(Stage, 0))


def parse_page(content: bytes) -> ElementTree.Element:
    """The page, parsed by a parser that takes no unclosed, misnested or doubled thing."""
    return ElementTree.fromstring(VOID.sub("", content.decode(), count=1))


def pages_of(files: Files) -> dict[str, bytes]:
    return {path: content for path, content in files.items() if path.endswith(".html")}


def test_a_vote_is_shown_with_its_tally_clock_and_evidence(files: Files) -> None:
    listed = html.fromstring(files["index.html"])
    (vote,) = listed.xpath("//article[@class = 'vote']")
    assert "KIP-7 Bounded <b>retries</b> & more" in " ".join(vote.text_content().split())
    page = html.fromstring(files["proposals/7.html"])
    ballots = page.xpath("//table[contains(@class, 'ballots')]/tbody/tr")
    assert len(ballots) >= 3
    assert all(row.xpath(".//a[starts-with(@href, 'https://lists.example/thread/')]") for row in ballots)
    assert {"binding", "non-binding"} == {row.xpath("td[@class = 'c-binding']/text()")[0].strip() for row in ballots}
    assert page.xpath("//ol[@class = 'timeline']/li")


def test_pages_are_well_formed_with_unique_ids_and_links_that_lead_somewhere(files: Files) -> None:
    for path, content in pages_of(files).items():
        root = parse_page(content)
        ids = [e.get("id") for e in root.iter() if e.get("id")]
        assert len(ids) == len(set(ids)), path
        labels = [e.get("aria-labelledby") for e in root.iter() if e.get("aria-labelledby")]
        assert set(labels) <= set(ids)
        for element in root.iter():
            for target in filter(None, (element.get("href"), element.get("src"))):
                parts = urlsplit(target)
                if parts.scheme:
                    assert parts.scheme in {"http", "https"}, target
                elif parts.path:
                    assert normpath(join(dirname(path), parts.path)) in files, target


def test_what_is_public_is_named_field_by_field_and_what_is_new_is_not() -> None:
    for record, names in PUBLIC.items():
        assert set(names) <= {f.name for f in fields(record)}, record
    texts = {
        "opened_by_address",
        "address",
        "note",
        "why",
        "line",
        "url",
        "heard",
        "review",
        "drift",
        "rulings",
        "effects",
    }
    assert not {name for names in PUBLIC.values() for name in names} & texts


def test_pages_are_valid_html(files: Files) -> None:
    for path, content in pages_of(files).items():
        assert find_faults(parse_page(content)) == [], path


def test_what_html_does_not_allow_is_found() -> None:
    page = (
        "<html><head/><body><h1>x</h1><p>a<div>b</div></p><ul>c<p/></ul><a>d<a>e</a></a><h3 onclick=''/></body></html>"
    )
    assert find_faults(ElementTree.fromstring(page)) == [
        "<div> in <p>",
        "text in <ul>",
        "<p> in <ul>",
        "<a> in ('html', 'body', 'a')",
        "<h3 onclick>",
        "<h3> after <h1>",
    ]


def test_a_policy_forbids_what_the_site_does_not_bring_and_no_script_or_style_is_inline(files: Files) -> None:
    for content in pages_of(files).values():
        root = parse_page(content)
        (policy,) = [e.get("content") for e in root.iter("meta") if e.get("http-equiv") == "Content-Security-Policy"]
        assert policy is not None
        assert policy.startswith("default-src 'none'")
        assert all(e.get("src") and not e.text for e in root.iter("script"))
        assert not list(root.iter("style"))
        assert not [name for e in root.iter() for name in e.attrib if name == "style" or name.startswith("on")]


def test_no_file_has_a_mail_address(files: Files) -> None:
    for path, content in files.items():
        assert not ADDRESS.findall(content.decode()), path


def spoil(view: ProposalView) -> ProposalView:
    """The view with hostile text and operators' words in every place that the site could show."""
    bad = "</td><script>alert(1)</script>\x00\x1b <img src=x onerror=y> eve@evil.example"
    state = view.votes[0]
    ballots = tuple(
        replace(b, name=bad, line=bad, value=bad, why=bad, voter="eve@evil.example") for b in state.vote.ballots
    )
    vote = replace(state.vote, ballots=ballots, subject=bad, opened_by="eve@evil.example", opened_by_address=bad)
    move = view.history[-1].transition
    ruled = replace(
        move,
        actor=Actor.OPERATOR,
        note="SECRET note",
        evidence=(Evidence(kind="ruling", ref="1", line="SECRET reason", url="javascript:alert(1)"),),
    )
    return replace(
        view,
        proposal=replace(
            view.proposal, title=bad, author=bad, page_url="javascript:alert(1)", jira='"><b>', release=bad
        ),
        votes=(replace(state, vote=vote, differences=(bad,)),),
        history=(*view.history, replace(view.history[-1], transition=ruled)),
        missing=("1 doubt about who is who could turn it: a person must settle SECRET", bad),
        links={key: f"javascript:alert('{key}')" for key in view.links},
    )


def test_hostile_text_is_shown_as_text_and_what_is_for_operators_not_at_all(parts: Parts) -> None:
    view = spoil(parts.store.published(NOW)[0])
    files = dict(build_site(Given(view), SITE, NOW))
    for content in pages_of(files).values():
        root = parse_page(content)
        assert all(e.get("src") for e in root.iter("script"))
        assert not [e for e in root.iter("img") if e.get("src") == "x"]
    reported = "".join(content.decode() for path, content in files.items() if not path.endswith((".js", ".css")))
    assert "SECRET" not in reported
    assert "javascript:" not in reported
    assert "evil.example" not in reported
    assert ASKED in files["proposals/7.html"].decode()
    ElementTree.fromstring(files["feed.atom"])
    json.loads(files["index.json"])


def test_of_a_ballot_in_question_it_says_no_more_than_that_a_person_is_asked(parts: Parts) -> None:
    view = parts.store.published(NOW)[0]
    state = view.votes[0]
    asked = replace(
        state.vote.ballots[0],
        status=BallotStatus.REVIEW,
        known_by=KnownBy.NAME,
        binding=False,
        why="Wei? SECRET",
    )
    view = replace(view, votes=(replace(state, vote=replace(state.vote, ballots=(asked,))),))
    page = html.fromstring(dict(build_site(Given(view), SITE, NOW))["proposals/7.html"])
    (row,) = page.xpath("//tr[@class = 'ballot-review']")
    reported = " ".join(row.text_content().split())
    assert f"review {ASKED}" in reported
    assert "SECRET" not in reported
    assert "roster" not in reported


def test_a_result_that_may_be_taken_back_says_that_somebody_is_asked(parts: Parts) -> None:
    view = parts.store.published(NOW)[0]
    state = view.votes[0]
    said = Declared(
        by="Jun Okafor", message_id="<r@list.example>", announced_at=NOW, outcome="passed", unclear="Wei? SECRET"
    )
    view = replace(view, votes=(replace(state, vote=replace(state.vote, declared=said)),))
    page = html.fromstring(dict(build_site(Given(view), SITE, NOW))["proposals/7.html"])
    (reported,) = page.xpath("//div[@class = 'declared']/p[1]")
    assert reported.text_content().endswith(f"passed; {ASKED}")
    assert "SECRET" not in page.text_content()


def test_a_round_that_somebody_called_beside_the_vote_is_not_shown_as_one(parts: Parts) -> None:
    view = parts.store.published(NOW)[0]
    state = view.votes[0]
    refused = replace(state, vote=replace(state.vote, round=2, ended_at=NOW, ended_how="refused"))
    index = json.loads(dict(build_site(Given(replace(view, votes=(state, refused))), SITE, NOW))["index.json"])
    assert index["proposals"][0]["vote"]["round"] == 1


def test_the_index_fits_its_schema_and_names_every_page(files: Files) -> None:
    index, schema = json.loads(files["index.json"]), json.loads(files["schema.json"])
    jsonschema.Draft202012Validator.check_schema(schema)
    jsonschema.Draft202012Validator(schema).validate(index)
    listed = [path for p in index["proposals"] for path in (p["path"], p["data"])]
    assert listed == [p for p in files if p.startswith("proposals/")]
    assert index["proposals"][0]["vote"]["binding"] == {"+1": 2, "0": 0, "-1": 0}
    del index["proposals"][0]["title"]
    assert not jsonschema.Draft202012Validator(schema).is_valid(index)


def test_each_proposal_s_file_fits_its_schema_and_has_what_its_page_shows(files: Files) -> None:
    schema = json.loads(files["proposal.schema.json"])
    jsonschema.Draft202012Validator.check_schema(schema)
    index = {p["data"]: p for p in json.loads(files["index.json"])["proposals"]}
    for path, summary in index.items():
        data = json.loads(files[path])
        jsonschema.Draft202012Validator(schema).validate(data)
        assert data["proposal"] == summary
        page = html.fromstring(files[summary["path"]])
        assert len(data["history"]) == len(page.xpath("//ol[@class = 'timeline']/li"))
        ballots = [ballot for vote in data["votes"][::-1] for ballot in vote["ballots"]]
        rows = page.xpath("//table[contains(@class, 'ballots')]/tbody/tr")
        assert [b["url"] for b in ballots] == [row.xpath("string(.//blockquote//a/@href)") for row in rows]
        assert page.xpath("//link[@type = 'application/json']/@href") == [path.rpartition("/")[2]]
    del data["history"]
    assert not jsonschema.Draft202012Validator(schema).is_valid(data)


def test_the_feed_has_an_entry_for_each_transition(files: Files, parts: Parts) -> None:
    atom = "{http://www.w3.org/2005/Atom}"
    feed = ElementTree.fromstring(files["feed.atom"])
    entries = feed.findall(f"{atom}entry")
    assert len(entries) == sum(len(v.history) for v in parts.store.published(NOW))
    ids = [e.findtext(f"{atom}id") for e in entries]
    assert len(set(ids)) == len(ids)
    for element in (feed, *entries):
        assert {c.tag.removeprefix(atom) for c in element} >= {"id", "title", "updated", "link"}


def test_the_calendar_has_each_closing_in_folded_lines(files: Files) -> None:
    text = files["votes.ics"].decode()
    assert text.endswith("END:VCALENDAR\r\n")
    assert "\n" not in text.replace("\r\n", "")
    assert all(len(line.encode()) <= 75 for line in text.split("\r\n"))
    plain = text.replace("\r\n ", "")
    assert plain.count("BEGIN:VEVENT") == plain.count("UID:") == plain.count("DTSTAMP:") == 1
    assert "SUMMARY:KIP-7: Bounded <b>retries</b> & more: the vote closes at the earliest\r\n" in plain


@given(st.text())
def test_folding_loses_nothing_and_keeps_to_75_octets(text: str) -> None:
    line = escape_text(text.encode("utf-8", "replace").decode())
    pieces = fold_line(line).split("\r\n")
    assert all(len(piece.encode()) <= 75 for piece in pieces)
    assert "".join([pieces[0], *(piece[1:] for piece in pieces[1:])]) == line


def test_text_of_a_calendar_is_escaped() -> None:
    assert escape_text("a\\b;c,d\r\nBEGIN:VEVENT\ne") == "a\\\\b\\;c\\,d\\nBEGIN:VEVENT\\ne"


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        ("Ines Okafor", "Ines Okafor"),
        ("ines@people.example", NAMELESS),
        ("Ines <ines@people.example>", "Ines"),
        ("", NAMELESS),
    ],
)
def test_a_person_is_named_without_an_address(name: str, shown: str) -> None:
    assert say_name(name) == shown


def test_long_hostile_text_is_read_once() -> None:
    assert "@" not in hide_addresses("a" * 100_000 + "@" + "b" * 100_000)
    assert hide_addresses("x " * 50_000 + "a@b.example").endswith("[address]")


def test_the_same_store_and_time_give_the_same_bytes(parts: Parts, files: Files) -> None:
    assert dict(build_site(parts.store, SITE, NOW)) == files


def test_views_are_those_of_the_board(parts: Parts) -> None:
    (published,) = [v for v in parts.store.published(NOW) if v.proposal.number == 7]
    shown = parts.store.proposal(7, NOW)
    for field in ("key", "stage", "since", "history", "votes", "missing", "threads", "links"):
        assert getattr(published, field) == getattr(shown, field), field
    assert as_public(published) == as_public(
        replace(shown, pages=(), index_entries=(), calls=(), activity={}, claim_why="")
    )


def test_the_command_writes_it_and_then_only_what_changed(
    parts: Parts, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("kipflow.commands.publishing.open_parts", lambda: parts)
    out = tmp_path / "out"
    assert run(["site", str(out), "--as-of", NOW.isoformat()]) == 0
    assert "0 unchanged, 0 removed" in capsys.readouterr().out
    assert run(["site", str(out), "--as-of", NOW.isoformat()]) == 0
    assert "0 files written" in capsys.readouterr().out
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "mine.txt").write_text("mine")
    assert run(["site", str(tmp_path / "other")]) == 2
    assert "not empty" in capsys.readouterr().err


@pytest.mark.parametrize(
    "written",
    [
        "eve@evil.example",
        '"eve x"@evil.example',
        "eve@[192.0.2.1]",
        "eve\uff20evil.example",
        "eve\ufe6bevil.example",
        "(eve)@evil.example",
        "eve @ evil.example",
        "eve%40evil.example",
        "Eve <eve@evil.example>",
    ],
)
def test_an_address_is_hidden_however_it_is_written(written: str) -> None:
    shown = hide_addresses(f"+1 (binding), {written}, thanks")
    assert "evil" not in shown
    assert "192.0" not in shown
    assert shown.startswith("+1 (binding)")
    assert "@" not in say_name(written)


def test_what_is_no_address_stays() -> None:
    assert hide_addresses("+1 @Jun, see you @ noon; 50%") == "+1 @Jun, see you @ noon; 50%"


@pytest.mark.parametrize("url", ["https://x.example/a\r\nATTENDEE:eve", "https://x.example/a b", "javascript:1", ""])
def test_a_link_that_could_begin_another_line_is_none(url: str) -> None:
    assert hide_in_url(url) == ""
