"""The program behind the buttons in Slack: `python -m kipflow.launcher.slackapp`, until it is stopped.

`KIPFLOW_SLACK_APP_TOKEN` is the app's token (xapp-…), `KIPFLOW_SLACK_TOKEN` the bot's. Airflow's audit log is in the
database that Airflow's own variable names.
"""

from __future__ import annotations

import json
import logging
import os
import signal
import sys
import threading
from collections.abc import Mapping
from datetime import UTC, datetime

import sqlalchemy as sa

from kipflow.adapters.airflowdb import open_audit
from kipflow.adapters.slackapp import SlackApp
from kipflow.config.settings import read_settings
from kipflow.domain.errors import KipflowError
from kipflow.services.ports import Audit, Press
from kipflow.services.presses import settle_press
from kipflow.wiring import Parts, connect, open_desk
from kipflow.wiring.environment import secrets_from_environment

log = logging.getLogger(__name__)

#: The variable with the app's token.
APP_TOKEN = "KIPFLOW_SLACK_APP_TOKEN"  # noqa: S105 - the name of a variable
AIRFLOW_DATABASE = "AIRFLOW__DATABASE__SQL_ALCHEMY_CONN"


def open_app(parts: Parts, environment: Mapping[str, str]) -> SlackApp | None:
    """The app of a community; None if it has no buttons or no tokens for them."""
    slack, app_token = parts.community.slack, environment.get(APP_TOKEN)
    token = secrets_from_environment(environment).slack
    if slack is None or not slack.buttons or not app_token or not token:
        return None
    people, audit = dict(slack.buttons), find_audit(environment)

    def settle(press: Press) -> str:
        nonlocal parts
        if parts.are_outdated:  # the roster changed: it says whose votes bind
            parts.store.close()
            parts = connect(parts.settings, secrets=secrets_from_environment(environment))
        return settle_press(open_desk(parts), press, people, at=parts.clock(), audit=audit)

    return SlackApp(slack.url, app_token=app_token, token=token, settle=settle)


def find_audit(environment: Mapping[str, str]) -> Audit:
    """Airflow's audit log; if its database is not known, this program's log."""
    address = environment.get(AIRFLOW_DATABASE)
    if address:
        return open_audit(sa.create_engine(address, pool_pre_ping=True).begin, lambda: datetime.now(UTC))
    log.warning(
        "%s is not set: what is settled in Slack is noted here, and not in Airflow's audit log", AIRFLOW_DATABASE
    )
    return lambda author, act, values: log.info("%s: %s %s", author, act, json.dumps(dict(values), default=str))


def main() -> int:
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(levelname)s %(message)s")
    try:
        parts = connect(read_settings(), secrets=secrets_from_environment())
        app = open_app(parts, os.environ)
    except KipflowError as error:
        print(error, file=sys.stderr)
        return 2
    if app is None:
        print(f"no buttons in Slack: that takes slack.buttons, {APP_TOKEN} and KIPFLOW_SLACK_TOKEN", file=sys.stderr)
        return 0
    stopped = threading.Event()
    for name in (signal.SIGTERM, signal.SIGINT):
        signal.signal(name, lambda *_: stopped.set())
    listen(app, stopped)
    app.close()
    return 0


def listen(app: SlackApp, stopped: threading.Event, *, pause: float = 60.0) -> None:
    """Listen until stopped. While Slack refuses the connection (a revoked token, say), log why once a minute."""
    while not stopped.is_set():
        try:
            app.connect()
        except KipflowError as error:
            log.warning("no buttons in Slack: %s", error)
            stopped.wait(pause)
        else:
            log.info("listening for buttons")
            stopped.wait()


if __name__ == "__main__":
    sys.exit(main())
