"""Which versions of a page are compared."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from kipflow.domain.events import Actor, Stage, Transition
from kipflow.domain.pages import PageVersion, StatusWord
from kipflow.services.changes import NoSuchVersion, Since, find_moment, find_own, find_versions, find_versions_since

START = datetime(2026, 3, 1, tzinfo=UTC)


def version(number: int, day: float, page_id: str = "7") -> PageVersion:
    return PageVersion(
        page_id=page_id,
        version=number,
        saved_at=START + timedelta(days=day),
        saved_by="Ann",
        title="KIP-7: Seven",
        number=7,
        status=StatusWord.DRAFT,
        status_text="Draft",
    )


def entry(target: Stage, day: float) -> Transition:
    return Transition(
        number=7,
        source=Stage.DRAFT,
        target=target,
        at=START + timedelta(days=day),
        rule="any",
        actor=Actor.MAIL,
        policy_version="1",
        evidence=(),
    )


PAGES = (version(1, 0), version(2, 3), version(3, 6))


@pytest.mark.parametrize(
    ("day", "pair"),
    [(-1, (1, 3)), (0, (1, 3)), (4, (2, 3)), (6, None), (9, None)],
    ids=["before-the-page", "at-its-birth", "between", "at-the-last", "after"],
)
def test_the_version_that_stood_then_is_compared_with_the_newest(day: float, pair: tuple[int, int] | None) -> None:
    found = find_versions_since(PAGES, START + timedelta(days=day))
    assert (found and (found[0].version, found[1].version)) == pair


@pytest.mark.parametrize("day", [1, 9], ids=["saved-before", "saved-last"])
def test_another_page_that_took_the_number_is_not_the_proposals(day: float) -> None:
    assert find_own((version(4, day, page_id="8"), *reversed(PAGES)), 7) == [*PAGES]


def test_a_version_that_is_not_held_is_named() -> None:
    with pytest.raises(NoSuchVersion, match="no version 5; versions 1 to 3 are held"):
        find_versions(PAGES, 1, 5)


def test_a_discussion_opened_once_even_if_a_cancelled_vote_led_back_to_it() -> None:
    history = [entry(Stage.DISCUSSION, 1), entry(Stage.VOTE, 2), entry(Stage.DISCUSSION, 3), entry(Stage.VOTE, 4)]
    assert find_moment(history, Since.DISCUSSION) == START + timedelta(days=1)
    assert find_moment(history, Since.VOTE) == START + timedelta(days=4)
    assert find_moment(history, None) == START + timedelta(days=4)
    assert find_moment(history[:1], None) == START + timedelta(days=1)
    assert find_moment(history[:1], Since.VOTE) is None
