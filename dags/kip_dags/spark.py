"""Spark jobs as tasks, each in its own process, one at a time."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import timedelta
from typing import Any

from airflow.providers.apache.spark.operators.spark_submit import SparkSubmitOperator

from kipflow.config.settings import read_settings
from kipflow.java import DRIVER_MEMORY, POOL, submit_arguments


class SubmitJob(SparkSubmitOperator):
    """Runs one of `spark/jobs` through spark-submit at the connection `spark_default`.

    Java and the code for executors are found when the task runs, because that starts programs, which must
    not happen when a DAG file is parsed.
    """

    def __init__(self, *, job: str, **kwargs: Any) -> None:
        defaults = {"driver_memory": DRIVER_MEMORY, "retries": 1, "execution_timeout": timedelta(hours=1)}
        fixed = {"name": f"kipflow-{job}", "pool": POOL, "conn_id": "spark_default", "durable": False}
        super().__init__(**{**defaults, **fixed, **kwargs})
        self.job = job

    def execute(self, context: Mapping[str, Any]) -> Any:
        job = submit_arguments(read_settings().home, self.job)
        self.application, self.py_files = job["application"], job["py_files"]
        self.env_vars, self.conf = job["env_vars"], job["conf"]
        return super().execute(context)
