"""A community whose vote depends on who is who, read and decided once for the tests that rule on it."""

from __future__ import annotations

import shutil
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from kipflow.cli import run
from tests.living import live_in

CONFIG = Path(__file__).resolve().parents[2] / "config"
T0 = datetime(2026, 3, 2, 9, tzinfo=UTC)
NOW = T0 + timedelta(days=20)
ROSTER = """
people:
  - {id: mlind, name: Mara Lind, emails: [mlind@apache.org], roles: [{role: committer}]}
  - {id: kosei, name: Kim Osei, emails: [kosei@apache.org], roles: [{role: committer}]}
  - {id: rberg, name: Rune Berg, emails: [rberg@apache.org], roles: [{role: committer}]}
"""
MAIL = """From: {sender}
To: dev@kafka.apache.org
Message-ID: <{stem}@m.example>
{answers}Subject: {subject}
Date: Tue, 03 Mar 2026 {hour:02d}:00:00 +0000

{words}
"""
SENT = (
    ("Kim Osei <kosei@apache.org>", "k", "+1 (binding)"),
    ("Rune Berg <rberg@apache.org>", "r", "+1 (binding)"),
    ("Mara Lind <mlind@apache.org>", "m", "+1 (binding)"),
    ("Mara Lind <mlind@apache.org>", "t", "We have two more +1 by now & <i>wait</i> for a third."),
    ("K. <b>Osei</b> <kim'x@home.example>", "o", "-1, sorry"),
    ("K. Osei <kim@home.example>", "p", "-1, sorry"),
)


def decide_in(folder: Path) -> None:
    """Read and decide the community in a folder."""
    shutil.copytree(CONFIG, folder / "config")
    (folder / "config" / "rosters" / "kafka.yaml").write_text(ROSTER, encoding="utf-8")
    mails = folder / "mails"
    mails.mkdir()
    subject = "[VOTE] KIP-7: Tidy shelves"
    root = {"sender": SENT[2][0], "stem": "root", "subject": subject, "words": "Please vote.", "answers": "", "hour": 8}
    (mails / "root.eml").write_text(MAIL.format(**root), encoding="utf-8")
    for hour, (sender, stem, words) in enumerate(SENT, 9):
        reply = {"sender": sender, "stem": stem, "subject": f"Re: {subject}", "words": words, "hour": hour}
        text = MAIL.format(**reply, answers="In-Reply-To: <root@m.example>\n")
        (mails / f"{stem}.eml").write_text(text, encoding="utf-8")
    with pytest.MonkeyPatch.context() as patch:
        live_in(patch, folder / "home", config=folder / "config")
        assert run(["ingest", str(mails), "--complete-through", "2026-03-31"]) == 0
        assert run(["advance", "--as-of", "2026-03-12"]) == 0
