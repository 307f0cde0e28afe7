"""The command line as tests call it."""

from __future__ import annotations

import json
from typing import Any, NamedTuple

import pytest

from kipflow.cli import run


class Printed(NamedTuple):
    """What a command printed."""

    out: str
    err: str

    def json(self) -> Any:
        return json.loads(self.out)


class Cli:
    """Runs one command after the other; each ends with the exit code that is expected of it (None: any)."""

    def __init__(self, capsys: pytest.CaptureFixture[str]) -> None:
        self._capsys = capsys

    def __call__(self, *words: str, code: int | None = 0) -> Printed:
        self._capsys.readouterr()
        assert run([*words]) == code or code is None
        return Printed(*self._capsys.readouterr())


@pytest.fixture
def cli(capsys: pytest.CaptureFixture[str]) -> Cli:
    return Cli(capsys)
