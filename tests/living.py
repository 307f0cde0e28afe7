"""A community on this machine, as tests that run commands live in it, and the mails that are written there."""

from __future__ import annotations

from datetime import datetime
from email.message import EmailMessage
from email.utils import format_datetime
from pathlib import Path

import pytest


def live_in(patch: pytest.MonkeyPatch, home: Path, *, community: str = "kafka", config: Path | None = None) -> None:
    """Let commands find the community's home, and its files in `config` where these are its own."""
    patch.setenv("KIPFLOW_HOME", str(home))
    patch.setenv("KIPFLOW_COMMUNITY", community)
    if config is not None:
        patch.setenv("KIPFLOW_CONFIG", str(config))


def build_mail(
    message_id: str, sender: str, recipient: str, at: datetime, subject: str, text: str, *, answers: str = ""
) -> bytes:
    """A mail's bytes; both ids come without their angle brackets."""
    mail = EmailMessage()
    mail["Message-ID"] = f"<{message_id}>"
    mail["From"] = sender
    mail["To"] = recipient
    mail["Date"] = format_datetime(at)
    mail["Subject"] = subject
    if answers:
        mail["In-Reply-To"] = f"<{answers}>"
    mail.set_content(text + "\n")
    return mail.as_bytes()
