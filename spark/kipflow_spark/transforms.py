"""Lifecycle metrics: transforms from tables of history to tables of figures.

Built-in expressions only, no session inside, and a closing select that fixes the schema. Nothing later than
`as_of` is read, so the figures of a past day can be reproduced.

Stage durations, throughput and open votes are all computed from `visits`: cache it to read the transitions
only once.
"""

from __future__ import annotations

from datetime import datetime

from pyspark.sql import DataFrame, Window, WindowSpec
from pyspark.sql import functions as F
from pyspark.sql.types import StructType

from kipflow.domain.events import Stage
from kipflow.domain.facts import MailKind
from kipflow_spark import schemas
from kipflow_spark.columns import (
    count_where,
    days_between,
    decided_by,
    hours_between,
    is_correction,
    is_import,
    is_undecided,
    month_of,
    opens_discussion,
    sum_where,
)


def effective_transitions(transitions: DataFrame, as_of: datetime) -> DataFrame:
    """The moves in force at `as_of`: without corrections and the entries that they retracted.

    Amendments of accepted proposals are left out: they change no stage.
    """
    retracts = F.when(is_correction(F.col("retracts")), F.col("retracts"))
    # a proposal's whole history, in the order that `stage_visits` needs too, so that it is sorted once
    whole = _history().rowsBetween(Window.unboundedPreceding, Window.unboundedFollowing)
    return (
        transitions.where(F.col("at") <= F.lit(as_of))
        .withColumn("retracted", F.flatten(F.collect_list(retracts).over(whole)))
        .where(~is_correction(F.col("retracts")) & ~F.array_contains("retracted", F.col("id")))
        .where(~F.col("source").eqNullSafe(F.col("target")))
        .drop("retracted")
    )


def stage_visits(transitions: DataFrame, as_of: datetime) -> DataFrame:
    """Each stay of each proposal in a stage; a current stay is `is_open` and lasts up to `as_of`.

    `is_measured` is false if an index row (imported, or the wiki's own) begins or ends the stay: the row's time
    is that of its edit or import, so the duration is unknown.
    """
    history = _history()
    actor = decided_by(F.col("actor"), F.col("rule"))
    leaves_by_import = F.coalesce(is_import(F.lead(actor).over(history)), F.lit(False))
    visits = effective_transitions(transitions, as_of).select(
        "number",
        F.row_number().over(history).alias("visit"),
        F.col("target").alias("stage"),
        F.col("at").alias("entered_at"),
        actor.alias("entered_by"),
        F.lead("at").over(history).alias("left_at"),
        F.lead("target").over(history).alias("next_stage"),
        leaves_by_import.alias("leaves_by_import"),
    )
    until = F.coalesce(F.col("left_at"), F.lit(as_of))
    lasting = visits.withColumns(
        {
            "days": days_between(F.col("entered_at"), until),
            "is_open": F.col("left_at").isNull(),
            "is_measured": ~is_import(F.col("entered_by")) & ~F.col("leaves_by_import"),
        }
    )
    return as_table(lasting, schemas.STAGE_VISIT)


def stage_durations(visits: DataFrame) -> DataFrame:
    """By stage: durations of completed stays, and number and durations of current ones.

    They are kept apart because current stays would make the median too small.
    """
    measured = F.when(F.col("is_measured"), F.col("days"))
    # exact percentiles hold every distinct value: use one such aggregate, not one per figure
    by_state = visits.groupBy("stage", "is_open").agg(
        F.count(F.lit(1)).alias("stays"),
        F.count(measured).alias("measured"),
        F.percentile(measured, F.array(F.lit(0.5), F.lit(0.9))).alias("shares"),
    )
    over, lasts = ~F.col("is_open"), F.col("is_open")
    figures = by_state.groupBy("stage").agg(
        sum_where(over, F.col("measured")).alias("visits"),
        F.max(F.when(over, F.col("shares")[0])).alias("median_days"),
        F.max(F.when(over, F.col("shares")[1])).alias("p90_days"),
        sum_where(lasts, F.col("stays")).alias("present"),
        F.max(F.when(lasts, F.col("shares")[0])).alias("present_median_days"),
    )
    return in_order(as_table(figures, schemas.STAGE_DURATION), "stage")


