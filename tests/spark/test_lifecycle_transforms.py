"""The figures of the process, each shown on a history small enough to reckon by hand."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from kipflow_spark import schemas, transforms
from kipflow_spark.figures import summary
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


def test_an_amendment_of_an_accepted_proposal_begins_no_new_stay(spark: SparkSession) -> None:
    amended = move(1, 5, "Accepted", "Accepted", day(30), rule="amended")
    history = transitions(spark, *accepted_after(spark, 1, 10), amended)
    visits = transforms.stage_visits(history, day(40))
    last = visits.where("visit >= 4").select("visit", "stage", "days")
    assertDataFrameEqual(last, spark.createDataFrame([(4, "Accepted", 26.0)], last.schema))
    months = transforms.throughput(visits).select("accepted")
    assertDataFrameEqual(months, spark.createDataFrame([(1,)], months.schema))


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


def test_before_a_correction_the_past_is_shown_as_it_was_known(spark: SparkSession) -> None:
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
        move(4, 1, None, "Accepted", day(0), actor="page", rule="index-row"),
    )
    months = transforms.throughput(transforms.stage_visits(history, day(90)))
    expected = [("2026-01", 2, 0, 1, 3), ("2026-02", 0, 0, 0, 0), ("2026-03", 0, 1, 0, 0)]
    assertDataFrameEqual(months, spark.createDataFrame(expected, schemas.THROUGHPUT), checkRowOrder=True)


def vote(number: int | None, outcome: str, **more: Any) -> dict[str, Any]:
    times = {"opened_at": day(0), "earliest_close": day(3), "ended_at": None}
    round_ = more.get("round", 1)
    row = {
        "key": f"KIP-{number}",
        "number": number,
        "round": round_,
        "root_message_id": f"<{number}.{round_}@x.example>",
    }
    return {**row, **times, "outcome": outcome, **more}


def into_vote(number: int, at: datetime) -> list[dict[str, Any]]:
    return [move(number, 1, None, "Discussion", day(-20)), move(number, 2, "Discussion", "Vote", at)]


def find_open(
    spark: SparkSession, votes: Sequence[dict[str, Any]], history: Sequence[dict[str, Any]], as_of: datetime
) -> DataFrame:
    visits = transforms.stage_visits(transitions(spark, *history), as_of)
    titles = rows(spark, schemas.PROPOSAL, [{"number": 1, "title": "Faster joins"}])
    return transforms.open_votes(rows(spark, schemas.VOTE, votes), visits, titles, as_of)


def open_keys(*tables: Any) -> list[tuple[str, int]]:
    return [(row["key"], row["round"]) for row in find_open(*tables).collect()]


def test_votes_of_proposals_in_stage_vote_are_open_and_say_how_long_they_have(spark: SparkSession) -> None:
    votes = [vote(1, "open"), vote(2, "short", opened_at=day(-8), earliest_close=day(-5)), vote(3, "open")]
    history = [*into_vote(1, day(0)), *into_vote(2, day(-8)), *into_vote(3, day(0))[:1]]
    found = find_open(spark, votes, history, day(2))
    assert found.schema == schemas.OPEN_VOTE
    shown = found.select("key", "title", "days_open", "hours_left")
    expected = [("KIP-2", None, 10.0, -168.0), ("KIP-1", "Faster joins", 2.0, 24.0)]
    assertDataFrameEqual(shown, spark.createDataFrame(expected, shown.schema), checkRowOrder=True)


def test_a_vote_that_passed_stays_open_until_its_result_is_announced(spark: SparkSession) -> None:
    votes, history = [vote(1, "passed")], [*into_vote(1, day(0)), move(1, 3, "Vote", "Accepted", day(9))]
    waiting = find_open(spark, votes, history, day(8)).select("key", "outcome", "hours_left")
    assertDataFrameEqual(waiting, spark.createDataFrame([("KIP-1", "passed", -120.0)], waiting.schema))
    assert open_keys(spark, votes, history, day(9)) == []


def test_the_vote_of_a_proposal_that_went_dormant_is_no_longer_open(spark: SparkSession) -> None:
    votes, history = [vote(1, "short")], [*into_vote(1, day(0)), move(1, 3, "Vote", "Dormant", day(90))]
    assert open_keys(spark, votes, history, day(89)) == [("KIP-1", 1)]
    assert open_keys(spark, votes, history, day(90)) == []


def test_a_vote_about_a_settled_proposal_is_not_open_whatever_it_came_to(spark: SparkSession) -> None:
    votes = [vote(1, "passed"), vote(1, "open", round=2, opened_at=day(20), earliest_close=day(23))]
    history = [*into_vote(1, day(0)), move(1, 3, "Vote", "Accepted", day(4))]
    assert open_keys(spark, votes, history, day(21)) == []


def test_a_vote_is_open_again_when_its_acceptance_was_taken_back(spark: SparkSession) -> None:
    taken_back = move(1, 4, "Accepted", "Vote", day(6), rule="correction", retracts=["1/3"])
    history = [*into_vote(1, day(0)), move(1, 3, "Vote", "Accepted", day(4)), taken_back]
    assert open_keys(spark, [vote(1, "passing")], history, day(5)) == []
    assert open_keys(spark, [vote(1, "passing")], history, day(7)) == [("KIP-1", 1)]


def test_only_the_newest_round_opened_by_then_is_open(spark: SparkSession) -> None:
    # the first round was announced as passed, which its ballots did not bear out: nothing ended it
    votes = [vote(1, "short"), vote(1, "open", round=2, opened_at=day(5), earliest_close=day(8))]
    history = into_vote(1, day(0))
    assert open_keys(spark, votes, history, day(4)) == [("KIP-1", 1)]
    assert open_keys(spark, votes, history, day(5)) == [("KIP-1", 2)]


def test_a_round_that_was_called_off_is_not_open_while_an_earlier_one_runs_on(spark: SparkSession) -> None:
    second = vote(1, "cancelled", round=2, opened_at=day(5), ended_at=day(6))
    votes, history = [vote(1, "short"), second], into_vote(1, day(0))
    assert open_keys(spark, votes, history, day(5.5)) == [("KIP-1", 2)]
    assert open_keys(spark, votes, history, day(6)) == [("KIP-1", 1)]


def test_a_vote_that_was_called_off_later_was_open_before(spark: SparkSession) -> None:
    votes, history = [vote(4, "cancelled", ended_at=day(1))], into_vote(4, day(0))
    called_off = [*history, move(4, 3, "Vote", "Discussion", day(1))]
    assert open_keys(spark, votes, called_off, day(0.5)) == [("KIP-4", 1)]
    assert open_keys(spark, votes, called_off, day(1)) == []


def test_a_vote_without_a_number_is_open_until_it_comes_to_an_end(spark: SparkSession) -> None:
    votes = [
        vote(None, "passing", key="release 1.2"),
        vote(None, "open", key="release 1.3"),
        vote(None, "passed", key="release 1.0"),
        vote(None, "cancelled", key="release 1.1", ended_at=day(1)),
        vote(None, "cancelled", key="release 1.4", ended_at=day(3)),
        vote(None, "open", key="release 1.5", opened_at=day(3)),
    ]
    found = open_keys(spark, votes, into_vote(1, day(0)), day(2))
    assert found == [("release 1.2", 1), ("release 1.3", 1), ("release 1.4", 1)]


def test_open_votes_read_each_source_once(spark: SparkSession, tmp_path: Path) -> None:
    def stored(name: str, schema: StructType, records: Sequence[dict[str, Any]]) -> DataFrame:
        rows(spark, schema, records).write.parquet(str(tmp_path / name))
        return spark.read.schema(schema).parquet(str(tmp_path / name))

    visits = transforms.stage_visits(stored("transitions", schemas.TRANSITION, into_vote(1, day(0))), day(2))
    votes, titles = stored("votes", schemas.VOTE, [vote(1, "open")]), stored("proposals", schemas.PROPOSAL, [])
    plan = transforms.open_votes(votes, visits, titles, day(2))._jdf.queryExecution().toString()
    physical = plan[plan.index("== Physical Plan ==") :]
    assert physical.count("FileScan parquet") == 3
    assert "Python" not in physical


def mail(
    number: int, name: str, arrived_at: datetime, author: str, *, kind: str = "discuss", reply: bool = True
) -> dict[str, Any]:
    address = f"{author}@x.example"
    row = {"number": number, "message_id": f"<{name}>", "arrived_at": arrived_at, "author_address": address}
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
    votes = transforms.open_votes(nothing(schemas.VOTE), visits, nothing(schemas.PROPOSAL), day(0))
    replies = transforms.first_replies(nothing(schemas.PROPOSAL_MESSAGE), day(0))
    for table in (visits, durations, months, votes, replies):
        assert table.count() == 0
    figures = {r["name"]: r["value"] for r in summary(durations, votes, months, replies).collect()}
    assert figures == {
        "open_votes": 0.0,
        "open_votes_past_period": 0.0,
        "discussions": 0.0,
        "discussions_unanswered": 0.0,
    }


def test_the_summary_has_one_ordered_row_for_each_figure(spark: SparkSession) -> None:
    visits = transforms.stage_visits(transitions(spark, *accepted_after(spark, 1, 10)), day(20))
    votes = find_open(spark, [vote(9, "open")], [*accepted_after(spark, 1, 10), *into_vote(9, day(0))], day(2))
    messages = [mail(1, "start", day(0), "kim", reply=False), mail(1, "answer", day(1), "mara")]
    replies = transforms.first_replies(rows(spark, schemas.PROPOSAL_MESSAGE, messages), day(20))
    durations, months = transforms.stage_durations(visits), transforms.throughput(visits)
    table = summary(durations, votes, months, replies)
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
