"""The same mail is read to the same values in every process, in the same order."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from kipflow.mail.archive import read_path
from kipflow.mail.filereading import FileReading
from tests.corpus import write_vote_cases

ROOT = Path(__file__).resolve().parents[3]
ELSEWHERE = "import sys; from tests.unit.mail.test_determinism import *; print(read_all(Path(sys.argv[1])))"


def read_all(folder: Path) -> str:
    paths = sorted(folder.glob("*.mbox"))
    read = (
        (p.name, read_path(p, how=FileReading(list_id="dev@commons.example", month="", prefix="KIP"))) for p in paths
    )
    return "\n".join(f"{name} {message!r}" for name, messages in read for message in messages)


@pytest.mark.slow
def test_the_order_of_what_is_read_depends_on_no_hash_seed() -> None:
    here = read_all(write_vote_cases())
    assert "Declared(" in here
    command = [sys.executable, "-c", ELSEWHERE, str(write_vote_cases())]
    for_seed = {**os.environ, "PYTHONHASHSEED": "1"}  # this process has another
    there = subprocess.run(command, cwd=ROOT, env=for_seed, capture_output=True, text=True, check=True).stdout
    assert there == f"{here}\n"
