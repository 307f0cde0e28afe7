"""All figures of a report as rows, for the store and the board."""

from __future__ import annotations

from collections.abc import Mapping
from functools import reduce

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

from kipflow_spark import schemas
from kipflow_spark.columns import count_where
from kipflow_spark.transforms import as_table, in_order

#: Name of a figure → its column and unit.
Figures = Mapping[str, tuple[str, str]]
_OF_STAGE: Figures = {
    "stage_days_median": ("median_days", "days"),
    "stage_days_p90": ("p90_days", "days"),
    "stage_visits": ("visits", "count"),
    "stage_present": ("present", "count"),
    "stage_present_days_median": ("present_median_days", "days"),
}
_OF_VOTES: Figures = {
    "open_votes": ("open", "count"),
    "open_votes_past_period": ("overdue", "count"),
    "open_votes_oldest_days": ("oldest", "days"),
}
_OF_MONTH: Figures = {f"month_{name}": (name, "count") for name in ("opened", "accepted", "rejected", "imported")}
_OF_REPLIES: Figures = {
    "discussions": ("threads", "count"),
    "discussions_unanswered": ("unanswered", "count"),
    "first_reply_hours_median": ("median_hours", "hours"),
    "first_reply_hours_p90": ("p90_hours", "hours"),
}


def summary(durations: DataFrame, votes: DataFrame, months: DataFrame, replies: DataFrame) -> DataFrame:
    """All figures as rows (name, dimension, value, unit), ordered, for the store and the board."""
    parts = (
        _as_metrics(durations, F.col("stage"), _OF_STAGE),
        _as_metrics(_vote_figures(votes), F.lit(""), _OF_VOTES),
        _as_metrics(months, F.col("month"), _OF_MONTH),
        _as_metrics(_reply_figures(replies), F.lit(""), _OF_REPLIES),
    )
    return in_order(as_table(reduce(DataFrame.unionByName, parts), schemas.SUMMARY), "name", "dimension")


def _vote_figures(votes: DataFrame) -> DataFrame:
    return votes.agg(
        F.count(F.lit(1)).alias("open"),
        count_where(F.col("hours_left") <= 0).alias("overdue"),
        F.max("days_open").alias("oldest"),
    )


def _reply_figures(replies: DataFrame) -> DataFrame:
    return replies.agg(
        F.count(F.lit(1)).alias("threads"),
        count_where(F.col("hours").isNull()).alias("unanswered"),
        F.percentile("hours", F.lit(0.5)).alias("median_hours"),
        F.percentile("hours", F.lit(0.9)).alias("p90_hours"),
    )


def _as_metrics(frame: DataFrame, dimension: Column, figures: Figures) -> DataFrame:
    """One row for each non-null figure of each row of `frame`."""
    rows = [
        F.struct(
            F.lit(name).alias("name"),
            dimension.alias("dimension"),
            F.col(value).cast("double").alias("value"),
            F.lit(unit).alias("unit"),
        )
        for name, (value, unit) in figures.items()
    ]
    return frame.select(F.inline(F.array(*rows))).where(F.col("value").isNotNull())
