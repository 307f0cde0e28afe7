"""Fixtures of the mail tests: the corpus of hard cases, and mails written in a line."""

from __future__ import annotations

from collections.abc import Generator
from functools import lru_cache
from pathlib import Path

import pytest

from kipflow.config.roster import load_roster
from kipflow.domain.roster import Roster
from kipflow.mail import messages

CORPUS = Path(__file__).resolve().parents[2] / "data" / "votes"
REALDATA = Path(__file__).resolve().parents[4] / "shared" / "realdata"


@pytest.fixture(scope="session")
def corpus() -> Path:
    return CORPUS


@pytest.fixture(scope="session")
def roster() -> Roster:
    return load_roster(CORPUS / "roster.yaml")


@pytest.fixture(scope="session")
def realdata() -> Path:
    if not REALDATA.is_dir():
        pytest.skip("no real mail beside the project (../shared/realdata)")
    return REALDATA


#: The two most costly steps of reading a mail. What they find follows from their arguments alone, which never change.
REMEMBERED = {name: lru_cache(50_000)(getattr(messages, name)) for name in ("read_expressions", "read_declared")}


@pytest.fixture(scope="module")
def same_words_read_once() -> Generator[None]:
    """For modules that read the same own words many times: in other mails, another order, whole or on demand."""
    with pytest.MonkeyPatch.context() as patch:
        for name, read in REMEMBERED.items():
            patch.setattr(messages, name, read)
        yield
