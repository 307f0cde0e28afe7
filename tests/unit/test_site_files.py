"""A kept folder: only what changed is written, only what kipflow wrote is removed, and nothing outside is touched."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from kipflow.adapters.sitefiles import MANIFEST, Place, Written, write_files
from kipflow.domain.errors import KipflowError

FILES = {"index.html": b"<p>1</p>", "proposals/1.html": b"one", "proposals/2.html": b"two"}


def test_only_what_changed_is_written(tmp_path: Path) -> None:
    out = tmp_path / "site"
    assert write_files(out, FILES.items()) == Written(written=3, unchanged=0, removed=0)
    before = (out / "proposals/1.html").stat().st_mtime_ns
    changed = {**FILES, "proposals/2.html": b"2.0"}
    assert write_files(out, changed.items()) == Written(written=1, unchanged=2, removed=0)
    assert (out / "proposals/1.html").stat().st_mtime_ns == before
    assert (out / "proposals/2.html").read_bytes() == b"2.0"


def test_a_file_that_is_no_longer_made_is_removed_and_a_stranger_stays(tmp_path: Path) -> None:
    write_files(tmp_path, FILES.items())
    (tmp_path / "CNAME").write_text("kips.example")
    kept = {name: content for name, content in FILES.items() if name != "proposals/2.html"}
    assert write_files(tmp_path, kept.items()).removed == 1
    assert not (tmp_path / "proposals/2.html").exists()
    assert (tmp_path / "CNAME").read_text() == "kips.example"


def test_a_file_that_somebody_changed_is_put_right(tmp_path: Path) -> None:
    write_files(tmp_path, FILES.items())
    (tmp_path / "index.html").write_bytes(b"<p>2</p>")
    assert write_files(tmp_path, FILES.items()).written == 1


def test_what_a_killed_run_left_is_known_as_ours(tmp_path: Path) -> None:
    def killed() -> None:
        raise KeyboardInterrupt

    write_files(tmp_path, FILES.items())

    def some() -> Iterator[tuple[str, bytes]]:
        yield "new.html", b"new"
        killed()

    with pytest.raises(KeyboardInterrupt):
        write_files(tmp_path, some())
    assert write_files(tmp_path, FILES.items()) == Written(written=0, unchanged=3, removed=0)


def test_a_folder_of_somebody_else_is_refused_untouched(tmp_path: Path) -> None:
    (tmp_path / "mine.txt").write_text("mine")
    with pytest.raises(KipflowError, match="not empty"):
        write_files(tmp_path, FILES.items())
    assert [p.name for p in tmp_path.iterdir()] == ["mine.txt"]


@pytest.mark.parametrize("linked", ["proposals", "index.html", MANIFEST])
def test_no_link_out_of_the_folder_is_followed(tmp_path: Path, linked: str) -> None:
    out, elsewhere = tmp_path / "out", tmp_path / "elsewhere"
    write_files(out, FILES.items())
    elsewhere.mkdir()
    (elsewhere / "kept").write_text("kept")
    place = out / linked
    moved = tmp_path / "moved"
    place.rename(moved)
    place.symlink_to(elsewhere if linked == "proposals" else moved)
    with pytest.raises(KipflowError, match="symbolic link"):
        write_files(out, {**FILES, "proposals/3.html": b"three"}.items())
    assert sorted(p.name for p in elsewhere.iterdir()) == ["kept"]


@pytest.mark.parametrize("name", ["../out.html", "/etc/passwd", "a/../../b"])
def test_a_manifest_cannot_name_a_file_elsewhere(tmp_path: Path, name: str) -> None:
    write_files(tmp_path, FILES.items())
    (tmp_path / MANIFEST).write_text(json.dumps({"format": 1, "files": {name: ""}}))
    with pytest.raises(KipflowError, match="no path below"):
        write_files(tmp_path, FILES.items())


def test_a_damaged_manifest_is_named(tmp_path: Path) -> None:
    write_files(tmp_path, FILES.items())
    (tmp_path / MANIFEST).write_text("{")
    with pytest.raises(KipflowError, match="damaged"):
        write_files(tmp_path, FILES.items())


class Unreachable:
    """A file in object storage while its service is away: it says no to `is_file`, as fsspec does to any fault."""

    def is_file(self) -> bool:
        return False

    def exists(self) -> bool:
        raise ConnectionError("reset by peer")


def test_a_service_that_is_away_has_not_removed_a_file() -> None:
    place = Place({"a.html": Unreachable()})
    place._find = place._root.get  # type: ignore[method-assign]
    for ask in (place.read, place.remove):
        with pytest.raises(ConnectionError):
            ask("a.html")
