"""A wrong configuration file is one line with file, key and what was expected there."""

from __future__ import annotations

from pathlib import Path

import pytest

from kipflow.domain.errors import ConfigError
from kipflow.settings import load_roster

PERSON = (
    "  - {{id: {id}, name: Mara Lind, emails: [{email}], roles: [{{role: pmc, since: {since}, until: {until}}}]}}\n"
)


def write(path: Path, *people: dict[str, str]) -> Path:
    usual = {"id": "mlind", "email": "mara@lind.example", "since": "2019-05-01", "until": "null"}
    path.write_text("people:\n" + "".join(PERSON.format(**{**usual, **person}) for person in people))
    return path


@pytest.mark.parametrize(
    ("people", "told"),
    [
        ([{"since": "2019-05-41"}], "line 2: expected valid YAML (2019-05-41 is no date"),
        ([{"until": "2018-01-01"}], "people.0.roles.0.until: expected a day from 2019-05-01 on"),
        ([{"email": "mara lind"}], "people.0.emails.0: expected an address such as"),
        ([{}, {"id": "other"}], "people.1.emails: expected no address of mlind's, got 'mara@lind.example'"),
        ([{}, {"email": "other@lind.example"}], "people.1.id: expected an id of its own, not mlind again"),
    ],
    ids=["impossible date", "ends before it begins", "no address", "address of two", "id of two"],
)
def test_a_wrong_roster_is_refused_with_its_place(tmp_path: Path, people: list[dict[str, str]], told: str) -> None:
    with pytest.raises(ConfigError) as refused:
        load_roster(write(tmp_path / "roster.yaml", *people))
    assert told in str(refused.value)


def test_a_role_may_end_and_an_address_may_stand_twice_with_one_person(tmp_path: Path) -> None:
    email = "mara@lind.example, Mara@Lind.example"
    roster = load_roster(write(tmp_path / "roster.yaml", {"email": email, "until": "2020-01-01"}))
    assert roster.identify(name="", address="mara@lind.example").id == "mlind"
