"""One local Spark for all tests here: a start costs more than most of them."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest

from kipflow.java import spark_environment

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


@pytest.fixture(scope="session")
def spark_variables(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    return spark_environment(tmp_path_factory.mktemp("home"))


@pytest.fixture(scope="session")
def spark(spark_variables: dict[str, str], tmp_path_factory: pytest.TempPathFactory) -> Iterator[SparkSession]:
    before = dict(os.environ)
    warehouse = tmp_path_factory.mktemp("spark")
    # arguments that the driver's JVM must have at its start
    submit = f"--master local[2] --driver-memory 1g --conf spark.sql.warehouse.dir={warehouse} pyspark-shell"
    os.environ.update(spark_variables, PYSPARK_SUBMIT_ARGS=submit)
    from kipflow_spark.session import open_session

    session = open_session("kipflow tests")
    yield session
    session.stop()
    os.environ.clear()
    os.environ.update(before)
