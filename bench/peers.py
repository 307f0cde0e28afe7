"""Third-party mail readers, each in a separate environment, because they are not requirements of the project.

Run there, this file does the small job of `archive.measure_mailbox`: `python bench/peers.py NAME FILE…`.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
import time
import venv
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
FOLDER = ROOT / ".kipflow" / "bench"
#: Module → its requirement on the package index.
PEERS = {"fast_mail_parser": "fast-mail-parser>=0.10,<1", "perceval": "perceval>=1.6,<2"}
_KEY = re.compile(r"KIP[- ]?\d+", re.IGNORECASE)


def find_python(name: str) -> Path | None:
    """The interpreter of a peer's environment, created if missing; None, with a message, if it can't be installed."""
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
    """Run this file in the peer's environment and return its measurement."""
    command = [str(python), __file__, name, *files]
    run = subprocess.run(command, capture_output=True, text=True, check=False)
    if run.returncode != 0:
        sys.exit(f"the measurement of {name} failed:\n{run.stderr[-2000:]}")
    found: dict[str, Any] = json.loads(run.stdout.splitlines()[-1])
    return {"peak_mb": None, **found}


# -- in the peer's environment -------------------------------------------------------------------------------


def read_by_fast_mail_parser(files: list[str]) -> Iterator[tuple[str, str]]:
    from fast_mail_parser import parse_email

    for file in files:
        for mail in re.split(rb"\n(?=From \S+@)", Path(file).read_bytes()):
            found = parse_email(mail.split(b"\n", 1)[1])
            yield found.subject, "\n".join(found.text_plain)


def read_by_perceval(files: list[str]) -> Iterator[tuple[str, str]]:
    from perceval.backends.core.mbox import MBox

    with TemporaryDirectory() as folder:
        for number, file in enumerate(files):
            Path(folder, f"{number}.mbox").symlink_to(Path(file).resolve())
        for item in MBox(uri="bench", dirpath=folder).fetch():
            body = item["data"].get("body") or {}
            yield item["data"].get("Subject") or "", body.get("plain") or ""


def main() -> None:
    name, *files = sys.argv[1:]
    read = {"fast_mail_parser": read_by_fast_mail_parser, "perceval": read_by_perceval}[name]
    start = time.process_time()
    mails = numbers = votes = 0
    for subject, text in read(files):
        mails += 1
        numbers += _KEY.search(subject) is not None
        votes += sum(line.startswith(("+1", "-1")) for line in text.splitlines())
    print(json.dumps({"seconds": time.process_time() - start, "mails": mails, "numbers": numbers, "votes": votes}))


if __name__ == "__main__":
    main()
