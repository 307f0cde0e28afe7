"""Registers the board with Airflow: an app behind Airflow's own sign-in, and an entry in its navigation.

Registration only: Airflow executes every file of this folder in every process, under its bare file name.
"""

from __future__ import annotations

import os
from functools import cache
from typing import TYPE_CHECKING, Any, ClassVar
from urllib.parse import urlsplit

from airflow.configuration import conf
from airflow.plugins_manager import AirflowPlugin

from kipflow.web.lazy import LazyApp

if TYPE_CHECKING:
    import sqlalchemy
    from fastapi import FastAPI

    from kipflow.wiring import Parts

PREFIX = "/kipflow"


def build_board() -> FastAPI:
    """The board for whoever may see Airflow's own website; anonymous requests get 401."""
    from airflow.api_fastapi.auth.managers.models.resource_details import AccessView
    from airflow.api_fastapi.core_api.security import requires_access_view
    from fastapi import Depends

    from kipflow.web.app import create_app
    from kipflow.web.render import Masthead

    def describe() -> Masthead:
        parts = open_parts()
        return Masthead(title=parts.community.title, dry_run=not parts.sends, sign_in_url=f"{find_base_path()}/")

    return create_app(
        lambda: open_parts().store,
        clock=lambda: open_parts().clock(),
        dependencies=[Depends(requires_access_view(AccessView.WEBSITE))],
        masthead=describe,
    )


@cache
def open_parts() -> Parts:
    """The parts of the community that this Airflow runs for. A failure is not kept.

    Raises:
        ConfigError: a configuration file is wrong.
    """
    from kipflow.settings import read_settings
    from kipflow.wiring import connect

    return connect(read_settings(), database_url=find_database_url())


def find_database_url() -> sqlalchemy.URL | None:
    """The application's database by the connection `kipflow_db`; None where `KIPFLOW_DATABASE_URL` says it."""
    from airflow.exceptions import AirflowNotFoundException
    from airflow.models.connection import Connection

    from kipflow.wiring import build_database_url

    if os.environ.get("KIPFLOW_DATABASE_URL"):
        return None
    try:
        connection = Connection.get_connection_from_secrets("kipflow_db")
    except AirflowNotFoundException:
        return None
    return build_database_url(connection)


def find_base_path() -> str:
    """The path under which this Airflow is reached, "" for a host of its own."""
    return urlsplit(conf.get("api", "base_url", fallback="")).path.rstrip("/")


class KipflowPlugin(AirflowPlugin):
    """Nothing is built here: see `LazyApp`."""

    name = "kipflow"
    fastapi_apps: ClassVar[list[Any]] = [
        {"app": LazyApp(build_board), "url_prefix": PREFIX, "name": "kipflow board"},
    ]
    external_views: ClassVar[list[Any]] = [
        {
            "name": "Proposals",
            "href": f"{find_base_path()}{PREFIX}/",
            "destination": "nav",
            "url_route": "kipflow",
            "icon": f"{find_base_path()}{PREFIX}/static/icon.svg",
            "nav_top_level": True,
        },
    ]
