"""The schemas of all tables that the jobs read and write. All times are UTC.

Those also used with Arrow are derived from `kipflow.lakeschemas`.
"""

from __future__ import annotations

from pyspark.sql.pandas.types import from_arrow_schema
from pyspark.sql.types import (
    BooleanType,
    DataType,
    DoubleType,
    IntegerType,
    LongType,
    StringType,
    StructField,
    StructType,
    TimestampType,
)

from kipflow import lakeschemas

TEXT, TIME, FLAG = StringType(), TimestampType(), BooleanType()
INTEGER, COUNT, NUMBER = IntegerType(), LongType(), DoubleType()


def _table(**columns: DataType) -> StructType:
    return StructType([StructField(name, kind) for name, kind in columns.items()])


#: A row of the mbox data source: a mail, or (`readable` false) the place and reason of an unreadable item.
ITEM = from_arrow_schema(lakeschemas.ITEM)

#: The application's history, as written by `kipflow.adapters.lake.export_history`.
TRANSITION = from_arrow_schema(lakeschemas.TRANSITION)
VOTE = from_arrow_schema(lakeschemas.VOTE)
PROPOSAL_MESSAGE = from_arrow_schema(lakeschemas.PROPOSAL_MESSAGE)
PROPOSAL = from_arrow_schema(lakeschemas.PROPOSAL)

#: The output of the metrics job.
STAGE_VISIT = _table(
    number=INTEGER,
    visit=INTEGER,
    stage=TEXT,
    entered_at=TIME,
    entered_by=TEXT,
    left_at=TIME,
    next_stage=TEXT,
    days=NUMBER,
    is_open=FLAG,
    is_measured=FLAG,
)
STAGE_DURATION = _table(
    stage=TEXT, visits=COUNT, median_days=NUMBER, p90_days=NUMBER, present=COUNT, present_median_days=NUMBER
)
OPEN_VOTE = _table(
    key=TEXT,
    number=INTEGER,
    title=TEXT,
    round=INTEGER,
    opened_at=TIME,
    earliest_close=TIME,
    outcome=TEXT,
    days_open=NUMBER,
    hours_left=NUMBER,
)
THROUGHPUT = _table(month=TEXT, opened=COUNT, accepted=COUNT, rejected=COUNT, imported=COUNT)
FIRST_REPLY = _table(number=INTEGER, message_id=TEXT, opened_at=TIME, replied_at=TIME, hours=NUMBER)
SUMMARY = _table(name=TEXT, dimension=TEXT, value=NUMBER, unit=TEXT)
