"""The link from a page that is out of step to the wiki's editor."""

from __future__ import annotations

from dataclasses import replace

import pytest

from kipflow.web.render import find_editor_url
from tests.integration.store.mails import make_page


@pytest.mark.parametrize(
    ("url", "editor"),
    [
        (
            "https://wiki.example/confluence/display/KAFKA/KIP-7",
            "https://wiki.example/confluence/pages/editpage.action",
        ),
        ("http://wiki.example/pages/viewpage.action?pageId=1", "http://wiki.example/pages/editpage.action"),
        ("https://wiki.example/wiki/spaces/K/pages/4711/x", "https://wiki.example/wiki/pages/editpage.action"),
    ],
)
def test_a_page_opens_in_the_editor_of_its_own_wiki(url: str, editor: str) -> None:
    page = replace(make_page(), url=url, page_id="4711&x=1")
    assert find_editor_url(page) == f"{editor}?pageId=4711%26x%3D1"


@pytest.mark.parametrize("url", ["", "javascript:alert(1)//display/", "https://wiki.example/4711", "/display/K/x"])
def test_an_address_of_no_known_form_gives_no_link(url: str) -> None:
    assert find_editor_url(replace(make_page(), url=url)) == ""
