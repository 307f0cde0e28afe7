"""The Spark session of kipflow's jobs, with defaults for small machines that spark-submit can override."""

from __future__ import annotations

from pyspark import SparkConf
from pyspark.sql import SparkSession

#: First the settings needed for correct results; the rest makes local starts quick and logs short.
DEFAULTS = {
    "spark.sql.session.timeZone": "UTC",
    # other Parquet readers support this type; Spark's default (INT96) is read without a time zone
    "spark.sql.parquet.outputTimestampType": "TIMESTAMP_MICROS",
    # one pass writes readable and unreadable mail to two folders without sorting whole mails first
    "spark.sql.maxConcurrentOutputFileWriters": "8",
    "spark.sql.shuffle.partitions": "4",
    "spark.sql.adaptive.enabled": "true",
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
    "spark.log.level": "WARN",
}


def open_session(name: str) -> SparkSession:
    """The session of this application; settings of spark-submit override `DEFAULTS`."""
    conf = SparkConf()
    for key, value in DEFAULTS.items():
        conf.setIfMissing(key, value)
    # a name given to spark-submit has precedence; without one it uses the script's file name
    if conf.get("spark.app.name", "").endswith(".py"):
        conf.setAppName(name)
    conf.setIfMissing("spark.app.name", name)
    return SparkSession.builder.config(conf=conf).getOrCreate()
