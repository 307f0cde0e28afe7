"""`kipflow down`, the last that is done with the running kipflow."""

from __future__ import annotations

import socket

import psutil
import pytest

from kipflow.launcher import processes
from tests.integration.system.running import Instance

pytestmark = [pytest.mark.system, pytest.mark.airflow, pytest.mark.spark, pytest.mark.timeout(1_500)]


def test_down_leaves_no_process_and_free_ports_also_when_called_twice(instance: Instance) -> None:
    marked = {process.pid for process in processes.find_marked(instance.layout)}
    assert len(marked) >= 5

    first, second = instance.run("down"), instance.run("down")

    assert (first.returncode, second.returncode) == (0, 0)
    assert list(processes.find_marked(instance.layout)) == []
    assert [pid for pid in marked if psutil.pid_exists(pid) and psutil.Process(pid).status() != "zombie"] == []
    for port in (instance.ui_port, instance.sandbox_port):
        with socket.socket() as probe:
            assert probe.connect_ex(("127.0.0.1", port)) != 0
    assert list(instance.layout.run.iterdir()) == []
