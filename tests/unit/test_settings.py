"""A wrong configuration file is one line with file, key and what was expected there; settings come from variables."""

from __future__ import annotations

from pathlib import Path
from typing import get_args

import pytest

from kipflow.config.roster import load_roster
from kipflow.config.settings import read_settings
from kipflow.config.values import BindingRole
from kipflow.domain.errors import ConfigError
from kipflow.domain.people import ROLES

PERSON = (
    "  - {{id: {id}, name: Mara Lind, emails: [{email}], roles: [{{role: pmc, since: {since}, until: {until}}}]}}\n"
)


def write(path: Path, *people: dict[str, str]) -> Path:
    usual = {"id": "mlind", "email": "mara@lind.example", "since": "2019-05-01", "until": "null"}
    path.write_text("people:\n" + "".join(PERSON.format(**{**usual, **person}) for person in people))
    return path


@pytest.mark.parametrize(
    ("people", "expected"),
    [
        ([{"since": "2019-05-41"}], "people.0.roles.0.since: expected a date such as 2026-03-02, got '2019-05-41'"),
        ([{"until": "2018-01-01"}], "people.0.roles.0.until: expected a day from 2019-05-01 on"),
        ([{"email": "mara lind"}], "people.0.emails.0: expected an address such as"),
        ([{}, {"id": "other"}], "people.1.emails: expected no address of mlind's, got 'mara@lind.example'"),
        ([{}, {"email": "other@lind.example"}], "people.1.id: expected an id of its own, not mlind again"),
        (
            [{}, {"id": "MLind", "email": "other@lind.example"}],
            "people.1.id: expected an id of its own, not MLind again, which differs from mlind by case only",
        ),
        (
            [{"email": "'*@lind.example'"}],
            "people.0.emails: expected for Mara Lind whole addresses, no pattern, got '*@lind.example'",
        ),
    ],
    ids=[
        "impossible date",
        "ends before it begins",
        "no address",
        "address of two",
        "id of two",
        "ids apart by case",
        "pattern",
    ],
)
def test_a_wrong_roster_is_refused_with_its_place(tmp_path: Path, people: list[dict[str, str]], expected: str) -> None:
    with pytest.raises(ConfigError) as refused:
        load_roster(write(tmp_path / "roster.yaml", *people))
    assert expected in str(refused.value)


@pytest.mark.parametrize(
    ("role", "expected"),
    [("commiter", ": did you mean committer?"), ("PMC", ": did you mean pmc?"), ("chef de projet", "")],
)
def test_a_role_that_no_policy_knows_is_refused_with_its_person(tmp_path: Path, role: str, expected: str) -> None:
    path = write(tmp_path / "roster.yaml", {})
    path.write_text(path.read_text().replace("role: pmc", f"role: {role}"))
    with pytest.raises(ConfigError) as refused:
        load_roster(path)
    assert str(refused.value) == (
        f"{path}: people.0.roles.0.role: expected for Mara Lind one of pmc, committer, contributor, member, "
        f"maintainer, emeritus, got {role!r}{expected}"
    )


def test_the_roles_of_a_roster_are_those_that_a_policy_can_name_and_emeritus() -> None:
    assert {*get_args(BindingRole), "emeritus"} == set(ROLES)


def test_accounts_make_everybodys_id_an_address_where_the_file_says_so(tmp_path: Path) -> None:
    path = write(tmp_path / "roster.yaml", {})
    assert load_roster(path).identify(name="", address="mlind@apache.org").person is None
    path.write_text("accounts: apache.org\n" + path.read_text())
    assert load_roster(path).identify(name="", address="MLIND@apache.org").id == "mlind"
    path.write_text(path.read_text() + PERSON.format(id="x", email="mlind@apache.org", since="null", until="null"))
    with pytest.raises(ConfigError, match=r"people\.1\.emails: expected no address of mlind's"):
        load_roster(path)
    path.write_text("accounts: me@apache\npeople: []\n")
    with pytest.raises(ConfigError, match=r"accounts: expected a domain such as apache\.org"):
        load_roster(path)


def test_a_role_may_end_and_an_address_may_stand_twice_with_one_person(tmp_path: Path) -> None:
    email = "mara@lind.example, Mara@Lind.example"
    roster = load_roster(write(tmp_path / "roster.yaml", {"email": email, "until": "2020-01-01"}))
    assert roster.identify(name="", address="mara@lind.example").id == "mlind"


def test_a_variable_that_is_empty_is_as_good_as_none() -> None:
    names = ("KIPFLOW_HOME", "KIPFLOW_COMMUNITY", "KIPFLOW_CONFIG", "KIPFLOW_DATABASE_URL", "KIPFLOW_DRY_RUN")
    assert read_settings(dict.fromkeys(names, "")) == read_settings({})
