"""`advance` and `replay`: decide, and prove what was decided."""

from __future__ import annotations

from datetime import datetime

import click

from kipflow.commands.now import find_now
from kipflow.commands.output import UtcTime, as_of_option, console, format_option, print_rows, progress
from kipflow.settings import load_community, read_settings
from kipflow.wiring import connect, effect_rules


@click.command()
@as_of_option
@click.option("--dry-run", is_flag=True, help="Show what would be recorded; record nothing.")
@format_option()
def advance(as_of: datetime | None, dry_run: bool, form: str) -> int:
    """Decide and record transitions of every proposal that could have changed."""
    from kipflow.services.advance import advance_one, find_candidates, preview

    parts = connect(read_settings())
    parts.store.migrate()
    now = find_now(parts, as_of)
    rules = effect_rules(parts)
    rows: list[dict[str, object]] = []
    with progress("deciding") as say:
        numbers = find_candidates(parts.store, now)
        for done, number in enumerate(numbers, 1):
            say(f"{done} of {len(numbers)}")
            if dry_run:
                appended = preview(parts.store, number, policy=parts.policy, as_of=now)[1]
            else:
                result = advance_one(parts.store, number, policy=parts.policy, effects=rules, as_of=now, run_id="cli")
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
@click.option("--policy", "other", metavar="NAME|FILE", help="Compare with the policy of this community instead.")
@format_option()
def replay(start: datetime | None, end: datetime | None, other: str | None, form: str) -> int:
    """Rebuild history from facts and compare with what is stored, or with another policy."""
    from kipflow.services import replay as service

    settings = read_settings()
    parts = connect(settings)
    parts.store.migrate()
    until = find_now(parts, end)
    with progress("replaying") as say:
        if other is None:
            report = service.replay(
                parts.store,
                policy=parts.policy,
                start=start,
                end=until,
                on_progress=lambda done, total: say(f"{done} of {total}"),
            )
        else:
            policy = load_community(other, settings.config).as_policy()
            report = service.compare_policies(parts.store, policy=parts.policy, other=policy, end=until)
    label = "rebuilt" if other is None else "under_the_other_policy"
    rows = [
        {"proposal": f"{parts.community.prefix}-{d.number}", "stored": d.stored, label: d.rebuilt}
        for d in report.differences
    ]
    print_rows(rows, form, columns=("proposal", "stored", label))
    console(stderr=True).print(
        f"{report.proposals} proposals, {report.transitions} transitions rebuilt, {len(rows)} differ"
    )
    return 1 if rows else 0
