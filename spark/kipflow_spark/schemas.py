"""The shapes of every table that the jobs read and write. All times are UTC.

Tables that `kipflow.adapters.lake` reads or writes with Arrow have the same shape there; a test
compares the two.
"""

from __future__ import annotations

from pyspark.sql.types import (
    ArrayType,
    BooleanType,
    DataType,
    DoubleType,
    IntegerType,
    LongType,
    MapType,
    StringType,
    StructField,
    StructType,
    TimestampType,
)

TEXT, TIME, FLAG = StringType(), TimestampType(), BooleanType()
INTEGER, COUNT, NUMBER = IntegerType(), LongType(), DoubleType()


def _table(**columns: DataType) -> StructType:
    return StructType([StructField(name, kind) for name, kind in columns.items()])


_COUNTS = MapType(TEXT, INTEGER)

READING = _table(kind=TEXT, is_reply=FLAG, is_forward=FLAG, numbers=ArrayType(INTEGER), round=INTEGER, topic=TEXT)
EXPRESSION = _table(choice=TEXT, value=TEXT, claimed_binding=FLAG, line=TEXT, rule=TEXT, standing=TEXT, why=TEXT)
DECLARED = _table(
    by=TEXT,
    message_id=TEXT,
    announced_at=TIME,
    outcome=TEXT,
    binding=_COUNTS,
    non_binding=_COUNTS,
    total=_COUNTS,
    names=MapType(TEXT, ArrayType(TEXT)),
    line=TEXT,
    contradictions=ArrayType(TEXT),
    unclear=TEXT,
    corrects=FLAG,
)

#: One mail: `kipflow.domain.facts.Message`, field by field.
MESSAGE = _table(
    message_id=TEXT,
    list_id=TEXT,
    month=TEXT,
    source=TEXT,
    arrived_at=TIME,
    arrived_from=TEXT,
    author_name=TEXT,
    author_address=TEXT,
    raw_from=TEXT,
    subject=TEXT,
    reading=READING,
    in_reply_to=TEXT,
    references=ArrayType(TEXT),
    own_text=TEXT,
    expressions=ArrayType(EXPRESSION),
    declared=DECLARED,
    cancels=TEXT,
    digest=TEXT,
    dated_at=TIME,
    address_source=TEXT,
    authentication=TEXT,
    unread=TEXT,
)

#: What the mbox data source gives: a mail, or (`readable` false) where and why there is none.
ITEM = StructType([*MESSAGE.fields, StructField("why", TEXT), StructField("lost", FLAG), StructField("readable", FLAG)])

#: How many mails begin in one byte range of one file.
MAIL_COUNT = _table(path=TEXT, start=COUNT, mails=COUNT)

#: The application's history, as `kipflow.adapters.lake.export_history` writes it.
TRANSITION = _table(
    id=TEXT,
    number=INTEGER,
    position=INTEGER,
    source=TEXT,
    target=TEXT,
    at=TIME,
    rule=TEXT,
    actor=TEXT,
    repeat=INTEGER,
    retracts=ArrayType(TEXT),
)
VOTE = _table(
    key=TEXT,
    number=INTEGER,
    round=INTEGER,
    root_message_id=TEXT,
    opened_at=TIME,
    earliest_close=TIME,
    ended_at=TIME,
    outcome=TEXT,
)
PROPOSAL_MESSAGE = _table(
    number=INTEGER, message_id=TEXT, arrived_at=TIME, author_address=TEXT, kind=TEXT, is_reply=FLAG
)
PROPOSAL = _table(number=INTEGER, title=TEXT)

#: What the metrics job writes.
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
