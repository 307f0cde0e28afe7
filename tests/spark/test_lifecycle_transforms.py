"""The figures of the process, each shown on a history small enough to reckon by hand."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from kipflow_spark import schemas, transforms
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.types import StructType
from pyspark.testing import assertDataFrameEqual

pytestmark = pytest.mark.spark

START = datetime(2026, 1, 10, 12, tzinfo=UTC)


def day(days: float) -> datetime:
    return START + timedelta(days=days)


def move(number: int, position: int, source: str | None, target: str, at: datetime, **more: Any) -> dict[str, Any]:
    row = {"id": f"{number}/{position}", "rule": "r", "actor": "mail", "repeat": 0, "retracts": []}
    return {**row, "number": number, "position": position, "source": source, "target": target, "at": at, **more}


def rows(spark: SparkSession, schema: StructType, records: Sequence[dict[str, Any]]) -> DataFrame:
    return spark.createDataFrame([tuple(r.get(n) for n in schema.fieldNames()) for r in records], schema)


def transitions(spark: SparkSession, *records: dict[str, Any]) -> DataFrame:
    return rows(spark, schemas.TRANSITION, records)


def accepted_after(spark: SparkSession, number: int, discussion_days: float) -> list[dict[str, Any]]:
    return [
        move(number, 1, None, "Draft", day(0)),
        move(number, 2, "Draft", "Discussion", day(1)),
        move(number, 3, "Discussion", "Vote", day(1 + discussion_days)),
        move(number, 4, "Vote", "Accepted", day(4 + discussion_days), actor="clock"),
    ]


def test_a_stay_lasts_until_the_next_move_and_the_last_one_until_now(spark: SparkSession) -> None:
    history = transitions(spark, *accepted_after(spark, 1, 10))
    visits = transforms.stage_visits(history, day(20)).select("visit", "stage", "days", "is_open", "next_stage")
    expected = [
        (1, "Draft", 1.0, False, "Discussion"),
        (2, "Discussion", 10.0, False, "Vote"),
        (3, "Vote", 3.0, False, "Accepted"),
        (4, "Accepted", 6.0, True, None),
    ]
    assertDataFrameEqual(visits, spark.createDataFrame(expected, visits.schema))


def test_moves_of_one_moment_keep_their_order(spark: SparkSession) -> None:
    history = transitions(
        spark, move(1, 2, "Draft", "Discussion", day(0)), move(1, 1, None, "Draft", day(0), id="later in the file")
    )
    visits = transforms.stage_visits(history, day(5)).select("visit", "stage", "days")
    assertDataFrameEqual(visits, spark.createDataFrame([(1, "Draft", 0.0), (2, "Discussion", 5.0)], visits.schema))


def test_what_was_taken_back_does_not_count(spark: SparkSession) -> None:
    history = transitions(
        spark,
        *accepted_after(spark, 1, 10),
        move(1, 5, "Accepted", "Vote", day(15), rule="correction", retracts=["1/4"]),
        move(1, 6, "Vote", "Rejected", day(15)),
    )
    visits = transforms.stage_visits(history, day(20)).select("stage", "days")
    expected = [("Draft", 1.0), ("Discussion", 10.0), ("Vote", 4.0), ("Rejected", 5.0)]
    assertDataFrameEqual(visits, spark.createDataFrame(expected, visits.schema))


def test_before_a_correction_the_past_is_told_as_it_was_known(spark: SparkSession) -> None:
    history = transitions(
        spark, *accepted_after(spark, 1, 10), move(1, 5, "Accepted", "Vote", day(15), retracts=["1/4"])
    )
    visits = transforms.stage_visits(history, day(14.5)).where("is_open").select("stage", "days")
    assertDataFrameEqual(visits, spark.createDataFrame([("Accepted", 0.5)], visits.schema))


def test_durations_are_of_stays_that_are_over_and_present_counts_the_others(spark: SparkSession) -> None:
    history = transitions(
        spark, *accepted_after(spark, 1, 2), *accepted_after(spark, 2, 4), *accepted_after(spark, 3, 12)[:2]
    )
    durations = transforms.stage_durations(transforms.stage_visits(history, day(9)))
    expected = [
        ("Accepted", 0, None, None, 2, 2.0),
        ("Discussion", 2, 3.0, 3.8, 1, 8.0),
        ("Draft", 3, 1.0, 1.0, 0, None),
        ("Vote", 2, 3.0, 3.0, 0, None),
    ]
    assertDataFrameEqual(durations, spark.createDataFrame(expected, schemas.STAGE_DURATION), checkRowOrder=True)


def test_a_stay_that_an_import_ends_has_no_length(spark: SparkSession) -> None:
    history = transitions(
        spark,
        move(1, 1, None, "Draft", day(0), actor="page"),
        move(1, 2, "Draft", "Accepted", day(9), actor="import"),
    )
    durations = transforms.stage_durations(transforms.stage_visits(history, day(20)))
    expected = [("Accepted", 0, None, None, 1, None), ("Draft", 0, None, None, 0, None)]
    assertDataFrameEqual(durations, spark.createDataFrame(expected, schemas.STAGE_DURATION))


def test_throughput_shows_quiet_months_and_counts_imports_apart(spark: SparkSession) -> None:
    history = transitions(
        spark,
        *accepted_after(spark, 1, 60),
        move(2, 1, None, "Draft", day(0)),
        move(2, 2, "Draft", "Rejected", day(1)),
        move(3, 1, None, "Draft", day(0), actor="import"),
        move(3, 2, "Draft", "Accepted", day(0), actor="import"),
    )
    months = transforms.throughput(transforms.stage_visits(history, day(90)))
    expected = [("2026-01", 2, 0, 1, 2), ("2026-02", 0, 0, 0, 0), ("2026-03", 0, 1, 0, 0)]
    assertDataFrameEqual(months, spark.createDataFrame(expected, schemas.THROUGHPUT), checkRowOrder=True)


def vote(number: int | None, outcome: str, **more: Any) -> dict[str, Any]:
    times = {"opened_at": day(0), "earliest_close": day(3), "ended_at": None}
    row = {"key": f"KIP-{number}", "number": number, "round": 1, "root_message_id": f"<{number}@x.example>"}
    return {**row, **times, "outcome": outcome, **more}


def test_votes_that_have_not_come_to_an_end_are_open_and_say_how_long_they_have(spark: SparkSession) -> None:
    votes = rows(
        spark,
        schemas.VOTE,
        [
            vote(1, "open"),
            vote(2, "short", opened_at=day(-8), earliest_close=day(-5)),
            vote(3, "passed"),
            vote(4, "cancelled", ended_at=day(1)),
            vote(5, "open", opened_at=day(3)),
            vote(None, "passing", key="release 1.2"),
        ],
    )
    titles = rows(spark, schemas.PROPOSAL, [{"number": 1, "title": "Faster joins"}])
    found = transforms.open_votes(votes, titles, day(2)).select("key", "title", "days_open", "hours_left")
    expected = [("KIP-2", None, 10.0, -168.0), ("KIP-1", "Faster joins", 2.0, 24.0), ("release 1.2", None, 2.0, 24.0)]
    assertDataFrameEqual(found, spark.createDataFrame(expected, found.schema))


def test_a_vote_that_was_called_off_later_was_open_before(spark: SparkSession) -> None:
    votes = rows(spark, schemas.VOTE, [vote(4, "cancelled", ended_at=day(1))])
    titles = rows(spark, schemas.PROPOSAL, [])
    assert transforms.open_votes(votes, titles, day(0.5)).count() == 1
    assert transforms.open_votes(votes, titles, day(1)).count() == 0


def mail(number: int, name: str, sent_at: datetime, author: str, *, kind: str = "discuss", reply: bool = True) -> dict:
    address = f"{author}@x.example"
    row = {"number": number, "message_id": f"<{name}>", "sent_at": sent_at, "author_address": address}
    return {**row, "kind": kind, "is_reply": reply}


def test_the_first_reply_is_by_somebody_else_and_in_the_discussion(spark: SparkSession) -> None:
    messages = rows(
        spark,
        schemas.PROPOSAL_MESSAGE,
        [
            mail(1, "early", day(-1), "mara", reply=True),
            mail(1, "start", day(0), "kim", reply=False),
            mail(1, "self", day(0.1), "kim"),
            mail(1, "elsewhere", day(0.2), "ola", kind="other"),
            mail(1, "answer", day(0.5), "mara"),
            mail(1, "second thread", day(3), "kim", reply=False),
            mail(2, "alone", day(1), "kim", reply=False),
            mail(3, "not opened here", day(1), "kim"),
        ],
    )
    replies = transforms.first_replies(messages, day(9))
    expected = [(1, "<start>", day(0), day(0.5), 12.0), (2, "<alone>", day(1), None, None)]
    assertDataFrameEqual(replies, spark.createDataFrame(expected, schemas.FIRST_REPLY), checkRowOrder=True)


def test_an_empty_history_gives_empty_tables_and_counts_of_nothing(spark: SparkSession) -> None:
    def nothing(schema: StructType) -> DataFrame:
        return spark.createDataFrame([], schema)

    visits = transforms.stage_visits(nothing(schemas.TRANSITION), day(0))
    durations, months = transforms.stage_durations(visits), transforms.throughput(visits)
    votes = transforms.open_votes(nothing(schemas.VOTE), nothing(schemas.PROPOSAL), day(0))
    replies = transforms.first_replies(nothing(schemas.PROPOSAL_MESSAGE), day(0))
    for table in (visits, durations, months, votes, replies):
        assert table.count() == 0
    figures = {r["name"]: r["value"] for r in transforms.summary(durations, votes, months, replies).collect()}
    assert figures == {
        "open_votes": 0.0,
        "open_votes_past_period": 0.0,
        "discussions": 0.0,
        "discussions_unanswered": 0.0,
    }


def test_the_summary_has_one_ordered_row_for_each_figure(spark: SparkSession) -> None:
    visits = transforms.stage_visits(transitions(spark, *accepted_after(spark, 1, 10)), day(20))
    votes = transforms.open_votes(
        rows(spark, schemas.VOTE, [vote(1, "open")]), rows(spark, schemas.PROPOSAL, []), day(2)
    )
    messages = [mail(1, "start", day(0), "kim", reply=False), mail(1, "answer", day(1), "mara")]
    replies = transforms.first_replies(rows(spark, schemas.PROPOSAL_MESSAGE, messages), day(20))
    durations, months = transforms.stage_durations(visits), transforms.throughput(visits)
    table = transforms.summary(durations, votes, months, replies)
    assert table.schema.fieldNames() == schemas.SUMMARY.fieldNames()
    found = [tuple(r) for r in table.collect()]
    assert found == sorted(found)
    figures = {(name, dimension): (value, unit) for name, dimension, value, unit in found}
    assert figures["stage_days_median", "Discussion"] == (10.0, "days")
    assert figures["stage_present", "Accepted"] == (1.0, "count")
    assert figures["month_accepted", "2026-01"] == (1.0, "count")
    assert figures["open_votes", ""] == (1.0, "count")
    assert figures["first_reply_hours_p90", ""] == (24.0, "hours")
    assert len(figures) == len(found)
