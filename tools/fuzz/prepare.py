"""Make the fuzzer's own environment: `.venv/bin/python tools/fuzz/prepare.py`. Called by `make fuzz`.

atheris is not a requirement of the project and not available for every platform, so it stays out of `.venv`. The
environment created here contains it, and sees the packages of `.venv` through a path file.
"""

from __future__ import annotations

import subprocess
import sys
import sysconfig
import venv
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
FOLDER = ROOT / ".kipflow" / "fuzz" / "venv"
ATHERIS = "atheris>=3,<4"


def python() -> Path:
    return FOLDER / "bin" / "python"


def is_ready() -> bool:
    """Whether the environment exists and can load atheris."""
    command = [str(python()), "-c", "import atheris, kipflow"]
    return python().exists() and subprocess.run(command, capture_output=True, check=False).returncode == 0


def main() -> int:
    """Returns the exit code for make; 2, with one line of advice, if atheris cannot be installed."""
    if is_ready():
        return 0
    print(f"preparing {FOLDER.relative_to(ROOT)} (atheris)", flush=True)
    venv.create(FOLDER, with_pip=True, clear=True, symlinks=True)
    command = [str(python()), "-m", "pip", "install", "--quiet", "--disable-pip-version-check", ATHERIS]
    result = subprocess.run(command, capture_output=True, text=True, check=False)
    if result.returncode == 0:
        (packages,) = FOLDER.glob("lib/python*/site-packages")
        (packages / "kipflow.pth").write_text(f"{sysconfig.get_path('purelib')}\n{ROOT}\n", encoding="utf-8")
        if is_ready():
            return 0
    why = (result.stderr.strip().splitlines() or ["it cannot be loaded"])[-1]
    print(
        f"no fuzzing here: atheris has no build for this platform ({why}); use Linux with Python 3.11 to 3.13,"
        " or rely on the property tests: .venv/bin/python -m pytest tests/unit/mail",
        file=sys.stderr,
    )
    return 2


if __name__ == "__main__":
    sys.exit(main())
