"""The public site in object storage: copied where it changed, and published only where the configuration asks."""

from __future__ import annotations

import uuid
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from kipflow.adapters.sitefiles import MANIFEST, Place, Written, sync_place
from kipflow.config.community import SiteConfig
from kipflow.domain.errors import KipflowError
from tests.web.story import connect_board, store_story

pytestmark = pytest.mark.airflow

FILES = {"index.html": b"<p>1</p>", "proposals/1.html": b"one", "proposals/2.html": b"two"}


@pytest.fixture(params=["file", "memory"])
def target(request: pytest.FixtureRequest, tmp_path: Path) -> Any:
    from airflow.sdk import ObjectStoragePath

    return ObjectStoragePath(f"file://{tmp_path}/site" if request.param == "file" else f"memory://{uuid.uuid4()}/site")


def publish(target: Any, files: dict[str, bytes]) -> Written:
    return sync_place(Place(target), files.items())


def test_only_what_changed_is_copied_and_what_vanished_is_removed(target: Any) -> None:
    assert publish(target, FILES) == Written(written=3, unchanged=0, removed=0)
    assert (target / "proposals/2.html").read_bytes() == b"two"
    assert publish(target, FILES) == Written(written=0, unchanged=3, removed=0)
    (target / "CNAME").write_bytes(b"kips.example")
    changed = {"index.html": b"<p>2</p>", "proposals/1.html": b"one"}
    assert publish(target, changed) == Written(written=1, unchanged=1, removed=1)
    assert (target / "index.html").read_bytes() == b"<p>2</p>"
    assert not (target / "proposals/2.html").exists()
    assert (target / "CNAME").exists()


def test_a_copy_that_was_cut_off_is_taken_up(target: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    write = Place.write

    def fail(place: Any, name: str, content: bytes) -> None:
        if name == "proposals/1.html":
            raise OSError("the connection broke")
        write(place, name, content)

    monkeypatch.setattr(Place, "write", fail)
    with pytest.raises(OSError, match="broke"):
        publish(target, FILES)
    monkeypatch.undo()
    assert publish(target, FILES).written == 3
    assert publish(target, FILES).written == 0


def test_a_place_of_somebody_else_is_refused(target: Any) -> None:
    target.mkdir(parents=True, exist_ok=True)
    (target / "mine.txt").write_bytes(b"mine")
    with pytest.raises(KipflowError, match="not empty"):
        publish(target, FILES)
    (target / MANIFEST).write_bytes(b'{"files": {"../mine.txt": ""}}')
    with pytest.raises(KipflowError, match="no path below"):
        publish(target, FILES)
    assert (target / "mine.txt").exists()


def test_the_dag_is_made_only_where_the_configuration_says_where_to(
    dags: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from airflow.dag_processing.dagbag import DagBag
    from airflow.sdk.exceptions import AirflowSkipException

    root = Path(__file__).resolve().parents[2]
    assert "kip_publish_site" not in dags
    own = (root / "config/communities/sandbox.yaml").read_text() + "site:\n  publish_to: file:///srv/kips\n"
    (tmp_path / "own.yaml").write_text(own.replace("name: sandbox", "name: own"))
    monkeypatch.setenv("KIPFLOW_COMMUNITY", str(tmp_path / "own.yaml"))
    bag = DagBag(dag_folder=str(root / "dags/kip_publish_site.py"))
    assert bag.import_errors == {}
    assert list(bag.dags) == ["kip_publish_site"]

    parts = connect_board(tmp_path / "home")
    store_story(parts)
    site = SiteConfig(publish_to=f"file://{tmp_path}/published")
    dry = replace(parts, community=parts.community.model_copy(update={"site": site}))
    ours = replace(dry, settings=replace(dry.settings, sends=True))
    copy = bag.dags["kip_publish_site"].get_task("copy_changed_files").python_callable
    monkeypatch.setitem(copy.__globals__, "open_parts", lambda: ours)
    assert copy()["written"] > 10
    assert "KIP-7" in (tmp_path / "published/proposals/7.html").read_text()
    for skips, why in ((parts, "publishes no site"), (dry, "KIPFLOW_DRY_RUN")):
        monkeypatch.setitem(copy.__globals__, "open_parts", lambda skips=skips: skips)
        with pytest.raises(AirflowSkipException, match=why):
            copy()
    parts.store.close()
