"""Readers of mail by others, each in an environment of its own: they are no requirements of the project."""

from __future__ import annotations

import json
import subprocess
import sys
import venv
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
FOLDER = ROOT / ".kipflow" / "bench"
#: What is asked of the package index, and the module that it brings.
PEERS = {"fast_mail_parser": "fast-mail-parser>=0.10,<1", "perceval": "perceval>=1.6,<2"}


def find_python(name: str) -> Path | None:
    """The interpreter of a peer's environment, made where it is missing; None, with a line, where it can't be had."""
    python = FOLDER / name / "bin" / "python"
    if _can_load(python, name):
        return python
    FOLDER.parent.mkdir(mode=0o700, exist_ok=True)
    venv.create(FOLDER / name, with_pip=True, clear=True, symlinks=True)
    command = [str(python), "-m", "pip", "install", "--quiet", "--disable-pip-version-check", PEERS[name]]
    result = subprocess.run(command, capture_output=True, text=True, check=False)
    if result.returncode == 0 and _can_load(python, name):
        return python
    why = (result.stderr.strip().splitlines() or ["it cannot be loaded"])[-1]
    print(f"  {name} is left out, it cannot be installed here: {why}", file=sys.stderr, flush=True)
    return None


def _can_load(python: Path, name: str) -> bool:
    command = [str(python), "-c", f"import {name}"]
    return python.exists() and subprocess.run(command, capture_output=True, check=False).returncode == 0


def measure_peer(python: Path, name: str, files: list[str]) -> dict[str, Any]:
    """What `peer_mail.py` measures in the peer's environment."""
    command = [str(python), str(Path(__file__).with_name("peer_mail.py")), name, *files]
    run = subprocess.run(command, capture_output=True, text=True, check=False)
    if run.returncode != 0:
        sys.exit(f"the measurement of {name} failed:\n{run.stderr[-2000:]}")
    found: dict[str, Any] = json.loads(run.stdout.splitlines()[-1])
    return {"peak_mb": None, **found}
