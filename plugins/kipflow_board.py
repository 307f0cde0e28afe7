"""Registers the board with Airflow: an app behind Airflow's own sign-in, and an entry in its navigation.

Registration only: Airflow executes every file of this folder in every process, under its bare file name. No
`from __future__ import annotations`: FastAPI could not resolve names that `build_board` imports locally.
"""

import os
from datetime import UTC, datetime
from functools import cache
from typing import TYPE_CHECKING, Annotated, Any, ClassVar
from urllib.parse import urlsplit

from airflow.configuration import conf
from airflow.plugins_manager import AirflowPlugin

from kipflow.web.lazy import LazyApp

if TYPE_CHECKING:
    from fastapi import FastAPI

    from kipflow.wiring import Parts
    from kipflow.wiring.environment import DatabaseConnection

PREFIX = "/kipflow"
ASKING_DAG = "kip_ask_people"


def build_board() -> "FastAPI":
    """The board for everybody who may see Airflow's own UI; others are redirected to Airflow's sign-in and back.

    Whoever may answer the required actions of `kip_ask_people` may settle questions here.
    """
    from airflow.api_fastapi.app import get_auth_manager
    from airflow.api_fastapi.auth.managers.models.resource_details import AccessView, DagAccessEntity, DagDetails
    from airflow.api_fastapi.core_api.security import bearer_scheme, get_user, requires_access_view
    from airflow.utils.session import create_session
    from fastapi import Depends, HTTPException, Request
    from fastapi.security import HTTPAuthorizationCredentials

    from kipflow.adapters.airflowdb import load_runs, open_audit
    from kipflow.web.app import create_app
    from kipflow.web.render import Masthead, read_if_possible
    from kipflow.web.writing import WriteAccess
    from kipflow.wiring import board_program, find_current_conditions, index_editor, open_desk
    from kipflow.wiring.environment import find_time

    def describe() -> Masthead:
        parts, runs = open_parts(), read_if_possible(lambda: load_runs(create_session))
        now, is_own = find_time(parts.clock)
        state = read_if_possible(
            lambda: find_current_conditions(parts, now=now, has_clock=is_own, runs=runs, by=datetime.now(UTC))
        )
        program, editor = board_program(parts.settings), index_editor(parts.community)
        title, dry = parts.community.title, not parts.sends
        return Masthead(title=title, program=program, dry_run=dry, index_editor=editor, conditions=state or ())

    async def require_reader(
        request: Request, credentials: Annotated[HTTPAuthorizationCredentials | None, Depends(bearer_scheme)]
    ) -> None:
        try:
            user = await get_user(request, None, credentials)
        except HTTPException as error:
            # Airflow answers 403 to a token that it did not sign, such as one of an earlier installation
            raise HTTPException(401) from error
        requires_access_view(AccessView.WEBSITE)(request, user)
        request.state.board_user, request.state.board_name = user, user.get_name()

    def find_operator(request: Request) -> str | None:
        asked = {"access_entity": DagAccessEntity.HITL_DETAIL, "details": DagDetails(id=ASKING_DAG)}
        user = getattr(request.state, "board_user", None)
        may = user is not None and get_auth_manager().is_authorized_dag(method="PUT", user=user, **asked)
        return request.state.board_name if may else None

    return create_app(
        lambda: open_parts().store,
        find_me=lambda request: open_parts().community.users.get(getattr(request.state, "board_name", ""), ""),
        clock=lambda: find_time(open_parts().clock)[0],
        dependencies=[Depends(require_reader)],
        masthead=describe,
        # this address redirects to the sign-in of any auth manager
        sign_in_url=f"{find_base_path()}/api/v2/auth/login",
        writing=WriteAccess(
            desk=lambda: open_desk(open_parts()),
            find_operator=find_operator,
            secret=conf.get("api", "secret_key"),
            audit=open_audit(create_session, lambda: datetime.now(UTC)),
        ),
    )


def open_parts() -> "Parts":
    """The parts of this Airflow's community, reopened after a change of its roster. Failures are not cached."""
    if connect_parts().are_outdated:
        connect_parts.cache_clear()
    return connect_parts()


@cache
def connect_parts() -> "Parts":
    """The parts by the current files. Raises `ConfigError`."""
    from kipflow.wiring import connect_by

    return connect_by(_find_connection())


def _find_connection() -> "DatabaseConnection | None":
    """The connection `kipflow_db` to the application's database; None if `KIPFLOW_DATABASE_URL` is set instead."""
    from airflow.exceptions import AirflowNotFoundException
    from airflow.models.connection import Connection

    if os.environ.get("KIPFLOW_DATABASE_URL"):
        return None
    try:
        return Connection.get_connection_from_secrets("kipflow_db")
    except AirflowNotFoundException:
        return None


def find_base_path() -> str:
    """The path prefix of this Airflow's address, "" if it has none."""
    return urlsplit(conf.get("api", "base_url", fallback="")).path.rstrip("/")


class KipflowPlugin(AirflowPlugin):
    """Nothing is built here: see `LazyApp`."""

    name = "kipflow"
    fastapi_apps: ClassVar[list[Any]] = [{"app": LazyApp(build_board), "url_prefix": PREFIX, "name": "kipflow board"}]
    external_views: ClassVar[list[Any]] = [
        {
            "name": "Proposals",
            "href": f"{find_base_path()}{PREFIX}/",
            "destination": "nav",
            "url_route": "kipflow",
            "icon": f"{find_base_path()}{PREFIX}/static/icon.svg",
            "nav_top_level": True,
        },
        {
            "name": "On the board",
            # Airflow's pages fill in the names in braces
            "href": f"{find_base_path()}{PREFIX}/runs?dag={{DAG_ID}}&run={{RUN_ID}}",
            "destination": "dag_run",
            "url_route": "kipflow-run",
            "icon": f"{find_base_path()}{PREFIX}/static/icon.svg",
        },
    ]