def throughput(visits: DataFrame) -> DataFrame:
    """By month: proposals opened, accepted, rejected; empty months between the first and the last included.

    Imports are counted separately, because their month is not that of the event.
    """
    imported = is_import(F.col("entered_by"))
    counts = visits.groupBy(month_of(F.col("entered_at")).alias("month")).agg(
        count_where(~imported & (F.col("visit") == 1)).alias("opened"),
        count_where(~imported & (F.col("stage") == Stage.ACCEPTED.value)).alias("accepted"),
        count_where(~imported & (F.col("stage") == Stage.REJECTED.value)).alias("rejected"),
        count_where(imported).alias("imported"),
    )
    filled = _every_month(visits).join(counts, on="month", how="left").fillna(0)
    return in_order(as_table(filled, schemas.THROUGHPUT), "month")


def _every_month(visits: DataFrame) -> DataFrame:
    first, last = (F.trunc(edge("entered_at"), "month") for edge in (F.min, F.max))
    edges = visits.agg(F.sequence(first, last, F.expr("interval 1 month")).alias("starts"))
    return edges.select(F.explode("starts").alias("start")).select(month_of(F.col("start")).alias("month"))


def open_votes(votes: DataFrame, visits: DataFrame, proposals: DataFrame, as_of: datetime) -> DataFrame:
    """The votes that were open at `as_of`; `hours_left` is negative for a vote past its period.

    A proposal's vote is open while the proposal is in stage Vote by `visits` (of the same `as_of`): sufficient
    ballots do not close it before the result is announced, and votes of dormant proposals are not open. Of its
    rounds, the newest that was neither cancelled nor replaced counts. A vote without a number has no stages; it
    is open by its outcome.
    """
    now = F.lit(as_of)
    has_ended = F.coalesce(F.col("ended_at") <= now, F.lit(False))
    running = votes.where((F.col("opened_at") <= now) & ~has_ended)
    in_vote = visits.where(F.col("is_open") & (F.col("stage") == Stage.VOTE.value)).select("number", "stage")
    # equal times in the order in which the rounds were read
    newest_first = Window.partitionBy("number").orderBy(F.desc("opened_at"), F.desc("root_message_id"))
    ends_later = F.col("ended_at").isNotNull() | is_undecided(F.col("outcome"))
    is_under_way = F.when(F.col("number").isNull(), ends_later).otherwise(
        F.col("stage").isNotNull() & (F.col("place") == 1)
    )
    timed = (
        running.join(F.broadcast(in_vote), on="number", how="left")
        .withColumn("place", F.row_number().over(newest_first))
        .where(is_under_way)
        .withColumn("days_open", days_between(F.col("opened_at"), now))
        .withColumn("hours_left", hours_between(now, F.col("earliest_close")))
    )
    titled = timed.join(F.broadcast(proposals.select("number", "title")), on="number", how="left")
    return in_order(as_table(titled, schemas.OPEN_VOTE), "opened_at", "key", "round")


def first_replies(messages: DataFrame, as_of: datetime) -> DataFrame:
    """By proposal: the start of its discussion, and the first answer by somebody else (null: none yet).

    The discussion begins with the earliest mail that opens one; later threads about the same proposal continue
    it.
    """
    mail = F.struct("arrived_at", "message_id", "author_address")
    is_opener = opens_discussion(F.col("kind"), F.col("is_reply"))
    opener = F.min(F.when(is_opener, mail)).over(Window.partitionBy("number"))
    is_answer = (F.col("arrived_at") >= F.col("opener.arrived_at")) & (
        F.col("author_address") != F.col("opener.author_address")
    )
    threads = (
        messages.where((F.col("arrived_at") <= F.lit(as_of)) & (F.col("kind") == MailKind.DISCUSS.value))
        .withColumn("opener", opener)
        .where(F.col("opener").isNotNull())
        .groupBy(
            "number", F.col("opener.message_id").alias("message_id"), F.col("opener.arrived_at").alias("opened_at")
        )
        .agg(F.min(F.when(is_answer, F.col("arrived_at"))).alias("replied_at"))
    )
    timed = threads.withColumn("hours", hours_between(F.col("opened_at"), F.col("replied_at")))
    return as_table(timed, schemas.FIRST_REPLY)


def _history() -> WindowSpec:
    return Window.partitionBy("number").orderBy("at", "position")


def in_order(frame: DataFrame, *columns: str) -> DataFrame:
    """A small table sorted in one partition: a global sort would first sample it with another job."""
    return frame.coalesce(1).sortWithinPartitions(*columns)


def as_table(frame: DataFrame, schema: StructType) -> DataFrame:
    """Select exactly the columns of `schema`, with its order and types."""
    return frame.select(*[F.col(f.name).cast(f.dataType).alias(f.name) for f in schema.fields])
