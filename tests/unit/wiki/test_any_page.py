"""What must hold for every wiki page, whatever stands on it: pages after small changes."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import asdict
from datetime import UTC, datetime

from hypothesis import HealthCheck, given

from kipflow.domain.errors import UnreadableInput
from kipflow.domain.pages import WikiPage
from kipflow.mail.content.charsets import decode
from kipflow.wiki.diffs import diff_pages
from kipflow.wiki.index_reading import parse_index_page
from kipflow.wiki.lint import lint_page, lint_text
from kipflow.wiki.pages import parse_page
from kipflow.wiki.template import render_page
from tests.changed import change_lines, changed
from tests.examples import examples
from tests.unit.storable import check_storable

NOON = datetime(2026, 3, 3, 12, tzinfo=UTC)
INDEX_PAGE = (
    "<h2>Adopted KIPs</h2><table><tbody>\n<tr><th>KIP</th><th>Release</th></tr>\n"
    '<tr><td><a href="https://wiki.x.example/7">KIP-7: Shorter names</a> (WIP)</td>\n<td>4.1</td></tr></tbody></table>'
    "\n<h2>KIPs under discussion</h2>\n<table><tbody><tr><th>KIP</th><th>Comment</th></tr>\n<tr><td><ac:link>"
    "<ri:page ri:content-title='KIP-9 - Longer names' /></ac:link></td>\n<td><ac:structured-macro ac:name='status'>"
    "<ac:parameter ac:name='title'>Under discussion</ac:parameter></ac:structured-macro></td>\n</tr></tbody></table>\n"
    "<p>Next KIP Number: <strong>10</strong></p>"
)
PAGES = [page.replace("><", ">\n<").encode() for page in (render_page(), render_page(state="Accepted"), INDEX_PAGE)]


@examples(100, HealthCheck.too_slow)
@given(changed(lambda: PAGES, change_lines))
def test_a_page_is_read_or_refused_and_does_not_differ_from_itself(data: bytes) -> None:
    body = decode(data, "utf-8")
    with suppress(UnreadableInput):
        given_ = WikiPage(page_id="1", version=1, title="KIP-7: x", body=body, saved_at=NOON, saved_by="x")
        check_storable({**asdict(parse_page(given_, "KIP")), "body": ""}, "PageVersion")
        assert diff_pages(body, body) == ()
        check_storable([asdict(f) for f in lint_page(body, title="KIP-7: x", prefix="KIP", source="x")], "Fault")
        check_storable(asdict(parse_index_page(body, "KIP", NOON)), "ParsedIndex")
    lint_text(body, title="KIP-7: x", prefix="KIP")
