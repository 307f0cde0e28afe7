"""Fixtures of the mail tests: the corpus of hard cases, and mails written in a line."""

from __future__ import annotations

from pathlib import Path

import pytest

from kipflow.config.roster import load_roster
from kipflow.domain.roster import Roster

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
