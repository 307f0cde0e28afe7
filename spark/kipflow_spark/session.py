"""The Spark session of kipflow's jobs, with defaults for small machines that a submit can override."""

from __future__ import annotations

from pyspark import SparkConf
from pyspark.sql import SparkSession

#: What a job needs to be right comes first; the rest makes a local start quick and its log short.
DEFAULTS = {
    "spark.sql.session.timeZone": "UTC",
    # other readers of Parquet know this type; Spark's own default (INT96) is read without a time zone
    "spark.sql.parquet.outputTimestampType": "TIMESTAMP_MICROS",
    # lets one pass write readable and unreadable mail to two folders without sorting whole mails first
    "spark.sql.maxConcurrentOutputFileWriters": "8",
    "spark.sql.shuffle.partitions": "4",
    "spark.sql.adaptive.enabled": "true",
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
    "spark.log.level": "WARN",
}


def open_session(name: str) -> SparkSession:
    """The session of this application: what spark-submit was given wins over `DEFAULTS`."""
    conf = SparkConf()
    for key, value in DEFAULTS.items():
        conf.setIfMissing(key, value)
    # a name given to spark-submit is kept too; without one it fills in the script's file name
    if conf.get("spark.app.name", "").endswith(".py"):
        conf.setAppName(name)
    conf.setIfMissing("spark.app.name", name)
    return SparkSession.builder.config(conf=conf).getOrCreate()
