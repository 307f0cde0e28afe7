"""Ask the mail archive what is new, and store it.

Months that can no longer change are not asked for; for the others the archive's statistics say, in one
small request each, whether they changed. Only changed months are fetched. Few new mails are read in process,
many (`spark_from` of the community), or the very first ones, by Spark: the same functions, the same facts.

A month that is missing, truncated or unreadable fails nothing. It is noted as such, no acceptance rests
on it, and the next poll asks for it again. Only where no month at all can be read the run fails.

After an upgrade whose rules read mail better, stored months are read again from their raw files, some of
them in each run. What reads otherwise now corrects history by new entries.

**Emits:** `kip://messages`, if there was any new mail, or mail that reads otherwise.
"""

from __future__ import annotations

from datetime import UTC, datetime

from airflow.sdk import dag, get_current_context, task
from airflow.sdk.exceptions import AirflowSkipException
from kip_dags import mail
from kip_dags.batches import find_batch
from kip_dags.defaults import describe_dag, often
from kip_dags.parts import open_parts
from kip_dags.reports import log_report

from kipflow.services import landing
from kipflow.services.conditions import note_run
from kipflow.services.wanted_months import find_wanted_months


@dag(
    dag_id="kip_poll_threads",
    schedule=often("7 * * * *"),
    user_defined_macros={"batch": find_batch},
    **describe_dag(__doc__, "mail", "spark"),
)
def kip_poll_threads() -> None:
    @task.branch
    def land_changed() -> str:
        """Fetch what changed, and choose how to read it."""
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
    # a branch of its own: an archive that is away keeps no stored mail from being read again
    mail.announce_readings(mail.read_again())


kip_poll_threads()
