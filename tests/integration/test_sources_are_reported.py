"""What went wrong at the archive is reported: by the poll and its exit code, by `status`, and on the Data page."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from fastapi.testclient import TestClient
from lxml import html

from kipflow.cli import run
from kipflow.config.settings import read_settings
from kipflow.domain.facts import ArchiveMonth
from kipflow.services.assembly import load_facts
from kipflow.web.app import create_app
from kipflow.wiring import connect
from tests.integration.mailserver import CountingArchive, make_mail, serving
from tests.living import live_in

DEV, USERS = "dev@lantern.example", "users@lantern.example"
COMMUNITY = """\
name: lantern
title: Lantern
prefix: KIP
lists: [dev@lantern.example, users@lantern.example]
archive: {{url: "{url}", permalink: "https://lists.x.example/{{mid}}", since: 2026-02}}
policy: {{source: invented, binding_roles: [committer]}}
"""


@pytest.fixture
def archive(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[CountingArchive]:
    with serving(CountingArchive()) as state:
        (tmp_path / "lantern.yaml").write_text(COMMUNITY.format(url=state.url))
        live_in(monkeypatch, tmp_path / "home", community=str(tmp_path / "lantern.yaml"))
        for n in (1, 2, 3):
            at = datetime(2026, 3, n, tzinfo=UTC)
            state.put(DEV, make_mail(f"d{n}@x.example", at, "[DISCUSS] KIP-7: Gates", f"Words {n}."))
        state.put(USERS, make_mail("u@x.example", datetime(2026, 3, 1, tzinfo=UTC), "Hello", "Words."))
        yield state


def poll(capsys: pytest.CaptureFixture[str], at: str) -> tuple[int, list[str]]:
    """The exit code of a poll as of a time, and the warnings that it gave."""
    code = run(["poll", "--as-of", at])
    shown = capsys.readouterr().err
    return code, [line.removeprefix("warning: ") for line in shown.splitlines() if line.startswith("warning: ")]


def data_page() -> str:
    parts = connect(read_settings())
    try:
        text = (
            TestClient(create_app(lambda: parts.store, clock=lambda: datetime(2026, 3, 20, tzinfo=UTC)))
            .get("/data")
            .text
        )
        return " ".join(html.fromstring(text).text_content().split())
    finally:
        parts.store.close()


def status(capsys: pytest.CaptureFixture[str]) -> str:
    assert run(["advance", "--as-of", "2026-03-20"]) == 0
    capsys.readouterr()
    assert run(["status"]) == 0
    return capsys.readouterr().err


@pytest.mark.usefixtures("archive")
def test_a_poll_in_good_order_is_silent(capsys: pytest.CaptureFixture[str]) -> None:
    assert poll(capsys, "2026-03-20T12:00") == (0, [])
    assert poll(capsys, "2026-03-20T13:00") == (0, [])
    assert "mail: 4 months of 2 lists, read up to 2026-03-20 13:00 UTC" in status(capsys)


def test_a_mail_that_vanished_while_another_came_is_reported_and_kept(
    archive: CountingArchive, capsys: pytest.CaptureFixture[str]
) -> None:
    poll(capsys, "2026-03-20T12:00")
    del archive.mails[DEV, "2026-03"][1]
    archive.put(DEV, make_mail("d4@x.example", datetime(2026, 3, 4, tzinfo=UTC), "[DISCUSS] KIP-7: Gates", "Words 4."))
    shown = f"{DEV} 2026-03: 1 mail that it held before is gone from the archive and kept here: <d2@x.example>"
    assert poll(capsys, "2026-03-20T13:00") == (1, [shown])
    assert poll(capsys, "2026-03-20T14:00") == (0, []), "it is reported once"
    assert "gone from the archive and kept here: <d2@x.example>" in data_page()
    assert "<d2@x.example>" in status(capsys)
    parts = connect(read_settings())
    with parts.store.read() as session:
        assert len(load_facts(session, 7).messages) == 4
    parts.store.close()


def test_a_list_that_the_archive_does_not_have_is_one_line_and_holds_votes_up(
    archive: CountingArchive, capsys: pytest.CaptureFixture[str]
) -> None:
    archive.unknown.add(USERS)
    why = f"{USERS} 2026-02 to 2026-03 (2 months): missing: answered 404: not found"
    assert poll(capsys, "2026-03-20T12:00") == (1, [why])
    assert f"{USERS} 2026-03: answered 404: not found" in data_page()
    assert f"{USERS} 2026-03: answered 404: not found" in status(capsys)


def test_a_poll_that_could_read_nothing_says_so_and_counts_nothing(
    archive: CountingArchive, capsys: pytest.CaptureFixture[str]
) -> None:
    poll(capsys, "2026-03-20T12:00")
    archive.unknown |= {DEV, USERS}
    assert run(["poll", "--as-of", "2026-03-20T13:00"]) == 1
    assert (
        capsys.readouterr().out == "nothing could be read from the archive (unreachable since 2026-03-20 13:00 UTC)\n"
    )
    archive.unknown.clear()
    assert run(["poll", "--as-of", "2026-03-20T14:00"]) == 0
    assert "months unchanged" in capsys.readouterr().out


@pytest.mark.parametrize("command", ["poll", "sync"])
def test_a_stopped_sandbox_is_said_before_anybody_is_asked(
    command: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    live_in(monkeypatch, tmp_path / "home", community="sandbox")
    with serving(CountingArchive()) as was:
        monkeypatch.setenv("KIPFLOW_SANDBOX_URL", was.url)
    assert run([command]) == 2
    assert capsys.readouterr().err == (
        "kipflow: the sandbox is not running, so nobody can be asked: `make run` starts it\n"
    )


def test_a_list_that_is_always_empty_is_asked_about(
    archive: CountingArchive, capsys: pytest.CaptureFixture[str]
) -> None:
    archive.mails.pop((USERS, "2026-03"))
    poll(capsys, "2026-03-20T12:00")
    why = f"{USERS}: the archive has no mail of it in 2 months; is that its address?"
    assert poll(capsys, "2026-03-20T13:00") == (1, [why])


def test_every_state_of_a_month_is_on_the_data_page_with_its_reason(
    capsys: pytest.CaptureFixture[str], archive: CountingArchive
) -> None:
    states = {
        "2025-10": ("complete", ""),
        "2025-11": ("complete", "1 mail is gone"),
        "2025-12": ("partial", "truncated after 38 mails"),
        "2026-01": ("missing", "no answer in time"),
        "2026-02": ("unreadable", "answered an HTML page that is no mbox"),
    }
    poll(capsys, "2026-03-20T12:00")
    parts = connect(read_settings())
    with parts.store.begin() as session:
        for month, (state, why) in states.items():
            at = datetime(2026, 3, 1, tzinfo=UTC) - timedelta(minutes=1)
            session.mail.save_month(ArchiveMonth(list_id=DEV, month=month, status=state, fetched_at=at, why=why))
    parts.store.close()
    page = data_page()
    for month, (state, why) in states.items():
        assert f"{month} {DEV} {state} {why}".rstrip() in page
    gaps = page.partition("Gaps")[2].partition("Unreadable")[0]
    assert [month for month in states if f"{DEV} {month}" in gaps] == ["2025-12", "2026-01", "2026-02"]
    assert "mail: 6 months of 2 lists" in (shown := status(capsys))
    assert f"{DEV} 2025-12: truncated after 38 mails" in shown
