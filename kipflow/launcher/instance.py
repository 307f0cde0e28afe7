"""The running instance, for later commands; stored in `run/instance.json`."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from kipflow.adapters.private import write_private
from kipflow.config.settings import Settings
from kipflow.domain.records import from_plain, pick_fields
from kipflow.launcher.layout import ADMIN, VIEWER, Layout, find_layout, load_credentials
from kipflow.launcher.processes import load_services


@dataclass(frozen=True, slots=True, kw_only=True)
class Running:
    """Where a running instance is and how to log in.

    `variables` are the environment variables by which the community's file finds the sandbox; `was_running`: nothing
    had to be started; `failed` has one line for each DAG that failed.
    """

    community: str
    ui_url: str
    sandbox_url: str | None = None
    variables: Mapping[str, str] = field(default_factory=dict)
    passwords: Mapping[str, str] = field(default_factory=dict, repr=False)
    was_running: bool = False
    failed: tuple[str, ...] = ()

    def describe(self) -> list[str]:
        """For a person: what failed, where everything is, how to log in and how to stop."""
        sandbox = [f"Sandbox:  {self.sandbox_url}  (its mail, wiki, tickets and Slack)"] if self.sandbox_url else []
        return [
            *(f"FAILED    {line}" for line in self.failed),
            f"Board:    {self.ui_url}/kipflow/  (in Airflow's navigation: Proposals)",
            f"Airflow:  {self.ui_url}",
            f"Log in:   {ADMIN} / {self.passwords[ADMIN]}   to look only: {VIEWER} / {self.passwords[VIEWER]}",
            *sandbox,
            "Stop:     make stop" + ("   (it was running already)" if self.was_running else ""),
        ]


def save_running(layout: Layout, running: Running) -> None:
    """Store the instance for later commands, without its passwords."""
    kept = pick_fields(running, "community", "ui_url", "sandbox_url", "variables")
    write_private(layout.run / "instance.json", json.dumps(kept).encode())


def find_running(settings: Settings) -> Running | None:
    """The instance running in this home, of any community; None if one of its programs has ended."""
    layout = find_layout(settings)
    try:
        running = from_plain(Running, json.loads((layout.run / "instance.json").read_text(encoding="utf-8")))
    except (OSError, ValueError, TypeError):
        return None
    services = load_services(layout)
    if not services or not all(service.is_alive for service in services):
        return None
    return replace(running, passwords=load_credentials(layout.secrets).passwords, was_running=True)
