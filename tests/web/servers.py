"""Servers for tests: an app by itself, and Airflow with the board in it. Both leave nothing behind."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import httpx
import uvicorn
from fastapi import FastAPI

from tests.ports import find_free_port

if TYPE_CHECKING:
    from playwright.sync_api import Page

ROOT = Path(__file__).resolve().parents[2]
PASSWORDS = {"admin": "admin-of-tests", "viewer": "viewer-of-tests"}


@contextmanager
def serve(app: FastAPI) -> Iterator[str]:
    """The app in a thread of its own; gives its address."""
    server = uvicorn.Server(uvicorn.Config(app, port=find_free_port(), log_level="warning"))
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    deadline = time.monotonic() + 30
    try:
        while not server.started:
            if not thread.is_alive() or time.monotonic() > deadline:
                raise RuntimeError("the server did not start")
            time.sleep(0.02)
        yield f"http://127.0.0.1:{server.config.port}"
    finally:
        server.should_exit = True
        thread.join(timeout=10)


@contextmanager
def serve_airflow(home: Path, variables: dict[str, str]) -> Iterator[str]:
    """Airflow's API server with this repository's plugins and its own auth manager; gives its address."""
    port = find_free_port()
    address = f"http://127.0.0.1:{port}"
    environment = {**_clean_environment(), **_airflow_environment(home, port, address), **variables}
    airflow = str(Path(sys.executable).with_name("airflow"))
    subprocess.run([airflow, "db", "migrate"], env=environment, check=True, capture_output=True, timeout=180)
    with (home / "api-server.log").open("wb") as log:
        process = subprocess.Popen(
            [airflow, "api-server"], env=environment, stdout=log, stderr=subprocess.STDOUT, start_new_session=True
        )
    try:
        _wait_until_healthy(address, process, home / "api-server.log")
        yield address
    finally:
        os.killpg(process.pid, signal.SIGTERM)
        try:
            process.wait(timeout=20)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait(timeout=20)


def fetch_token(address: str, user: str) -> str:
    """Sign in the way a script does."""
    answer = httpx.post(f"{address}/auth/token", json={"username": user, "password": PASSWORDS[user]}, timeout=30)
    return str(answer.raise_for_status().json()["access_token"])


def sign_in(page: Page, user: str) -> None:
    """Fill in and send Airflow's form, which the page must show."""
    page.fill("input[name=username]", user)
    page.fill("input[name=password]", PASSWORDS[user])
    page.click("button[type=submit]")


def hear_complaints(page: Page) -> list[str]:
    """What the browser refuses (the content security policy, say) or fails at, from now on."""
    heard: list[str] = []
    page.on("console", lambda message: heard.append(message.text) if message.type in {"error", "warning"} else None)
    page.on("pageerror", lambda error: heard.append(str(error)))
    return heard


def _clean_environment() -> dict[str, str]:
    return {k: v for k, v in os.environ.items() if not k.startswith(("AIRFLOW", "KIPFLOW_"))}


def _airflow_environment(home: Path, port: int, address: str) -> dict[str, str]:
    (home / "dags").mkdir()
    passwords = home / "passwords.json"
    passwords.write_text(json.dumps(PASSWORDS))
    settings = {
        "CORE__PLUGINS_FOLDER": ROOT / "plugins",
        "CORE__DAGS_FOLDER": home / "dags",
        "CORE__LOAD_EXAMPLES": False,
        "CORE__SIMPLE_AUTH_MANAGER_USERS": "admin:admin,viewer:viewer",
        "CORE__SIMPLE_AUTH_MANAGER_PASSWORDS_FILE": passwords,
        "DATABASE__SQL_ALCHEMY_CONN": f"sqlite:///{home / 'airflow.db'}",
        "API__HOST": "127.0.0.1",
        "API__PORT": port,
        "API__BASE_URL": address,
        "API__WORKERS": 1,
        "API__SECRET_KEY": "s" * 40,
        "API_AUTH__JWT_SECRET": "j" * 64,
        "USAGE_DATA_COLLECTION__ENABLED": False,
    }
    return {"AIRFLOW_HOME": str(home), **{f"AIRFLOW__{key}": str(value) for key, value in settings.items()}}


def _wait_until_healthy(address: str, process: subprocess.Popen[bytes], log: Path, *, patience: float = 180) -> None:
    deadline = time.monotonic() + patience
    while time.monotonic() < deadline:
        if process.poll() is not None:
            raise RuntimeError(f"Airflow's API server ended: {log.read_text()[-2000:]}")
        try:
            if httpx.get(f"{address}/api/v2/monitor/health", timeout=5).status_code == 200:
                return
        except httpx.HTTPError:
            time.sleep(0.5)
    raise RuntimeError(f"Airflow's API server is not healthy after {patience:.0f} s: {log.read_text()[-2000:]}")
