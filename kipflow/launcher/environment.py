"""The environment of Airflow's programs, which is never written to a file.

`AIRFLOW_*` variables of the caller's shell are left out: they belong to another Airflow.
"""

from __future__ import annotations

import json
from collections.abc import Mapping

from kipflow import java
from kipflow.adapters.store.engine import make_database_url
from kipflow.config.community import Community
from kipflow.config.settings import REPOSITORY, Settings
from kipflow.launcher.api import LOCK_SECONDS
from kipflow.launcher.layout import ADMIN, SANDBOX, VIEWER, Credentials, Layout

MARKER = "KIPFLOW_INSTANCE"
LOCAL = "127.0.0.1"
SANDBOX_TOKEN = "xoxb-kipflow-for-the-sandbox"  # noqa: S105 - opens nothing
SANDBOX_APP_TOKEN = "xapp-kipflow-for-the-sandbox"  # noqa: S105 - nor does this


def build_environment(
    settings: Settings,
    community: Community,
    layout: Layout,
    credentials: Credentials,
    *,
    base: Mapping[str, str],
    port: int,
) -> dict[str, str]:
    """The environment of every Airflow program: the caller's `base`, cleaned, with ours on top.

    `port` is the API server's. Raises LaunchFailed or another KipflowError where Java cannot be prepared.
    """
    kept = {k: v for k, v in base.items() if not k.startswith("AIRFLOW_")}
    return {
        **kept,
        **java.spark_environment(settings.home, kept),
        **_process_environment(kept, settings, layout),
        **_airflow_settings(layout, credentials, port),
        **_connections(settings, community, layout, base),
    }


def _process_environment(kept: Mapping[str, str], settings: Settings, layout: Layout) -> dict[str, str]:
    local = ",".join(filter(None, (kept.get("NO_PROXY") or kept.get("no_proxy"), LOCAL, "localhost")))
    return {
        MARKER: layout.marker,
        # setproctitle overwrites the environment that down() finds processes by, unless it is switched off
        "SPT_NOENV": "1",
        "PYTHONUNBUFFERED": "1",
        "NO_PROXY": local,
        "no_proxy": local,
        "KIPFLOW_HOME": str(settings.home),
        "KIPFLOW_CONFIG": str(settings.config),
        "KIPFLOW_COMMUNITY": settings.community,
        "KIPFLOW_DRY_RUN": "0" if settings.sends else "1",
        # the board's database; tasks use the connection
        "KIPFLOW_DATABASE_URL": settings.database_url,
    }


#: The fixed settings of every Airflow that `kipflow up` starts: section → option → value.
_FIXED: dict[str, dict[str, object]] = {
    "core": {"load_examples": False, "executor": "LocalExecutor", "parallelism": 4, "max_map_length": 1000},
    "database": {"load_default_connections": False},
    # the default of api.host is every interface
    "api": {"host": LOCAL, "workers": 1},
    "dag_processor": {"parsing_processes": 1, "min_file_process_interval": 120, "refresh_interval": 120},
    "scheduler": {
        "scheduler_heartbeat_sec": 2,
        # after a crash, tasks are retried after one minute instead of five
        "task_instance_heartbeat_sec": 15,
        "task_instance_heartbeat_timeout": 60,
        "orphaned_tasks_check_interval": 30,
    },
    "logging": {
        "colored_console_log": False,
        # Airflow sets these whatever the umask is
        "file_task_handler_new_folder_permissions": "0o700",
        "file_task_handler_new_file_permissions": "0o600",
    },
    "usage_data_collection": {"enabled": False},
}


def _airflow_settings(layout: Layout, credentials: Credentials, port: int) -> dict[str, str]:
    address = f"http://{LOCAL}:{port}"
    own: dict[str, dict[str, object]] = {
        "core": {
            "dags_folder": REPOSITORY / "dags",
            "plugins_folder": REPOSITORY / "plugins",
            "fernet_key": credentials.fernet_key,
            "execution_api_server_url": f"{address}/execution/",
            "simple_auth_manager_users": f"{ADMIN}:admin,{VIEWER}:viewer",
            "simple_auth_manager_passwords_file": layout.passwords,
        },
        "database": {"sql_alchemy_conn": f"sqlite:///{layout.airflow / 'airflow.db'}?timeout={LOCK_SECONDS}"},
        "api": {
            "port": port,
            "base_url": address,
            "secret_key": credentials.api_secret,
            "instance_name": f"kipflow · {layout.community}",
        },
        "api_auth": {"jwt_secret": credentials.jwt_secret},
        "logging": {"base_log_folder": layout.logs / "airflow"},
    }
    options = [(s, name, value) for s, given in (*_FIXED.items(), *own.items()) for name, value in given.items()]
    variables = {f"AIRFLOW__{section.upper()}__{name.upper()}": str(value) for section, name, value in options}
    return {"AIRFLOW_HOME": str(layout.airflow), **variables}


def _connections(settings: Settings, community: Community, layout: Layout, base: Mapping[str, str]) -> dict[str, str]:
    """Airflow's connections, as JSON in the environment of its programs only.

    `KIPFLOW_SLACK_TOKEN`, and the same for `WIKI`, `JIRA` and `MAIL`, give the services' tokens; `KIPFLOW_SPARK_MASTER`
    another Spark master than `local[2]`.
    """
    url = make_database_url(settings.database_url)
    connections: dict[str, dict[str, object]] = {
        "kipflow_db": {
            "conn_type": "generic",
            "host": url.host,
            "port": url.port,
            "login": url.username,
            "password": url.password,
            "schema": url.database,
            "extra": {"drivername": url.drivername, "query": dict(url.query)},
        },
        "spark_default": _spark_connection(base.get("KIPFLOW_SPARK_MASTER", "local[2]")),
    }
    # the sandbox accepts any token; without one a client does not send
    fallback = SANDBOX_TOKEN if layout.community == SANDBOX else None
    tokens = {name: base.get(f"KIPFLOW_{name.upper()}_TOKEN") or fallback for name in ("slack", "wiki", "jira", "mail")}
    for name in ("wiki", "jira", "mail"):
        if (service := getattr(community, name)) is not None:
            connections[f"kipflow_{name}"] = {"conn_type": "http", "host": service.url, "password": tokens[name]}
    if community.slack is not None:
        # by the conventions of Airflow's provider: its own operators find the same workspace
        extra = {"base_url": f"{community.slack.url.rstrip('/')}/"}
        connections["slack_default"] = {"conn_type": "slack", "password": tokens["slack"], "extra": extra}
    return {
        f"AIRFLOW_CONN_{name.upper()}": json.dumps({k: v for k, v in fields.items() if v is not None})
        for name, fields in connections.items()
    }


def _spark_connection(master: str) -> dict[str, object]:
    """`local[2]` or `spark://host:7077`. Airflow puts host and port together again with a colon."""
    host, colon, port = master.rpartition(":")
    extra = {"deploy-mode": "client"}
    if colon and port.isdigit():
        return {"conn_type": "spark", "host": host, "port": int(port), "extra": extra}
    return {"conn_type": "spark", "host": master, "extra": extra}
