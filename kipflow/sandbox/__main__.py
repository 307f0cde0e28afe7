"""Start the sandbox: `python -m kipflow.sandbox --port 8765`. It listens on the loopback address only."""

from __future__ import annotations

import argparse
import sys
import time
from datetime import UTC, datetime
from pathlib import Path

import uvicorn

from kipflow.sandbox.app import Options, create_app


def main(arguments: list[str] | None = None) -> int:
    """Serve until stopped. Returns 2 where an argument makes no sense."""
    given = _parser().parse_args(arguments)
    now = given.now or datetime.now(UTC)
    try:
        options = Options(
            anchor=given.anchor or now,
            now=now,
            seed=given.seed,
            speed=given.speed,
            list_id=given.list.lower(),
            project=given.jira_project,
            index_page=given.index_page,
            mbox_folder=given.mbox_dir,
            faults=given.faults,
            slack_burst=given.slack_burst,
            memory=given.memory,
        )
        app = create_app(options, ticks=time.monotonic)
    except (ValueError, OSError) as error:
        print(f"sandbox: {error}", file=sys.stderr)
        return 2
    uvicorn.run(app, host="127.0.0.1", port=given.port, log_level="warning", access_log=given.access_log)
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m kipflow.sandbox", description="A small community in a box.")
    parser.add_argument("--port", type=int, default=8765)
    parser.add_argument("--seed", type=int, default=7, help="which story is told (same seed, same bytes)")
    parser.add_argument("--now", type=_moment, help="the sandbox's time at start, ISO 8601 (default: now)")
    parser.add_argument("--anchor", type=_moment, help="the moment the story is told relative to (default: --now)")
    parser.add_argument("--speed", type=float, default=1.0, help="sandbox seconds per second")
    parser.add_argument("--list", default="dev@sandbox.example", help="the list's address")
    parser.add_argument("--jira-project", default="SAND")
    parser.add_argument("--index-page", default="1000", help="id of the index page")
    parser.add_argument(
        "--mbox-dir", type=Path, help="serve these real months (YYYY-MM.mbox) instead of the story's mails"
    )
    parser.add_argument("--faults", default="", help='rules such as "429 /api/mbox.lua x2 retry-after=1; 500 /jira"')
    parser.add_argument("--slack-burst", type=int, default=40, help="messages a channel takes before it asks to wait")
    parser.add_argument("--memory", type=Path, help="a file that keeps saved pages and posts over a restart")
    parser.add_argument("--access-log", action="store_true")
    return parser


def _moment(text: str) -> datetime:
    try:
        moment = datetime.fromisoformat(text.replace("Z", "+00:00"))
    except ValueError:
        raise argparse.ArgumentTypeError(f"not an ISO 8601 moment: {text!r}") from None
    return moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment.astimezone(UTC)


if __name__ == "__main__":
    sys.exit(main())
