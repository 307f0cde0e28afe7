"""Both jobs on a standalone cluster whose executors know nothing of kipflow's code but what is shipped."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from kipflow import java
from kipflow.adapters import lake
from kipflow.domain.facts import Message
from kipflow.mail.archive import read_mbox
from kipflow.mail.filereading import FileReading

MASTER_PORT = "2570"


@pytest.fixture
def cluster(tmp_path: Path) -> Iterator[str]:
    """A standalone master with one worker on the loopback; the worker knows nothing of kipflow's code."""
    env = {**os.environ, **java.spark_environment(tmp_path), "SPARK_DAEMON_JAVA_OPTS": java.SHORT_JOB}
    env.pop("PYTHONPATH")
    spark_class = str(Path(env["SPARK_HOME"]) / "bin" / "spark-class")
    here = ["--host", "127.0.0.1", "--port"]
    url = f"spark://127.0.0.1:{MASTER_PORT}"
    with contextlib.ExitStack() as running:
        log = running.enter_context((tmp_path / "cluster.log").open("w+"))

        def start(*command: str) -> None:
            process = subprocess.Popen(
                [spark_class, *command], env=env, cwd=tmp_path, stdout=log, stderr=log, start_new_session=True
            )
            running.callback(stop, process)

        start("org.apache.spark.deploy.master.Master", *here, MASTER_PORT, "--webui-port", "2571")
        # the worker asks again until the master is up
        start(
            "org.apache.spark.deploy.worker.Worker",
            *(*here, "2572", "--webui-port", "2573", "--cores", "2", "--memory", "1500m"),
            *("--work-dir", str(tmp_path / "work"), url),
        )
        deadline = time.monotonic() + 90
        while "Registering worker" not in (tmp_path / "cluster.log").read_text(encoding="utf-8"):
            if time.monotonic() > deadline:
                pytest.fail((tmp_path / "cluster.log").read_text(encoding="utf-8")[-2000:])
            time.sleep(0.1)
        yield url


def stop(process: subprocess.Popen[bytes]) -> None:
    os.killpg(process.pid, signal.SIGTERM)
    try:
        process.wait(timeout=20)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()


def submit(home: Path, job: str, master: str, *arguments: str) -> None:
    command, variables = java.submit_command(home, job, arguments, master=master)
    # what does not fit the small worker beside the driver would wait for ever
    command[1:1] = ["--executor-memory", "512m", "--conf", f"spark.executor.extraJavaOptions={java.SHORT_JOB}"]
    env = {**os.environ, **variables}
    run = subprocess.run(command, env=env, capture_output=True, text=True, check=False, timeout=240, cwd=home)
    assert run.returncode == 0, run.stdout + run.stderr


class EmptyHistory:
    def iter_rows(self, table: str, columns: object) -> Iterator[list[dict[str, Any]]]:
        return iter(())


@pytest.mark.spark
def test_both_jobs_run_on_a_standalone_cluster(tmp_path: Path, cluster: str, odd_mbox: Path) -> None:
    out, where = tmp_path / "mails", {"list_id": "dev@list.example", "month": "2026-03"}
    manifest = {"prefix": "KIP", "files": [{"path": str(odd_mbox), **where}]}
    (tmp_path / "manifest.json").write_text(json.dumps(manifest), encoding="utf-8")
    submit(tmp_path, "read_archives", cluster, "--manifest", str(tmp_path / "manifest.json"), "--out", str(out))
    expected = list(read_mbox(odd_mbox, FileReading(prefix="KIP", list_id=where["list_id"], month=where["month"])))
    assert list(lake.read_messages(out)) == [item for item in expected if isinstance(item, Message)]
    assert list(lake.read_unreadable(out)) == [item for item in expected if not isinstance(item, Message)]

    lake.export_history(EmptyHistory(), tmp_path / "in")
    figures = tmp_path / "figures"
    times = ("--as-of", "2026-03-01T00:00:00Z")
    submit(tmp_path, "lifecycle_metrics", cluster, "--input", str(tmp_path / "in"), *times, "--out", str(figures))
    assert {row.name: row.value for row in lake.load_metrics(figures)}["open_votes"] == 0.0
    assert len(list((tmp_path / "work").glob("app-*"))) == 2, "the cluster's executors did not do the work"
