"""`make setup`: a fitting Python is found, an interrupted install is started over, faults are one line."""

from __future__ import annotations

import importlib.util
import os
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).resolve().parents[3]
FIND = ROOT / "tools" / "find_python.sh"


def find_python(*programs: Path, **variables: str) -> subprocess.CompletedProcess[str]:
    path = os.pathsep.join([*(str(p) for p in programs), "/usr/bin", "/bin"])
    return subprocess.run(
        ["/bin/sh", str(FIND)], capture_output=True, text=True, env={"PATH": path, **variables}, check=False
    )


def fake_python(folder: Path, name: str, version: str, fits: bool) -> Path:
    folder.mkdir(exist_ok=True)
    program = folder / name
    program.write_text(f'#!/bin/sh\ncase "$2" in *print*) echo {version} ;; *) exit {0 if fits else 1} ;; esac\n')
    program.chmod(0o755)
    return program


def test_the_newest_python_that_fits_is_taken(tmp_path: Path) -> None:
    fake_python(tmp_path / "bin", "python3.12", "3.12", fits=True)
    fake_python(tmp_path / "bin", "python3.13", "3.13", fits=False)  # without venv, say

    assert find_python(tmp_path / "bin").stdout.strip() == str(tmp_path / "bin" / "python3.12")


def test_a_too_old_python_is_one_line_that_names_what_was_found(tmp_path: Path) -> None:
    old = fake_python(tmp_path / "bin", "python3", "3.9", fits=False)

    done = find_python(PYTHON=str(old))

    assert done.returncode == 1
    assert done.stdout == ""
    assert len(done.stderr.splitlines()) == 1
    assert "needs Python 3.11, 3.12 or 3.13" in done.stderr
    assert f"{old}=3.9" in done.stderr


def test_a_python_that_does_not_run_is_passed_over(tmp_path: Path) -> None:
    done = find_python(PYTHON=str(tmp_path / "absent"))

    assert done.returncode == 1
    assert "could not be run" in done.stderr


@pytest.fixture
def prepare(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """The script, working on an empty folder, with its installs written down and not done."""
    spec = importlib.util.spec_from_file_location("prepare_venv", ROOT / "tools" / "prepare_venv.py")
    if spec is None or spec.loader is None:
        pytest.fail("tools/prepare_venv.py is gone")
    script = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(script)
    venv = tmp_path / ".venv"
    for name, value in {"ROOT": tmp_path, "VENV": venv, "STATE": venv / "kipflow-state", "LOG": venv / "log"}.items():
        monkeypatch.setattr(script, name, value)
    for lock in script.DEVELOPMENT:
        (tmp_path / lock).write_text("a==1\n")
    (tmp_path / "pyproject.toml").write_text("")
    calls: list[list[str]] = []
    monkeypatch.setattr(script, "calls", calls, raising=False)

    def run(command: list[str], what: str) -> None:
        script.calls.append(what)
        if what == WHOLE[0]:
            (venv / "bin").mkdir(parents=True)
            (venv / "bin" / "python").symlink_to(sys.executable)

    monkeypatch.setattr(script, "run", run)
    return script


WHOLE = [
    f"creating .venv with Python {sys.version.split()[0]}",
    "installing the locked packages",
    "installing kipflow itself",
]


def test_a_fresh_clone_is_installed_once(prepare: ModuleType) -> None:
    assert prepare.main() == 0
    assert prepare.calls == WHOLE

    assert prepare.main() == 0
    assert prepare.calls == WHOLE


def test_an_interrupted_install_is_started_over(prepare: ModuleType, tmp_path: Path) -> None:
    prepare.main()
    (tmp_path / ".venv" / "half-unpacked").write_text("")
    prepare.STATE.write_text("installing\n")
    prepare.calls.clear()

    assert prepare.main() == 0

    assert prepare.calls == WHOLE
    assert not (tmp_path / ".venv" / "half-unpacked").exists()


def test_a_changed_lock_is_installed_into_what_is_there(prepare: ModuleType, tmp_path: Path) -> None:
    prepare.main()
    (tmp_path / "requirements.txt").write_text("a==2\n")
    prepare.calls.clear()

    assert prepare.main() == 0
    assert prepare.calls == WHOLE[1:]


def test_running_installs_no_test_tools_and_keeps_those_that_are_there(
    prepare: ModuleType, monkeypatch: pytest.MonkeyPatch
) -> None:
    installed: list[list[str]] = []
    monkeypatch.setattr(prepare, "install", lambda arguments, what: installed.append(arguments))

    assert prepare.main(["--runtime"]) == 0
    assert not any(argument.endswith("requirements-dev.txt") for argument in installed[0])

    assert prepare.main() == 0
    assert any(argument.endswith("requirements-dev.txt") for argument in installed[2])
    installed.clear()
    assert (prepare.main(["--runtime"]), prepare.main(), installed) == (0, 0, [])


def test_a_failed_install_is_one_line_and_is_not_taken_for_done(
    prepare: ModuleType, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    whole = prepare.run

    def run(command: list[str], what: str) -> None:
        if what == WHOLE[1]:
            raise prepare.SetupFailed("no network")
        whole(command, what)

    monkeypatch.setattr(prepare, "run", run)

    assert prepare.main() == 1
    assert capsys.readouterr().err == "setup failed: no network\n"
    assert prepare.STATE.read_text() == "installing\n"


def test_a_full_disk_is_reported_before_anything_is_fetched(
    prepare: ModuleType, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(
        prepare.shutil, "disk_usage", lambda path: prepare.shutil._ntuple_diskusage(10**10, 10**10, 10**9)
    )

    assert prepare.main() == 1
    assert "1.0 GB free and the packages need 2.5 GB" in capsys.readouterr().err
    assert prepare.calls == []


def test_the_last_error_of_a_program_is_what_is_reported(prepare: ModuleType, tmp_path: Path) -> None:
    spec = importlib.util.spec_from_file_location("prepare_venv_again", ROOT / "tools" / "prepare_venv.py")
    if spec is None or spec.loader is None:
        pytest.fail("tools/prepare_venv.py is gone")
    script = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(script)
    vars(script)["LOG"] = tmp_path / "log"
    code = "print('Collecting a'); print('ERROR: hashes do not match'); raise SystemExit(3)"

    with pytest.raises(script.SetupFailed, match="trying: ERROR: hashes do not match"):
        script.run([sys.executable, "-c", code], "trying")
    assert "hashes do not match" in script.LOG.read_text()
