"""Fetch new mail from the archive, and store it.

Months that can no longer change are skipped; for each other month one small request for the archive's statistics
shows whether it changed. Only changed months are fetched. Few new mails are read in process; many (`spark_from` of
the community), or the very first ones, by Spark, with the same functions and the same facts.

A missing, truncated or unreadable month does not fail the run. It is recorded as such, no acceptance is based on
it, and the next poll requests it again. The run fails only if no month can be read.

After an upgrade of the reading rules, stored months are read again from their raw files, some in each run. Mail
that is read differently now corrects history by new entries.

**Emits:** `kip://messages`, if there was any new mail, or mail that is read differently.
"""

from __future__ import annotations

from datetime import UTC, datetime

from airflow.sdk import dag, get_current_context, task
from airflow.sdk.exceptions import AirflowSkipException
from kip_dags import mail
from kip_dags.defaults import describe_dag, often
from kip_dags.parts import log_report, open_parts
from kip_dags.spark import find_batch

from kipflow.services import landing
from kipflow.services.conditions import note_run
from kipflow.services.landing import find_wanted_months


@dag(
    dag_id="kip_poll_threads",
    schedule=often("7 * * * *"),
    user_defined_macros={"batch": find_batch},
    **describe_dag(__doc__, "mail", "spark"),
)
def kip_poll_threads() -> None:
    @task.branch
    def land_changed() -> str:
        """Fetch changed months, and choose how to read them."""
        context, parts = get_current_context(), open_parts()
        note_run(parts.store, datetime.now(UTC))
        archive, config = mail.require_archive(parts)
        with parts.store.begin() as session:
            held = session.mail.load_months()
        wanted, report = find_wanted_months(
            parts.store, archive, parts.community.lists, parts.clock(), since=config.since
        )
        log_report(report)
        if not wanted:
            raise AirflowSkipException("no month changed")
        landed = mail.land(parts, find_batch(context["dag_run"]), wanted)
        many = not held or landing.count_new(landed, held) >= parts.community.spark_from
        return "read_archives" if many else "read_in_process"

    landed, here, stored = land_changed(), mail.read_in_process(), mail.store_read()
    landed >> here
    landed >> mail.read_with_spark() >> stored
    [here, stored] >> mail.announce_messages()
    # independent of the poll: stored mail is read again even while the archive is unavailable
    mail.announce_readings(mail.read_again())


kip_poll_threads()
