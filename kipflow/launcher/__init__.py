"""Starts and stops a local kipflow: Airflow with its board, and the sandbox community.

`up` is what `make run` calls, `down` what `make stop` calls; both can be called again at any time.
"""

from kipflow.launcher.instance import Running, find_running
from kipflow.launcher.launch import down, up

__all__ = ["Running", "down", "find_running", "up"]
