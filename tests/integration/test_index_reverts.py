"""What people do to the wiki's index after kipflow stands: who moves a row back is asked, never fought."""

from __future__ import annotations

from pathlib import Path

import pytest

from kipflow.adapters.confluence import ConfluenceWiki
from kipflow.domain.facts import Ruling
from kipflow.services.indexrows import find_places
from kipflow.services.ports import IndexRow, WikiPage
from kipflow.services.ports.effects import MOVED_BACK, OutboxRow
from kipflow.services.ruling_checks import BadRuling
from tests.effect_kinds import index_kind, make_due
from tests.integration.conftest import ANCHOR
from tests.integration.late import MONDAY, found, story

pytestmark = pytest.mark.integration


class Place:
    """A decided community, and an index page of its own on the sandbox's wiki that kipflow has saved once."""

    def __init__(self, home: Path, outside: str) -> None:
        self.village = found(home)
        self.village.receive(list(story().values()), MONDAY)
        self.village.decide(MONDAY)
        self.store = self.village.parts.store
        self.wiki = ConfluenceWiki(f"{outside}/confluence/rest/api", "secret")
        body = self.wiki.fetch_page("1000").body
        self.page_id = self.wiki.create_page("1000", title=f"Index of {home.name}", body=body).page_id
        self.first = self.page.body
        self.update()
        [self.saved] = self.list("sent")

    @property
    def page(self) -> WikiPage:
        return self.wiki.fetch_page(self.page_id)

    @property
    def places(self) -> dict[int, str]:
        return find_places(self.page.body, "KIP", ANCHOR)

    def update(self) -> None:
        """What `kip_update_index` does."""
        make_due(self.store, "index", index_kind(self.store, self.wiki, self.page_id, ANCHOR), ANCHOR)

    def list(self, status: str) -> list[OutboxRow]:
        return self.village.outbox("index", status)

    def write(self, body: str) -> None:
        """What somebody saves by hand."""
        self.wiki.save_page(self.page, body=body, message="I know better")

    def act(self, name: str, key: str) -> None:
        self.village.act(name, key, ANCHOR)


@pytest.fixture
def place(tmp_path: Path, outside: str) -> Place:
    return Place(tmp_path, outside)


def test_a_row_that_somebody_moved_back_stays_and_is_asked_about_once(place: Place) -> None:
    mine = place.page.body
    assert mine != place.first
    place.write(place.first)
    for _ in range(3):
        place.update()

    assert place.page.body == place.first
    [asked] = place.list("held")
    moved = {number for number, *_ in asked.payload[MOVED_BACK]}
    assert moved
    assert all(f"KIP-{number} to " in asked.payload["text"] for number in moved)
    place.act("release", asked.key)
    place.update()
    assert place.page.body == mine
    place.write(place.first)  # and again
    place.update()
    assert place.page.body == place.first
    assert [row.key == asked.key for row in place.list("held")] == [False]


def test_what_a_person_refused_to_move_again_stays_while_other_rows_move(place: Place) -> None:
    place.write(place.first)
    place.update()
    [asked] = place.list("held")
    before = place.places
    place.act("refuse", asked.key)
    place.update()
    assert place.list("held") == []
    assert place.places == before


def test_a_question_whose_rows_have_moved_is_taken_back(place: Place) -> None:
    mine = place.page.body
    place.write(place.first)
    place.update()
    assert len(place.list("held")) == 1
    place.write(mine)
    place.update()

    assert place.list("held") == []
    assert [row.last_error for row in place.list("withdrawn")] == ["its rows have moved since"]
    place.write(place.first)  # not refused: asked anew
    place.update()
    assert len(place.list("held")) == 1


def test_a_row_that_may_stand_where_it_does_is_not_moved(place: Place) -> None:
    place.write(place.first)
    place.update()
    [asked] = place.list("held")
    stands = {int(number): (says, wanted) for number, says, wanted in asked.payload[MOVED_BACK]}
    stages = {row.number: row.stage for row in load_rows(place)}
    with place.store.begin() as session:
        for number, (says, _) in stands.items():
            session.rulings.save(
                Ruling(
                    id=None,
                    number=number,
                    kind="drift",
                    target="index",
                    value={"says": says, "derived": str(stages[number])},
                    author="mara",
                    reason="so it is",
                    made_at=ANCHOR,
                )
            )
    place.act("release", asked.key)
    assert index_kind(place.store, place.wiki, place.page_id, ANCHOR).preview() == []


def load_rows(place: Place) -> list[IndexRow]:
    with place.store.read() as session:
        return list(session.history.load_index_rows())


def test_a_saved_edit_is_taken_back_byte_for_byte_and_not_made_again(place: Place) -> None:
    place.act("rollback", place.saved.key)
    place.update()
    assert place.page.body == place.first
    place.update()
    assert place.page.body == place.first
    assert [MOVED_BACK in row.payload for row in place.list("held")] == [True]
    with pytest.raises(BadRuling, match="already"):
        place.act("rollback", place.saved.key)


def test_an_edit_behind_which_somebody_wrote_is_not_taken_back(place: Place) -> None:
    place.write(place.page.body.replace("</table>", "</table><p>Thanks!</p>", 1))
    theirs = place.page
    place.act("rollback", place.saved.key)
    place.update()

    assert place.page == theirs
    [waiting] = [row for row in place.list("pending") if row.key.endswith("/rollback")]
    assert "what they wrote would be lost" in (waiting.last_error or "")


def test_only_a_saved_edit_can_be_taken_back(place: Place) -> None:
    with pytest.raises(BadRuling, match="no edit of a page"):
        place.act("rollback", "index/none/1/2")


def test_the_preview_names_each_row_that_changes(place: Place) -> None:
    changed = place.saved.payload["diff"]

    assert changed
    assert {line[0] for line in changed} <= {"+", "-"}
    assert all(" KIP-" in line for line in changed)
    assert index_kind(place.store, place.wiki, place.page_id, ANCHOR).preview() == []
