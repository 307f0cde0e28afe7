"""Generated secrets of a local run, made once per home and never shown in logs or pages."""

from __future__ import annotations

import json
import secrets
from base64 import urlsafe_b64encode
from dataclasses import asdict, dataclass, field
from pathlib import Path

from kipflow.adapters.private import write_private
from kipflow.domain.errors import LaunchFailed

ADMIN = "admin"
VIEWER = "viewer"


@dataclass(frozen=True, slots=True, kw_only=True)
class Credentials:
    """Airflow's keys and the two users: `admin` may do everything, `viewer` only look."""

    jwt_secret: str = field(repr=False)
    api_secret: str = field(repr=False)
    fernet_key: str = field(repr=False)
    admin_password: str = field(repr=False)
    viewer_password: str = field(repr=False)


def load_credentials(path: Path) -> Credentials:
    """The credentials kept in `path`, which is written on the first call. Raises LaunchFailed if it cannot be read."""
    try:
        return Credentials(**json.loads(path.read_text(encoding="utf-8")))
    except FileNotFoundError:
        pass
    except (OSError, ValueError, TypeError) as error:
        raise LaunchFailed(
            what="secrets", why=f"{path} cannot be read ({error}); remove it to have new ones generated"
        ) from None
    made = Credentials(
        jwt_secret=secrets.token_urlsafe(48),
        api_secret=secrets.token_urlsafe(48),
        fernet_key=urlsafe_b64encode(secrets.token_bytes(32)).decode(),
        admin_password=secrets.token_urlsafe(12),
        viewer_password=secrets.token_urlsafe(12),
    )
    write_private(path, f"{json.dumps(asdict(made), indent=1)}\n".encode())
    return made


def write_passwords(path: Path, credentials: Credentials) -> None:
    """Write the users' passwords for Airflow's simple auth manager, which would otherwise print generated ones."""
    users = {ADMIN: credentials.admin_password, VIEWER: credentials.viewer_password}
    write_private(path, json.dumps(users).encode())
