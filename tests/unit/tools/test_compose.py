"""The services of docker-compose.yaml start what exists: modules of ours, scripts of the tree, commands of Airflow."""

from __future__ import annotations

import importlib.util
import shlex
from pathlib import Path
from typing import Any

import pytest
import yaml

ROOT = Path(__file__).parents[3]
SERVICES: dict[str, Any] = yaml.safe_load((ROOT / "docker-compose.yaml").read_text(encoding="utf-8"))["services"]
#: What Airflow's own command starts here.
AIRFLOW = {"api-server", "dag-processor", "scheduler", "triggerer", "db", "pools"}


def split_steps(command: list[str]) -> list[list[str]]:
    """The programs of a command, each with its arguments; those of a shell's line one by one."""
    if command[:2] == ["sh", "-c"]:
        return [shlex.split(step) for step in command[2].split("&&")]
    return [command]


def is_known(step: list[str]) -> bool:
    match step:
        case ["python", "-m", module, *_]:
            return importlib.util.find_spec(module) is not None
        case ["python", script, *_]:
            return (ROOT / script).is_file()
        case ["airflow", command, *_]:
            return command in AIRFLOW
    return False


@pytest.mark.parametrize("name", [name for name, service in SERVICES.items() if "command" in service])
def test_a_service_starts_a_program_that_exists(name: str) -> None:
    assert [step for step in split_steps(SERVICES[name]["command"]) if not is_known(step)] == []


def test_every_service_of_our_image_says_what_it_starts() -> None:
    assert {name for name, service in SERVICES.items() if "command" not in service} == {"postgres"}


@pytest.mark.parametrize("name", SERVICES)
def test_a_service_depends_on_services_that_exist(name: str) -> None:
    assert set(SERVICES[name].get("depends_on", ())) <= set(SERVICES)
