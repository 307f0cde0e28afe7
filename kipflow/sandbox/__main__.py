"""Start the sandbox: `python -m kipflow.sandbox --port 8765`. It listens on the loopback address only."""

from __future__ import annotations

import argparse
import sys
import time
from datetime import UTC, datetime
from pathlib import Path

import uvicorn

from kipflow.domain.times import as_utc
from kipflow.sandbox.app import create_app


def main(arguments: list[str] | None = None) -> int:
    """Serve until stopped. Returns 2 if an argument is invalid."""
    given = vars(_parser().parse_args(arguments))
    port = given.pop("port")
    given["now"] = given["now"] or datetime.now(UTC)
    try:
        app = create_app(**{**given, "anchor": given["anchor"] or given["now"]}, ticks=time.monotonic)
    except (ValueError, OSError) as error:
        print(f"sandbox: {error}", file=sys.stderr)
        return 2
    uvicorn.run(app, host="127.0.0.1", port=port, log_level="warning", access_log=False)
    return 0


def _parser() -> argparse.ArgumentParser:
    """Each argument except `--port` is the parameter of `create_app` with the same name."""
    parser = argparse.ArgumentParser(prog="python -m kipflow.sandbox", description="A small community in a box.")
    add = parser.add_argument
    add("--port", type=int, default=8765)
    add("--now", type=_moment, help="the sandbox's time at start, ISO 8601 (default: now)")
    add("--anchor", type=_moment, help="the moment the story is played relative to (default: --now)")
    add("--speed", type=float, default=1.0, help="sandbox seconds per second")
    add("--faults", default="", help='rules such as "429 /api/mbox.lua x2 retry-after=1; 500 /jira"')
    add("--slack-burst", type=int, default=40, help="messages that a channel accepts before it is rate limited")
    add("--memory", type=Path, help="a file that preserves visitors' changes across restarts")
    add("--mail-port", type=int, help="accept mail for the list by SMTP at this port (default: none)")
    return parser


def _moment(text: str) -> datetime:
    try:
        return as_utc(datetime.fromisoformat(text))
    except ValueError:
        raise argparse.ArgumentTypeError(f"not an ISO 8601 moment: {text!r}") from None


if __name__ == "__main__":
    sys.exit(main())
