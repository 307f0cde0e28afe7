"""`up`, `down`, `deliver`, `metrics`: the running system."""

from __future__ import annotations

import os
import subprocess
from collections import Counter
from dataclasses import replace
from datetime import datetime
from pathlib import Path

import click

from kipflow.commands.opening import find_seen_at, open_parts
from kipflow.commands.output import as_of_option, console, format_option, print_rows, progress
from kipflow.config.settings import Settings, read_settings
from kipflow.domain.errors import KipflowError
from kipflow.java import submit_command


@click.command()
@click.argument("name", required=False, metavar="[COMMUNITY]")
@click.option("--wait/--no-wait", default=True, show_default=True, help="Wait for the first runs of the DAGs.")
@click.pass_context
def up(ctx: click.Context, name: str | None, wait: bool) -> int:
    """Start Airflow with its board (and the sandbox), run the DAGs, print the board."""
    if name:
        os.environ["KIPFLOW_COMMUNITY"] = name
    from kipflow import launcher
    from kipflow.commands.status import status

    out = console()
    running = launcher.up(read_settings(), console=out, wait=wait)
    ctx.invoke(status, form="table", brief=True)
    for line in running.describe():
        out.print(line)
    return 1 if running.failed else 0


@click.command()
def down() -> int:
    """Stop everything that `up` started."""
    from kipflow import launcher

    stopped = launcher.down(read_settings())
    console().print(f"stopped {stopped} processes" if stopped else "nothing was running")
    return 0


@click.command()
@click.option("--preview", is_flag=True, help="Print what would be planned, kind by kind; plan and send nothing.")
@as_of_option
def deliver(preview: bool, as_of: datetime | None) -> int:
    """Plan what is due outside, and send what the outbox holds (in dry-run it is only planned).

    What a community wants approved waits for `kipflow review release`.
    """
    from kipflow.adapters.deliverer import ThisProcess
    from kipflow.commands.facts import print_report
    from kipflow.effect_kinds import find_kinds
    from kipflow.services.deliver import deliver as send
    from kipflow.services.effect_kinds.kind import plan_all

    parts = open_parts()
    now = find_seen_at(parts, as_of)
    kinds = find_kinds(parts, now=now)
    if preview:
        for name, kind in kinds.items():
            for line in kind.preview():
                click.echo(f"{name}: {line}")
        return 0
    with progress("planning"):
        planned = plan_all(kinds)
    if not parts.sends:
        print_report(planned)
        console().print("dry-run: nothing is sent (effects.mode of the community, KIPFLOW_DRY_RUN)")
        return 0
    with progress("delivering"):
        sent = send(parts.store, kinds, now=now, by=ThisProcess())
    print_report(replace(sent, warnings=(*planned.warnings, *sent.warnings)))
    newest_first = parts.store.effects(status="pending", limit=None).rows
    waiting = Counter(row.channel for row in newest_first if row.channel not in kinds)
    for channel, count in waiting.items():
        verb = "waits" if count == 1 else "wait"
        console().print(f"{count} {verb}: {_LACKS.get(channel, f'nothing makes {channel} here')}")
    return 1 if sent.counts["failed"] or planned.warnings or waiting else 0


#: Kind of effect → why it is not sent although the community's file asks for it.
_LACKS = {"slack": "KIPFLOW_SLACK_TOKEN is not set", "result": "KIPFLOW_MAIL_TOKEN is not set"}


@click.command()
@as_of_option
@format_option
def metrics(as_of: datetime | None, form: str) -> int:
    """Run the Spark job over the history and print the summary."""
    from kipflow.adapters import lake

    parts = open_parts()
    now = find_seen_at(parts, as_of)
    folder = parts.settings.lake / "metrics"
    with progress("computing metrics") as say:
        say("exporting history")
        lake.export_store(parts.store, folder / "input")
        say("Spark is at work")
        _submit(parts.settings, "lifecycle_metrics", folder, now)
        lake.save_metrics(parts.store, folder / "output", as_of=now, run_id="cli")
        rows = lake.load_metrics(folder / "output")
    print_rows(
        [{"metric": r.name, "of": r.dimension, "value": round(r.value, 2), "unit": r.unit} for r in rows],
        form,
        columns=("metric", "of", "value", "unit"),
    )
    return 0


def _submit(settings: Settings, job: str, folder: Path, now: datetime) -> None:
    """Run a job through spark-submit. If it fails, KipflowError says why, and where its whole output is."""
    arguments = ["--input", str(folder / "input"), "--as-of", now.isoformat(), "--out", str(folder / "output")]
    command, variables = submit_command(settings.home, job, arguments)
    done = subprocess.run(command, env={**os.environ, **variables}, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        log = settings.home / "logs" / f"{job}.log"
        log.parent.mkdir(parents=True, exist_ok=True)
        log.write_text(done.stdout + done.stderr, encoding="utf-8")
        reason = find_reason(job, done.stdout, done.stderr)
        raise KipflowError(f"Spark's {job} failed: {reason[:300]} (all of it: {log})")


def find_reason(job: str, stdout: str, stderr: str) -> str:
    """The line of a failed job's output that best explains the failure.

    spark-submit writes all output of the job to stdout, also its errors; stderr is the JVM's, whose last line is
    usually part of a stack trace.
    """
    said, logged = ([line.strip() for line in text.splitlines() if line.strip()] for text in (stdout, stderr))
    own = [line for line in said if line.startswith(job)]
    choices = (own, _find_errors(logged), _find_errors(said), logged, said)
    return next((lines[-1] for lines in choices if lines), "no output")


def _find_errors(lines: list[str]) -> list[str]:
    """The lines that name an error, without stack frames, which name error classes too."""
    return [line for line in lines if ("Exception" in line or "Error" in line) and not line.startswith("at ")]
