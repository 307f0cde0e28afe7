"""Tasks shared by the backfill and the poll: from downloaded months to facts in the store."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import chain
from typing import Any

from airflow.sdk import TriggerRule, get_current_context, task
from airflow.sdk.exceptions import AirflowFailException, AirflowSkipException

from kip_dags.defaults import MESSAGES
from kip_dags.parts import log_report, open_parts, skip_unless_new
from kip_dags.spark import Batch, SubmitJob, find_batch, prune_batches
from kipflow.adapters import lake, landingfiles
from kipflow.config.community import ArchiveConfig
from kipflow.services import poll, reread
from kipflow.services.landing import WantedMonth
from kipflow.services.ports import Archive, Landed, Report
from kipflow.wiring import Parts


def require_archive(parts: Parts) -> tuple[Archive, ArchiveConfig]:
    """The community's archive; skips the task if it has none."""
    if parts.archive is None or parts.community.archive is None:
        raise AirflowSkipException(f"community {parts.community.name} has no mail archive")
    return parts.archive, parts.community.archive


def land(parts: Parts, batch: Batch, wanted: Sequence[WantedMonth]) -> list[Landed]:
    """Download months to files and record them for the following tasks. A bad month among good ones fails nothing.

    Raises:
        AirflowFailException: no month could be read. The failures are recorded, and the next poll tries again.
    """
    archive, _ = require_archive(parts)
    raw = parts.settings.raw / parts.community.name
    landed = list(poll.fetch_months(archive, wanted, raw, parts.clock(), on_progress=print))
    landingfiles.save_landing(landed, batch.landing)
    if landed and not any(one.is_given for one in landed):
        read_here(parts, batch)
        why = landed[0].month.why or landed[0].month.status
        raise AirflowFailException(f"none of the {len(landed)} months could be read: {why}")
    landingfiles.save_manifest(landed, batch.manifest, **parts.community.reading)
    return landed


def read_with_spark() -> SubmitJob:
    """Read the batch's mbox files into Parquet."""
    paths = ["--manifest", "{{ batch(dag_run).manifest }}", "--out", "{{ batch(dag_run).written }}"]
    return SubmitJob(task_id="read_archives", job="read_archives", application_args=paths)


@task
def store_read() -> dict[str, int]:
    """Store what Spark read."""
    parts, batch = open_parts(), find_batch(get_current_context()["dag_run"])
    items: Iterator[Any] = chain(lake.read_messages(batch.written), lake.read_unreadable(batch.written))
    landed = landingfiles.load_landing(batch.landing)
    return finish(batch, poll.upsert_read(parts.store, landed, items, seen_at=parts.clock()))


@task
def read_in_process() -> dict[str, int]:
    """Read and store the batch's mbox files in this process: for few mails a JVM start costs more than the work."""
    return read_here(open_parts(), find_batch(get_current_context()["dag_run"]))


@task
def read_again() -> dict[str, int]:
    """Read months again that were read by older rules; one query if there are none."""
    parts = open_parts()
    report = reread.reread(
        parts.store,
        **parts.community.reading,
        seen_at=parts.clock(),
        raw=parts.settings.raw / parts.community.name,
        limit=reread.IN_A_POLL,
        on_progress=print,
    )
    return log_report(report)


@task(outlets=[MESSAGES])
def announce_readings(counts: dict[str, int]) -> int:
    """Emit the asset event for stored mail that is read differently now; skipped if there is none."""
    return skip_unless_new([counts], "new", "read_otherwise")


def read_here(parts: Parts, batch: Batch) -> dict[str, int]:
    """Read and store the downloaded months in this process."""
    landed = landingfiles.load_landing(batch.landing)
    report = poll.read_months(parts.store, landed, **parts.community.reading, seen_at=parts.clock())
    return finish(batch, report)


def finish(batch: Batch, report: Report) -> dict[str, int]:
    """Report a batch's counts, and remove older batches."""
    prune_batches(batch)
    return log_report(report)


@task(outlets=[MESSAGES], trigger_rule=TriggerRule.NONE_FAILED_MIN_ONE_SUCCESS)
def announce_messages() -> int:
    """Emit the asset event for new messages; skipped if there are none."""
    context = get_current_context()
    # as a list of task ids: for a skipped task there is no value, and as an argument Airflow would log an error
    counts = context["ti"].xcom_pull(task_ids=sorted(context["task"].upstream_task_ids))
    return skip_unless_new(counts, "new", "read_otherwise")
