"""Where a local run keeps its files, all under `Settings.home`, and the secrets among them."""

from __future__ import annotations

import json
import secrets
from base64 import urlsafe_b64encode
from dataclasses import asdict, dataclass, field
from pathlib import Path

from kipflow.adapters.private import write_private
from kipflow.config.settings import Settings
from kipflow.domain.errors import LaunchFailed
from kipflow.domain.texts import digest_text

#: The community that brings its own services.
SANDBOX = "sandbox"


@dataclass(frozen=True, slots=True, kw_only=True)
class Layout:
    """The folders of one home and one community.

    Each community has its own Airflow, so that their runs are not mixed; only one runs at a time in a home, since they
    share `run`.
    """

    home: Path
    community: str

    @property
    def airflow(self) -> Path:
        """`AIRFLOW_HOME`."""
        return self.home / "airflow" / self.community

    @property
    def logs(self) -> Path:
        """What the started programs write, one file each."""
        return self.home / "logs"

    @property
    def run(self) -> Path:
        """Process ids and the state of the running instance; gone when nothing runs."""
        return self.home / "run"

    @property
    def secrets(self) -> Path:
        """Generated secrets, readable by the owner only."""
        return self.home / "secrets.json"

    @property
    def passwords(self) -> Path:
        """The users' passwords in the form that Airflow's simple auth manager reads."""
        return self.airflow / "passwords.json"

    @property
    def anchor(self) -> Path:
        """The file with the start time of the sandbox's story, so that a restart plays the same story."""
        return self.home / "sandbox-anchor.json"

    @property
    def sandbox_memory(self) -> Path:
        """The file with what was saved to the sandbox's wiki and posted to its channels."""
        return self.home / "sandbox-memory.json"

    @property
    def marker(self) -> str:
        """An id in the environment of every process of this home, by which they are found."""
        return digest_text(str(self.home), 20)


def find_layout(settings: Settings) -> Layout:
    """The layout of these settings. A community given as a file is known by the file's name."""
    return Layout(home=settings.home, community=Path(settings.community).stem)


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

    @property
    def passwords(self) -> dict[str, str]:
        """User → password."""
        return {ADMIN: self.admin_password, VIEWER: self.viewer_password}


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
    write_private(path, json.dumps(credentials.passwords).encode())
