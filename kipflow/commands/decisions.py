"""`advance` and `replay`: decide, and prove what was decided."""

from __future__ import annotations

from datetime import datetime

import click

from kipflow.commands.now import find_now
from kipflow.commands.output import UtcTime, as_of_option, console, format_option, print_rows, progress
from kipflow.settings import load_community, read_settings
from kipflow.wiring import connect, connect_with_rules, effect_rules


@click.command()
@as_of_option
@click.option("--dry-run", is_flag=True, help="Show what would be recorded; record nothing.")
@format_option()
def advance(as_of: datetime | None, dry_run: bool, form: str) -> int:
    """Decide and record transitions of every proposal that could have changed."""
    from kipflow.services.advance import advance_one, find_candidates, preview

    parts = connect(read_settings())
    parts.store.migrate()
    now = find_now(parts)
    at = as_of or now
    rules = effect_rules(parts)
    rows: list[dict[str, object]] = []
    with progress("deciding") as say:
        numbers = find_candidates(parts.store, at)
        for done, number in enumerate(numbers, 1):
            say(f"{done} of {len(numbers)}")
            if dry_run:
                appended = preview(parts.store, number, policy=parts.policy, as_of=at)[1]
            else:
                result = advance_one(
                    parts.store, number, policy=parts.policy, effects=rules, as_of=at, now=now, run_id="cli"
                )
                appended = list(result.appended)
            rows.extend(
                {
                    "proposal": f"{parts.community.prefix}-{number}",
                    "at": t.at,
                    "from": t.source or "",
                    "to": t.target,
                    "rule": t.rule,
                    "evidence": t.evidence[0].line if t.evidence else "",
                }
                for t in appended
            )
    print_rows(rows, form, columns=("proposal", "at", "from", "to", "rule", "evidence"))
    verb = "would be recorded" if dry_run else "recorded"
    console(stderr=True).print(f"{len(numbers)} proposals decided, {len(rows)} transitions {verb}")
    return 0


@click.command()
@click.option("--from", "start", type=UtcTime(), default=None, metavar="TIME", help="Compare from this time on.")
@click.option("--to", "end", type=UtcTime(), default=None, metavar="TIME", help="Compare up to this time.")
@click.option("--policy", "policy", metavar="NAME|FILE", help="What this community's policy would have made of it.")
@click.option("--community", "other", metavar="NAME|FILE", help="The same, with that community's roster as well.")
@format_option()
def replay(start: datetime | None, end: datetime | None, policy: str | None, other: str | None, form: str) -> int:
    """Rebuild history from the stored facts and prove it equal to what is stored.

    With --policy or --community: which proposals would have ended differently under those rules, and why.
    """
    from kipflow.services import replay as service

    if policy and other:
        raise click.UsageError("--policy and --community exclude each other")
    if (policy or other) and start is not None:
        raise click.UsageError("--from is for comparing with what is stored; other rules are compared by their ends")
    if start is not None and end is not None and end < start:
        raise click.UsageError("--to is before --from")
    settings = read_settings()
    parts = connect(settings)
    parts.store.migrate()
    until = find_now(parts, end)
    with progress("replaying") as say:

        def tell(done: int, total: int) -> None:
            say(f"{done} of {total} proposals")

        if policy or other:
            rules = load_community(policy or other or "", settings.config)
            theirs = connect_with_rules(parts, rules, with_roster=other is not None)
            try:
                report = service.compare_rules(
                    parts.store,
                    theirs,
                    policy=parts.policy,
                    other_policy=rules.as_policy(),
                    end=until,
                    on_progress=tell,
                )
            finally:
                theirs.close()
        else:
            report = service.replay(parts.store, policy=parts.policy, start=start, end=until, on_progress=tell)
    columns = ("proposal", "differs", "ends", "would_end", "why") if policy or other else _REPLAY_COLUMNS
    rows = [
        dict(zip(columns, (f"{parts.community.prefix}-{d.number}", d.entry, d.stored, d.rebuilt, d.why), strict=True))
        for d in report.differences
    ]
    print_rows(rows, form, columns=columns)
    verdict = "would have ended differently" if policy or other else "differ" if rows else "all as stored"
    differing = len({d.number for d in report.differences})
    console(stderr=True).print(
        f"{report.proposals} proposals, {report.transitions} transitions rebuilt, "
        + (f"{differing} {verdict}" if rows or policy or other else verdict)
    )
    return 1 if rows else 0


_REPLAY_COLUMNS = ("proposal", "entry", "stored", "rebuilt", "why")
