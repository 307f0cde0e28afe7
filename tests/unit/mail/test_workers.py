"""Several processes read what one does, in the same order, with the same positions."""

from __future__ import annotations

import gzip
from pathlib import Path
from typing import Any

import pytest

from kipflow.domain.facts import Message, Unreadable
from kipflow.mail import archive, workers
from kipflow.mail.archive import read_path
from kipflow.mail.filereading import FileReading
from kipflow.mail.workers import count_workers

pytestmark = pytest.mark.slow

DATA = Path(__file__).resolve().parents[2] / "data"


def read(*paths: Path, lazy: bool = False, keep_cut: bool = False) -> list[Message | Unreadable]:
    where: dict[str, Any] = {"list_id": "dev@x.example", "month": "", "prefix": "KIP", "list_from_headers": True}
    return list(read_path(*paths, how=FileReading(lazy=lazy, keep_cut=keep_cut, **where)))


@pytest.fixture
def by_two(monkeypatch: pytest.MonkeyPatch) -> pytest.MonkeyPatch:
    monkeypatch.setattr(archive, "count_workers", lambda _size: 2)
    monkeypatch.setattr(workers, "PART", 20_000)
    return monkeypatch


def write_folder(folder: Path) -> Path:
    """A folder with a large box, a small one, a packed one, a box that breaks off and a file that is no mail."""
    boxes = [path.read_bytes() for path in sorted((DATA / "communities").glob("*.mbox"))]
    (folder / "large.mbox").write_bytes(b"".join(boxes))
    (folder / "small.mbox").write_bytes(boxes[0])
    (folder / "packed.mbox.gz").write_bytes(gzip.compress(boxes[1]))
    (folder / "broken.mbox").write_bytes(boxes[2][:-40])
    (folder / "tool.zip").write_bytes(b"PK\x03\x04...")
    return folder


@pytest.mark.parametrize("lazy", [False, True], ids=["at once", "on demand"])
@pytest.mark.parametrize("keep_cut", [False, True])
def test_a_folder_reads_the_same_by_two_processes(
    tmp_path: Path, request: pytest.FixtureRequest, lazy: bool, keep_cut: bool
) -> None:
    folder = write_folder(tmp_path)
    alone = read(folder, keep_cut=keep_cut)
    request.getfixturevalue("by_two")
    both = read(folder, lazy=lazy, keep_cut=keep_cut)
    assert len(alone) > 100
    assert both == alone


def test_months_named_one_by_one_are_shared_among_processes_as_a_whole(
    tmp_path: Path, by_two: pytest.MonkeyPatch
) -> None:
    sizes: list[int] = []

    def count(size: int) -> int:
        sizes.append(size)
        return 2

    by_two.setattr(archive, "count_workers", count)
    files = [*sorted(write_folder(tmp_path).iterdir()), tmp_path / "no such file"]
    together = read(*files, lazy=True)
    assert sizes == [sum(file.stat().st_size for file in files[:-1])], "none of them is worth a process alone"
    by_two.setattr(archive, "count_workers", lambda _size: 1)
    assert together == [item for file in files for item in read(file)]


def test_little_mail_is_read_by_one_process() -> None:
    assert count_workers(workers.WORTH - 1) == 1
