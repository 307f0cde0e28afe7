"""Compute lifecycle metrics with Spark: stage durations, throughput, open votes, first replies.

The history is exported to Parquet, `spark/jobs/lifecycle_metrics.py` processes it through spark-submit, and
the summary is stored for the board. The result tables remain as Parquet files.

Runs after new history, and every night, because open votes and silences age without any event.
"""

from __future__ import annotations

from datetime import datetime

from airflow.sdk import AssetOrTimeSchedule, dag, get_current_context, task
from kip_dags.defaults import TRANSITIONS, describe_dag, every
from kip_dags.parts import find_as_of, log_report, open_parts
from kip_dags.spark import SubmitJob, find_batch, prune_batches

from kipflow.adapters import lake


@dag(
    dag_id="kip_lifecycle_metrics",
    schedule=AssetOrTimeSchedule(timetable=every("40 3 * * *"), assets=TRANSITIONS),
    user_defined_macros={"batch": find_batch},
    **describe_dag(__doc__, "metrics", "spark"),
)
def kip_lifecycle_metrics() -> None:
    @task
    def export_history() -> str:
        """Write the history as Parquet. Returns the time as of which the metrics are computed."""
        context, parts = get_current_context(), open_parts()
        lake.export_store(parts.store, find_batch(context["dag_run"]).exported)
        return find_as_of(context, parts).isoformat()

    @task
    def save_metrics(as_of: str) -> dict[str, int]:
        """Store the job's summary."""
        dag_run, parts = get_current_context()["dag_run"], open_parts()
        batch = find_batch(dag_run)
        report = lake.save_metrics(
            parts.store, batch.written, as_of=datetime.fromisoformat(as_of), run_id=dag_run.run_id
        )
        prune_batches(batch)
        return log_report(report)

    as_of = export_history()
    computed = SubmitJob(
        task_id="compute_metrics",
        job="lifecycle_metrics",
        application_args=[
            *("--input", "{{ batch(dag_run).exported }}"),
            *("--as-of", "{{ ti.xcom_pull(task_ids='export_history') }}"),
            *("--out", "{{ batch(dag_run).written }}"),
        ],
    )
    as_of >> computed >> save_metrics(as_of)


kip_lifecycle_metrics()
