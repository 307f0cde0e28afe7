"""The same mail is read to the same values in every process, in the same order."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from tests.corpus import write_vote_cases

ROOT = Path(__file__).resolve().parents[3]
READ_ALL = """
import sys
from pathlib import Path
from kipflow.mail.archive import read_path
for path in sorted(Path(sys.argv[1]).glob("*.mbox")):
    for message in read_path(path, list_id="dev@commons.example", month="", prefix="KIP"):
        print(path.name, repr(message))
"""


def read_all(seed: str) -> str:
    environment = {**os.environ, "PYTHONHASHSEED": seed}
    command = [sys.executable, "-c", READ_ALL, str(write_vote_cases())]
    return subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=True).stdout


def test_the_order_of_what_is_read_depends_on_no_hash_seed() -> None:
    first, second = read_all("1"), read_all("2")
    assert "Declared(" in first
    assert first == second
