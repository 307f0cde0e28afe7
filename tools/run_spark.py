"""Run one of Spark's programs in the foreground with the Java that kipflow finds or prepares.

python tools/run_spark.py org.apache.spark.deploy.master.Master --host 127.0.0.1 --port 7077
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

from kipflow.config.settings import read_settings
from kipflow.java import spark_environment


def main() -> None:
    """Replace this process by the program, so that it receives signals itself."""
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    environment = {**os.environ, **spark_environment(read_settings().home)}
    program = Path(environment["SPARK_HOME"]) / "bin" / "spark-class"
    os.execve(program, [str(program), *sys.argv[1:]], environment)  # noqa: S606 - our own program, no shell wanted


if __name__ == "__main__":
    main()
