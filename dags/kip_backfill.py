"""Read a range of months from the mail archive, through Spark.

Run it by hand, once for a new community and again for months that must be read again. It downloads every
month of the range as an mbox file, has Spark read the files into messages (Parquet), and stores the new
ones. Reading a month twice adds nothing.

**Parameters:** `first` and `last` month ("2024-01"). Default: from the community's `archive.since` to now.

**Emits:** `kip://messages`, if there was any new mail.
"""

from __future__ import annotations

from datetime import timedelta

from airflow.sdk import Param, dag, get_current_context, task
from airflow.sdk.exceptions import AirflowFailException
from kip_dags import mail
from kip_dags.defaults import describe_dag
from kip_dags.parts import open_parts
from kip_dags.spark import find_batch

from kipflow.services.landing import WrongRange, wanted_range

MONTH = {"type": ["null", "string"], "pattern": r"^\d{4}-(0[1-9]|1[0-2])$"}


@dag(
    dag_id="kip_backfill",
    schedule=None,
    params={
        "first": Param(
            None, title="First month", description="2024-01; empty: where the archive's `since` is", **MONTH
        ),
        "last": Param(None, title="Last month", description="2024-12; empty: the current month", **MONTH),
    },
    user_defined_macros={"batch": find_batch},
    **describe_dag(__doc__, "mail", "spark", timeout=timedelta(hours=12)),
)
def kip_backfill() -> None:
    @task(execution_timeout=timedelta(hours=6))
    def land_range() -> int:
        """Fetch every month of the range. Returns the number of readable ones."""
        context, parts = get_current_context(), open_parts()
        _, config = mail.require_archive(parts)
        params = context["params"]
        first, last = params["first"] or config.since, params["last"] or f"{parts.clock():%Y-%m}"
        try:
            wanted = wanted_range(parts.community.lists, first, last, as_of=parts.clock())
        except WrongRange as error:
            raise AirflowFailException(str(error)) from None  # a retry would be refused too
        landed = mail.land(parts, find_batch(context["dag_run"]), wanted)
        return sum(one.file is not None for one in landed)

    land_range() >> mail.read_with_spark() >> mail.store_read() >> mail.announce_messages()


kip_backfill()
