"""What changed on a proposal's page, as the board shows it."""

from __future__ import annotations

import pytest
from fastapi.testclient import TestClient
from lxml import html

from kipflow.wiki.diffs import Hunk


def page_of(client: TestClient, query: str) -> html.HtmlElement:
    answer = client.get(f"/proposals/143/changes{query}")
    assert answer.status_code == 200
    return html.fromstring(answer.text)


def sections(page: html.HtmlElement) -> list[str]:
    return [" ".join(h.text_content().split()) for h in page.xpath("//section[@class='change']/h2")]


def test_two_named_versions_are_compared_section_by_section(client: TestClient) -> None:
    page = page_of(client, "?from=1&to=7")
    assert sections(page) == [
        "Status changed",
        "Motivation changed",
        "Proposed Changes changed substance",
        "Test Plan added substance",
    ]
    assert "ten" in page.xpath("//del/text()")
    assert "two" in page.xpath("//ins/text()")


def test_words_that_differ_are_marked_and_the_rest_is_not(client: TestClient) -> None:
    page = page_of(client, "?from=4&to=5")
    assert page.xpath("//del/text()") == ["evrey"]
    assert page.xpath("//ins/text()") == ["every"]
    assert sections(page) == ["Motivation changed"]


def test_inline_shows_what_went_above_what_came(client: TestClient) -> None:
    page = page_of(client, "?from=1&to=4&layout=inline")
    lines = [" ".join(p.text_content().split()) for p in page.xpath("//div[@class='hunk']/p")]
    assert lines == [
        "Keep ten segments in memory.",
        "Drop the oldest one.",
        "Keep two segments in memory.",
        "Ask <b>nobody</b>.",
    ]


def test_words_of_a_page_are_never_markup(client: TestClient) -> None:
    assert page_of(client, "?from=1&to=4").xpath("//section[@class='change']//b") == []


@pytest.mark.parametrize("since", ["discussion", "vote"])
def test_a_comparison_can_begin_where_discussion_or_vote_opened(client: TestClient, since: str) -> None:
    page = page_of(client, f"?since={since}")
    assert "Test Plan added substance" in sections(page)
    links = page.xpath("//p[@class='summary']/a/@href")
    assert [link for link in links if since in link]


def test_without_a_choice_the_changes_since_the_vote_are_shown(client: TestClient) -> None:
    assert sections(page_of(client, "")) == sections(page_of(client, "?since=vote"))


def test_a_version_that_is_not_held_is_named_with_those_that_are(client: TestClient) -> None:
    answer = client.get("/proposals/143/changes?from=1&to=99")
    assert answer.status_code == 404
    assert "the page has no version 99; versions 1 to 7 are held" in answer.text


@pytest.mark.parametrize("query", ["?from=0", "?to=-1", "?from=x", "?layout=tree", "?since=lunch", "?to=99999999999"])
def test_an_address_that_makes_no_sense_is_refused_in_one_line(client: TestClient, query: str) -> None:
    assert client.get(f"/proposals/143/changes{query}").status_code == 422


def test_a_proposal_with_one_version_says_that_nothing_changed(client: TestClient) -> None:
    answer = client.get("/proposals/152/changes")
    assert answer.status_code == 200
    assert "did not change" in answer.text


def test_the_page_of_a_proposal_leads_to_its_changes(client: TestClient) -> None:
    page = html.fromstring(client.get("/proposals/143").text)
    assert "143/changes" in page.xpath("//a/@href")


def test_lines_with_little_in_common_are_not_marked_word_by_word() -> None:
    (pair,) = Hunk(removed=("all of this went away",), added=("something else came instead",)).pairs
    assert [s.changed for s in (*pair.old, *pair.new)] == [False, False]


def test_a_line_that_only_came_has_an_empty_side() -> None:
    (pair,) = Hunk(removed=(), added=("new",)).pairs
    assert (pair.old, pair.new[0].text) == ((), "new")
