"""Services that are not there: each reported in plain words, and none waited for again and again."""

from __future__ import annotations

import http.server
import logging
import ssl
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from kipflow.adapters.patience import Patience
from kipflow.adapters.ponymail import PonyMailArchive
from kipflow.domain.errors import ServiceUnavailable
from kipflow.domain.facts import ArchiveMonth
from kipflow.services.landing import wanted_range
from kipflow.services.poll import fetch_months
from tests.httpservers import running
from tests.integration.adapters.faulty import Server, answer, as_json, mails

LIST = "dev@x.example"
NOW = datetime(2026, 1, 1, tzinfo=UTC)
QUICK = Patience(attempts=4, total=5, first_wait=0.01, longest_wait=0.1, connect=2, read=1)


@pytest.fixture
def strange_certificate(tmp_path: Path) -> Iterator[str]:
    """The address of a server whose certificate nobody has signed but itself."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "other.example")])
    made = x509.CertificateBuilder(name, name, key.public_key(), x509.random_serial_number())
    made = made.not_valid_before(NOW - timedelta(days=900)).not_valid_after(NOW + timedelta(days=9_000))
    pem = tmp_path / "server.pem"
    pem.write_bytes(
        key.private_bytes(serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
        + made.sign(key, hashes.SHA256()).public_bytes(serialization.Encoding.PEM)
    )
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), http.server.BaseHTTPRequestHandler)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(pem)
    server.socket = context.wrap_socket(server.socket, server_side=True)
    with running(server) as address:
        yield f"https://{address}"


def archive_at(url: str) -> PonyMailArchive:
    return PonyMailArchive(url, pause=0, patience=QUICK)


def fetch_year(archive: PonyMailArchive, folder: Path) -> list[ArchiveMonth]:
    wanted = wanted_range([LIST], "2024-01", "2024-12")
    return [landed.month for landed in fetch_months(archive, wanted, folder, NOW)]


def lines(caplog: pytest.LogCaptureFixture) -> list[str]:
    return [record.getMessage() for record in caplog.records if record.name.startswith("kipflow")]


def test_a_certificate_that_nobody_trusts_is_reported_once_and_not_tried_again(
    strange_certificate: str, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.WARNING), pytest.raises(ServiceUnavailable, match="certificate is not trusted"):
        archive_at(strange_certificate).fetch_stats(LIST, "2024-01")
    (line,) = lines(caplog)
    assert line.startswith("Pony Mail: GET /stats.lua (dev@x.example 2024-01): its certificate is not trusted")


@pytest.mark.parametrize(
    ("url", "why"),
    [("http://127.0.0.1:9", "refuses connections"), ("http://archive.invalid", "its host is not found")],
)
def test_a_host_that_is_not_there_is_reported_in_plain_words(url: str, why: str) -> None:
    with pytest.raises(ServiceUnavailable, match=why):
        archive_at(url).fetch_stats(LIST, "2024-01")


def test_an_archive_that_is_away_is_not_waited_for_month_by_month(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.WARNING):
        found = fetch_year(archive_at("http://127.0.0.1:9"), tmp_path)
    assert {month.status for month in found} == {"missing"}
    most = (QUICK.outage_after + 1) * QUICK.attempts + 12
    assert len(lines(caplog)) <= most


def test_months_behind_some_that_always_fail_are_fetched_all_the_same(server: Server, tmp_path: Path) -> None:
    server.by_path["/stats.lua"] = [as_json({"hits": 1})]

    def by_month(handler: http.server.BaseHTTPRequestHandler) -> None:
        bad = any(f"d=2024-0{n}" in handler.path for n in range(1, 7))
        answer(b"", 500)(handler) if bad else answer(mails(1))(handler)

    server.play(by_month)
    found = fetch_year(archive_at(server.url), tmp_path)
    assert [month.status for month in found] == ["missing"] * 6 + ["complete"] * 6


def test_a_service_that_says_when_to_come_back_is_waited_for(server: Server, tmp_path: Path) -> None:
    server.by_path["/stats.lua"] = [as_json({"hits": 1})]
    busy = [answer(b"", 429, Retry_After="0")] * (5 * QUICK.attempts)
    server.play(*busy, *[answer(b"", 429, Retry_After="0"), answer(mails(1))] * 12)
    archive = archive_at(server.url)
    for month in range(1, 6):
        archive.fetch_month(LIST, f"2023-{month:02}", tmp_path / f"{month}.mbox", now=NOW)
    assert archive.fetch_month(LIST, "2024-01", tmp_path / "m.mbox", now=NOW).status == "complete"
