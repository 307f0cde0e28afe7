"""A SQLite file that goes away under kipflow's feet is an error at once, never an empty database."""

from __future__ import annotations

import shutil
import stat
from collections.abc import Callable
from pathlib import Path

import pytest
import sqlalchemy as sa

from kipflow.adapters.store import SqlStore
from kipflow.adapters.store.engine import find_file
from kipflow.domain.errors import ServiceUnavailable
from kipflow.services.board import RowQuery
from tests.databases import migrate
from tests.integration.store.mails import NOW

pytestmark = pytest.mark.parametrize("database_url", ["sqlite"], indirect=True)
GONE = "its file is gone: put it back"


@pytest.fixture
def path(database_url: sa.URL) -> Path:
    found = find_file(database_url)
    assert found is not None
    return found


def test_what_was_written_into_a_file_that_is_gone_is_no_success(store: SqlStore, path: Path) -> None:
    def write() -> None:
        with store.begin() as session:
            session.marks.save("a", "1")
            path.unlink()

    with pytest.raises(ServiceUnavailable, match=GONE):
        write()


def test_nothing_is_read_from_a_file_that_is_gone(store: SqlStore, path: Path) -> None:
    store.rows(RowQuery())
    path.unlink()
    for look in (lambda: store.rows(RowQuery()), lambda: store.overview(NOW), lambda: store.review()):
        with pytest.raises(ServiceUnavailable, match=GONE):
            look()
    assert not path.exists(), "no empty one in its place"


def test_a_file_that_was_replaced_is_read_and_not_written_to(
    store: SqlStore, open_with: Callable[..., SqlStore], path: Path
) -> None:
    with store.begin() as session:
        session.marks.save("a", "old")
    store.close()
    shutil.copy(path, path.with_name("backup"))
    with store.begin() as session:
        session.marks.save("a", "new")
    path.with_name("backup").replace(path)
    for rest in ("-wal", "-shm"):
        path.with_name(path.name + rest).unlink(missing_ok=True)
    with store.read() as session:
        assert session.marks.load("a") == "old", "a board shows what is there now"
    with pytest.raises(ServiceUnavailable, match="replaced while this ran; start again"), store.begin() as session:
        session.marks.save("a", "1")
    with open_with().begin() as session:
        session.marks.save("a", "1")


def test_a_database_that_was_made_once_is_not_made_again_in_silence(database_url: sa.URL, path: Path) -> None:
    path.unlink()
    with pytest.raises(ServiceUnavailable, match=r"its file is gone; put it back, or delete .* too to begin anew"):
        migrate(database_url)
    path.with_name(f".{path.name}.made").unlink()
    migrate(database_url)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
