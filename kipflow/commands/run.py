"""`up`, `down`, `deliver`, `metrics`: the running system."""

from __future__ import annotations

from datetime import datetime

import click

from kipflow.commands.output import as_of_option, console, format_option, print_rows, progress
from kipflow.settings import read_settings


@click.command()
@click.argument("name", required=False, metavar="[COMMUNITY]")
def up(name: str | None) -> int:
    """Start Airflow with its board (and the sandbox), run the DAGs, print the board."""
    import os

    if name:
        os.environ["KIPFLOW_COMMUNITY"] = name
    from kipflow import launcher

    launcher.up(read_settings())
    return 0


@click.command()
def down() -> int:
    """Stop everything that `up` started."""
    from kipflow import launcher

    launcher.down(read_settings())
    return 0


@click.command()
@as_of_option
def deliver(as_of: datetime | None) -> int:
    """Send what the outbox holds (nothing, where the community is in dry-run)."""
    from kipflow.commands.facts import print_report
    from kipflow.services.deliver import deliver as send
    from kipflow.wiring import connect, find_handlers, secrets_from_environment

    parts = connect(read_settings(), secrets=secrets_from_environment())
    parts.store.prepare()
    if not parts.sends:
        console().print("dry-run: nothing is sent (effects.mode of the community, KIPFLOW_DRY_RUN)")
        return 0
    with progress("delivering"):
        report = send(parts.store, find_handlers(parts), now=as_of or parts.clock())
    print_report(report)
    return 1 if report.counts["failed"] else 0


@click.command()
@as_of_option
@format_option()
def metrics(as_of: datetime | None, form: str) -> int:
    """Run the Spark job over the history and print the summary."""
    from kipflow.services.metrics import export_and_compute
    from kipflow.spark_submit import submit_metrics
    from kipflow.wiring import connect

    parts = connect(read_settings())
    parts.store.prepare()
    now = as_of or parts.clock()
    with progress("running Spark"):
        rows = export_and_compute(parts, submit_metrics, as_of=now)
    print_rows(
        [{"metric": r.name, "of": r.dimension, "value": r.value, "unit": r.unit} for r in rows],
        form,
        columns=("metric", "of", "value", "unit"),
    )
    return 0
