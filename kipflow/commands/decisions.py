"""`advance` and `replay`: decide, and verify decisions."""

from __future__ import annotations

from contextlib import closing
from datetime import datetime

import click

from kipflow.commands.invocation import with_program
from kipflow.commands.opening import find_now, open_parts
from kipflow.commands.output import UtcTime, as_of_option, console, format_option, print_rows, progress
from kipflow.commands.sayings import find_facts, render_evidence, say_evidence
from kipflow.config.loading import load_community
from kipflow.config.settings import read_settings
from kipflow.domain.events import Transition
from kipflow.domain.records import pick_fields
from kipflow.domain.texts import say_count
from kipflow.domain.times import say_moment
from kipflow.services import replay as service
from kipflow.services.advance import advance_one, find_candidates, preview
from kipflow.wiring import Parts, connect_with_rules, effect_rules


@click.command()
@as_of_option
@click.option("--dry-run", is_flag=True, help="Show what would be recorded; record nothing.")
@format_option
def advance(as_of: datetime | None, dry_run: bool, form: str) -> int:
    """Decide and record transitions of every proposal that could have changed.

    A proposal that was decided as of a later time is left alone: what was so before is in its history
    (`kipflow status --as-of TIME`).
    """
    parts = open_parts()
    now = find_now(parts)
    at = as_of or now
    rules = effect_rules(parts)
    rows: list[dict[str, object]] = []
    warned = 0
    with progress("deciding") as say:
        numbers = _find_undecided(parts, at)
        for done, number in enumerate(numbers, 1):
            say(f"{done} of {len(numbers)}")
            if dry_run:
                appended = preview(parts.store, number, policy=parts.policy, as_of=at, now=now)[1]
            else:
                result = advance_one(
                    parts.store, number, policy=parts.policy, effects=rules, as_of=at, now=now, run_id="cli"
                )
                appended = list(result.appended)
                warned += result.warning is not None
            rows.extend(_describe_move(t, parts.community.prefix) for t in appended)
    print_rows(rows, form, columns=("proposal", "at", "from", "to", "rule", "evidence"))
    verb = "would be recorded" if dry_run else "recorded"
    summary = [f"{say_count(len(numbers), 'proposal')} decided", f"{say_count(len(rows), 'transition')} {verb}"]
    if warned:
        authors = say_count(warned, "author")
        summary.append(
            f"{authors} to be warned of dormancy"
            if rules.sends
            else f"{authors} would be warned of dormancy (dry-run: nobody was)"
        )
    console(stderr=True).print(", ".join(summary))
    newest = parts.store.overview(now).last_decision
    if newest is not None and at < newest and as_of is not None:
        console(stderr=True).print(
            f"what was decided as of a later time (the newest: {say_moment(newest)}) is left alone: "
            f"`kipflow status --as-of {as_of:%Y-%m-%dT%H:%M}` shows what was so then"
        )
    return 0


def _find_undecided(parts: Parts, at: datetime) -> list[int]:
    """The proposals that could have changed by then, except those decided as of a later time."""
    numbers = find_candidates(parts.store, at)
    with parts.store.read() as session:
        decided = {number: session.history.load_decided_at(number) for number in numbers}
    return [number for number, last in decided.items() if last is None or last <= at]


def _describe_move(move: Transition, prefix: str) -> dict[str, object]:
    return {
        "proposal": f"{prefix}-{move.number}",
        **pick_fields(move, "number", "at"),
        "from": move.source or "",
        "to": move.target,
        "rule": move.rule,
        "evidence": say_evidence(move),
        "facts": render_evidence(find_facts(move.evidence)),
        "retracts": list(move.retracts),
        "policy": move.policy_version,
    }


@click.command()
@click.option("--from", "start", type=UtcTime(), metavar="TIME", help="Compare what happened from then on.")
@click.option("--to", "end", type=UtcTime(), metavar="TIME", help="Compare up to this time (default: now).")
@click.option("--policy", "policy", metavar="NAME|FILE", help="What this community's policy would have made of it.")
@click.option("--community", "other", metavar="NAME|FILE", help="The same, with that community's roster as well.")
@format_option
def replay(start: datetime | None, end: datetime | None, policy: str | None, other: str | None, form: str) -> int:
    """Rebuild history from the stored facts and prove it equal to what is stored.

    Each entry that differs is a line. With --policy or --community: which proposals would have ended
    differently under those rules, or at another time, and why. Exit code 0: equal; 1: it differs.
    """
    if policy and other:
        raise click.UsageError("--policy and --community exclude each other")
    if start is not None and end is not None and end < start:
        raise click.UsageError("--to is before --from")
    settings = read_settings()
    parts = open_parts()
    until = find_now(parts, end)
    with progress("replaying") as say:

        def show_progress(done: int, total: int) -> None:
            say(f"{done} of {total} proposals")

        if policy or other:
            rules = load_community(policy or other or "", settings.config)
            with closing(connect_with_rules(parts, rules, with_roster=other is not None)) as theirs:
                report = service.compare_rules(
                    parts.store,
                    theirs,
                    policy=parts.policy,
                    other_policy=rules.as_policy(),
                    start=start,
                    end=until,
                    on_progress=show_progress,
                )
        else:
            report = service.replay(parts.store, policy=parts.policy, start=start, end=until, on_progress=show_progress)
    return _print_differences(parts.community.prefix, report, form, _POLICY_COLUMNS if policy or other else _COLUMNS)


def _print_differences(prefix: str, report: service.ReplayReport, form: str, columns: tuple[str, ...]) -> int:
    rows = [
        dict(zip(columns, (f"{prefix}-{d.number}", d.entry, d.stored, d.rebuilt, with_program(d.why)), strict=True))
        for d in report.differences
    ]
    print_rows(rows, form, columns=columns)
    differing = len({d.number for d in report.differences})
    verdict = "all as stored" if columns is _COLUMNS else "none would have ended differently"
    if differing:
        verdict = f"{differing} differ" if columns is _COLUMNS else f"{differing} would have ended differently"
    console(stderr=True).print(
        f"{say_count(report.proposals, 'proposal')}, {say_count(report.transitions, 'transition')} rebuilt: {verdict}",
    )
    return 1 if rows else 0


_COLUMNS = ("proposal", "entry", "stored", "rebuilt", "why")
_POLICY_COLUMNS = ("proposal", "differs", "ends", "would_end", "why")
