"""The Slack connection is that of Airflow's provider: its own hook reaches the workspace that kipflow posts to."""

from __future__ import annotations

from pathlib import Path

import pytest

from kipflow.config.loading import load_community
from kipflow.config.settings import read_settings
from kipflow.launcher.environment import SANDBOX_TOKEN, _connections
from kipflow.launcher.layout import find_layout
from tests.integration.conftest import running_sandbox

pytestmark = [pytest.mark.airflow, pytest.mark.integration]


def test_the_providers_hook_and_ours_find_the_same_workspace(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from airflow.providers.slack.hooks.slack import SlackHook
    from kip_dags.parts import _find_token

    with running_sandbox() as url:
        variables = {"KIPFLOW_SANDBOX_URL": url, "KIPFLOW_HOME": str(tmp_path), "KIPFLOW_COMMUNITY": "sandbox"}
        for name, value in variables.items():
            monkeypatch.setenv(name, value)
        settings = read_settings()
        layout = find_layout(settings)
        for name, value in _connections(settings, load_community("sandbox"), layout, {}).items():
            monkeypatch.setenv(name, value)
        assert SlackHook(slack_conn_id="slack_default").client.auth_test()["team"] == "Sandbox"
        assert _find_token("slack_default") == SANDBOX_TOKEN
