"""Imports kipflow and what its DAGs are made of once, in the programs that fork a process for each task or DAG file.

Scheduler (LocalExecutor) and DAG processor announce their start before they fork: what they have imported, their
children need not. It takes nearly a second of processor time, longer than most tasks work.
"""

import sys
from functools import cache
from importlib import import_module
from pkgutil import walk_packages
from typing import ClassVar

from airflow.listeners import hookimpl
from airflow.plugins_manager import AirflowPlugin

#: With all that they rest on: the use cases, the lake's files (Arrow), the parts of a DAG file.
WANTED = (
    "kipflow.wiring",
    "kipflow.adapters.lake",
    "airflow.sdk.definitions.decorators",
    "airflow.providers.apache.spark.operators.spark_submit",
)


@hookimpl
def on_starting() -> None:
    import_tasks_modules()


@cache  # a task announces its start too, and has it all from its parent
def import_tasks_modules() -> None:
    for name in WANTED:
        import_module(name)
    services = import_module("kipflow.services")
    for module in walk_packages(services.__path__, "kipflow.services."):
        import_module(module.name)


class KipflowImports(AirflowPlugin):
    """Registers this module as a listener to starting programs."""

    name = "kipflow_imports"
    listeners: ClassVar = [sys.modules[__name__]]
