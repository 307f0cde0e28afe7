"""The sandbox's list takes mail by SMTP: what is handed over is in its archive, and stays there."""

from __future__ import annotations

import smtplib
import time
from collections.abc import Iterator
from datetime import UTC, datetime
from email.message import EmailMessage
from pathlib import Path

import pytest
from fastapi.testclient import TestClient

from kipflow.launcher.checks import find_free_port
from kipflow.sandbox.app import create_app

NOW = datetime(2026, 3, 2, 9, tzinfo=UTC)


def mail(text: str = "Passed.\n\nFrom here on it is accepted.\n.\n") -> bytes:
    found = EmailMessage()
    found["From"], found["To"], found["Subject"] = "KIP votes <kips@sandbox.example>", "dev@sandbox.example", "[RESULT]"
    found["Message-ID"] = "<result.1@sandbox.example>"
    found.set_content(text)
    return found.as_bytes()


@pytest.fixture
def port() -> int:
    return find_free_port()


def open_sandbox(port: int, memory: Path) -> TestClient:
    return TestClient(create_app(anchor=NOW, now=NOW, speed=0, mail_port=port, memory=memory, ticks=time.monotonic))


@pytest.fixture
def client(port: int, tmp_path: Path) -> Iterator[TestClient]:
    with open_sandbox(port, tmp_path / "memory") as client:
        yield client


def months(client: TestClient) -> str:
    given = {"list": "dev", "domain": "sandbox.example", "date": "2026-03"}
    return str(client.get("/api/mbox.lua", params=given).text)


def test_a_mail_is_in_the_archive_after_a_restart_too(client: TestClient, port: int, tmp_path: Path) -> None:
    with smtplib.SMTP("127.0.0.1", port, timeout=5) as server:
        assert server.sendmail("kips@sandbox.example", ["dev@sandbox.example"], mail()) == {}
    held = months(client)
    assert held.count("<result.1@sandbox.example>") == 1
    assert "\n>From here on it is accepted.\n.\n" in held
    again = find_free_port()
    with open_sandbox(again, tmp_path / "memory") as restarted:
        assert months(restarted).count("<result.1@sandbox.example>") == 1


def test_nobody_but_the_list_is_here(client: TestClient, port: int) -> None:
    with smtplib.SMTP("127.0.0.1", port, timeout=5) as server:
        with pytest.raises(smtplib.SMTPRecipientsRefused, match=r"only dev@sandbox\.example is here"):
            server.sendmail("kips@sandbox.example", ["private@sandbox.example"], mail())
        assert server.docmd("DATA")[0] == 503
        assert server.docmd("EXPN dev")[0] == 502
    assert "result.1@" not in months(client)


def test_a_mail_that_is_too_long_or_breaks_off_is_not_taken(client: TestClient, port: int) -> None:
    with smtplib.SMTP("127.0.0.1", port, timeout=5) as server:
        with pytest.raises(smtplib.SMTPDataError, match="too long"):
            server.sendmail("kips@sandbox.example", ["dev@sandbox.example"], mail("line\n" * 250_000))
        server.mail("kips@sandbox.example")
        server.rcpt("dev@sandbox.example")
        server.docmd("DATA")
        server.send(b"Message-ID: <result.1@sandbox.example>\r\n\r\nhal")
        server.close()
    assert "result.1@" not in months(client)
