"""A record is written and read by its own definition; what its fields hold comes back as it was."""

from __future__ import annotations

import json
from dataclasses import fields, replace
from datetime import UTC, datetime, timedelta, timezone
from typing import Any

import pytest

from kipflow.domain.decisions import Drift
from kipflow.domain.events import Evidence
from kipflow.domain.pages import PageVersion, StatusWord
from kipflow.domain.records import from_plain, to_plain
from kipflow.domain.votes import Choice, ClaimedEnd, Declared, EndKind, Expression, Standing

NOW = datetime(2026, 11, 12, 10, 30, tzinfo=UTC)
DECLARED = Declared(
    by="Kim Osei",
    message_id="<a@mail.example>",
    announced_at=NOW,
    outcome="passed",
    binding={"+1": 3},
    total=None,
    names={"binding +1": ("Mara Lind",)},
    contradictions=("said 3, named 1",),
    revised_at=NOW,
)
RECORDS = [
    DECLARED,
    replace(DECLARED, before=replace(DECLARED, announced_at=None, revised_at=None)),
    Expression(
        choice=Choice.AGAINST,
        value="-0.9",
        claimed_binding=None,
        line="-0.9",
        rule="value",
        standing=Standing.UNCLEAR,
        why="until renamed",
    ),
    Expression(choice=None, value="", claimed_binding=True, line="", rule="hint"),
    ClaimedEnd(kind=EndKind.CLOSED, by="K", address="k@x.example", message_id="<a@x>", at=NOW, line="l", why="w"),
    ClaimedEnd(
        kind=EndKind.CLOSED, by="K", address="", message_id="<a@x>", at=NOW, line="", why="", declared=DECLARED,
        settled_at=NOW, accepted=True,
    ),
    Evidence(kind="message", ref="<a@mail.example>", line="+1", url="https://lists.example/a"),
    Drift(side="page", says="Accepted", derived="Draft", evidence="version 1", fix="set it", said_at=NOW),
    PageVersion(
        page_id="7", version=1, saved_at=NOW, saved_by="mlind", title="KIP-7", number=7, status=StatusWord.DRAFT,
        status_text="Draft", touches=(("protocol", "a line"),), labels=("kip",),
    ),
]  # fmt: skip


@pytest.mark.parametrize("record", RECORDS, ids=lambda r: type(r).__name__)
def test_every_field_survives_json(record: Any) -> None:
    written = to_plain(record)
    assert list(written) == [f.name for f in fields(record)]
    assert from_plain(type(record), json.loads(json.dumps(written))) == record


@pytest.mark.parametrize("record", RECORDS, ids=lambda r: type(r).__name__)
def test_what_was_read_has_the_types_of_its_fields(record: Any) -> None:
    assert repr(from_plain(type(record), json.loads(json.dumps(to_plain(record))))) == repr(record)


def test_a_field_that_was_added_later_gets_its_default() -> None:
    written = to_plain(DECLARED)
    for name in ("unclear", "corrects", "revised_at", "before"):
        del written[name]
    assert from_plain(Declared, written) == replace(DECLARED, revised_at=None)


def test_a_field_without_a_default_must_be_there() -> None:
    with pytest.raises(TypeError, match="'by'"):
        from_plain(Declared, {"message_id": "<a@x>", "announced_at": None, "outcome": None})


def test_values_of_other_names_are_left_alone_and_given_ones_are_taken_as_they_are() -> None:
    row = {**to_plain(RECORDS[6]), "position": 1}
    assert from_plain(Evidence, row, line="-1") == Evidence(
        kind="message", ref="<a@mail.example>", line="-1", url="https://lists.example/a"
    )


def test_an_unknown_word_is_no_value() -> None:
    with pytest.raises(ValueError, match="no such"):
        from_plain(Expression, {**to_plain(RECORDS[2]), "choice": "no such"})


def test_times_are_read_in_utc_and_kept_where_asked_for() -> None:
    here = NOW.astimezone(timezone(timedelta(hours=5)))
    assert from_plain(Declared, to_plain(replace(DECLARED, announced_at=here))).announced_at == NOW
    assert to_plain(DECLARED, write_time=lambda moment: moment)["announced_at"] is NOW
