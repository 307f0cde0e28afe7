"""Create or complete `.venv` from the locked requirements: `python tools/prepare_venv.py [--runtime]`.

Standard library only: it runs before anything is installed. Called by `make setup`, and with `--runtime` by `make run`,
which needs no test tools; does nothing if the environment already matches the locks. An interrupted install leaves the
state file at "installing", and the next call starts over, because a half unpacked package looks installed to pip.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
VENV = ROOT / ".venv"
STATE = VENV / "kipflow-state"
LOG = VENV / "install.log"
RUNTIME = ("requirements.txt",)
DEVELOPMENT = (*RUNTIME, "requirements-dev.txt")
INSTALLING = "installing"
NEEDED_BYTES = 2_500_000_000
IS_WINDOWS = os.name == "nt"


class SetupFailed(Exception):
    """The environment could not be created; the message is one line for the user."""


def main(arguments: Sequence[str] = ()) -> int:
    """Bring `.venv` up to date; returns the exit code for make."""
    locks = RUNTIME if "--runtime" in arguments else DEVELOPMENT
    wanted = [find_digest(lock) for lock in locks]
    state = STATE.read_text().split() if STATE.is_file() else []
    if set(wanted) <= set(state) and is_usable():
        return 0
    try:
        prepare(locks, is_broken=state == [INSTALLING])
    except SetupFailed as error:
        print(f"setup failed: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("\nsetup interrupted; run it again to start over", file=sys.stderr)
        return 130
    STATE.write_text("\n".join(wanted) + "\n")
    return 0


def find_digest(lock: str) -> str:
    """A digest of a lock and what else the environment depends on: the package's own metadata and its path."""
    digest = hashlib.sha256()
    for name in (lock, "pyproject.toml"):
        digest.update((ROOT / name).read_bytes())
    digest.update(str(ROOT).encode())
    return f"{lock}={digest.hexdigest()[:16]}"


def python() -> Path:
    """The environment's interpreter."""
    return VENV / ("Scripts/python.exe" if IS_WINDOWS else "bin/python")


def is_usable() -> bool:
    """Whether the environment's interpreter still starts (its base Python may have been removed)."""
    try:
        done = subprocess.run([python(), "-c", "import pip"], capture_output=True, timeout=60, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return False
    return done.returncode == 0


def prepare(locks: Sequence[str], *, is_broken: bool) -> None:
    """Create the environment and install the locked packages.

    Raises:
        SetupFailed: not enough disk space, no network, or a package with a wrong hash.
    """
    started = time.monotonic()
    if VENV.exists() and (is_broken or not is_usable()):
        print("setup: .venv is incomplete; starting it over", flush=True)
        shutil.rmtree(VENV)
    if not VENV.exists():
        check_room()
    VENV.mkdir(exist_ok=True)
    STATE.write_text(f"{INSTALLING}\n")
    if not is_usable():
        run([sys.executable, "-m", "venv", str(VENV)], f"creating .venv with Python {sys.version.split()[0]}")
    # the locks are complete; pip's own search for dependencies would find newer releases
    named = [part for lock in locks for part in ("-r", str(ROOT / lock))]
    install(["--no-deps", "--require-hashes", *named], "installing the locked packages")
    install(["--no-deps", "--no-build-isolation", "-e", str(ROOT)], "installing kipflow itself")
    print(f"setup: ready in {time.monotonic() - started:.0f} s", flush=True)


def check_room() -> None:
    """Fail early if the packages would not fit: a disk that fills up during the install looks like a network fault."""
    free = shutil.disk_usage(ROOT).free
    if free < NEEDED_BYTES:
        raise SetupFailed(
            f"the disk of {ROOT} has {free / 1e9:.1f} GB free and the packages need {NEEDED_BYTES / 1e9:.1f} GB"
        )


def install(arguments: list[str], what: str) -> None:
    """Install with uv if it is on the path (three times faster), else with pip."""
    uv = shutil.which("uv")
    if uv:
        run([uv, "pip", "install", "--python", str(python()), *arguments], what)
        return
    pip = [str(python()), "-m", "pip", "install", "--disable-pip-version-check", "--no-input", "--progress-bar", "off"]
    run([*pip, *arguments], what)


def run(command: list[str], what: str) -> None:
    """Run `command` with its output in the log, and a line of progress at least every few seconds.

    Raises:
        SetupFailed: with the last error the command wrote.
    """
    locks = [Path(name) for name in command if name.endswith(".txt")]
    total = len({line for lock in locks for line in lock.read_text().splitlines() if "==" in line})
    print(f"setup: {what} …", flush=True)
    environment = {k: v for k, v in os.environ.items() if k not in {"PYTHONHOME", "PYTHONPATH", "VIRTUAL_ENV"}}
    lines: list[str] = []
    shown = time.monotonic()
    collected = 0
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace", env=environment
    ) as process:
        try:
            for line in process.stdout or ():
                lines.append(line)
                collected += line.startswith("Collecting ")
                if line.startswith("Installing collected packages") and collected > 1:
                    print("setup:   all fetched; unpacking …", flush=True)
                    collected = 0
                elif time.monotonic() - shown > 5 and collected:
                    shown = time.monotonic()
                    print(f"setup:   fetched {collected} of {total} packages", flush=True)
        except BaseException:
            process.terminate()  # an interrupt of this process alone must not leave an installer running
            raise
    with LOG.open("a", encoding="utf-8") as log:
        log.writelines([f"$ {' '.join(command)}\n", *lines])
    if process.returncode:
        errors = [line.strip() for line in lines if "error" in line.lower()] or [line.strip() for line in lines]
        reason = errors[-1][:300] if errors else f"exit code {process.returncode}"
        raise SetupFailed(f"{what}: {reason} (log: {LOG})")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
