"""Who is who, and whose ballot binds when."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from kipflow.domain.people import Person, Role, clean_address, fold_name
from kipflow.domain.roster import Roster

ROSTER = Roster(
    [
        Person(
            id="mlind",
            name="Mara Lind",
            aliases=("M. Lind",),
            emails=("mlind@x.example", "mara@lind.example"),
            roles=(
                Role(role="committer", since=datetime(2020, 1, 1, tzinfo=UTC), until=datetime(2024, 1, 1, tzinfo=UTC)),
            ),
        ),
        Person(id="wz1", name="Wei Zhang", emails=("wz1@x.example",)),
        Person(id="wz2", name="Wei Zhang", emails=("wz2@x.example",)),
    ]
)


@pytest.mark.parametrize(
    ("name", "address", "voter"),
    [
        ("Whoever", "MLIND@x.example.INVALID", "mlind"),
        ("Mara Lind", "new@address.example", "new@address.example"),
        ("Mary Lind", "new@address.example", "new@address.example"),
        ("Mara", "new@address.example", "new@address.example"),
        ("Wei Zhang", "new@address.example", "new@address.example"),
        ("Wei Zhang", "wz2@x.example", "wz2"),
        ("No Address", "", "no address"),
    ],
)
def test_a_voter_is_known_by_address_and_by_no_name(name: str, address: str, voter: str) -> None:
    assert ROSTER.identify(name=name, address=address).id == voter


@pytest.mark.parametrize(("year", "binds"), [(2019, False), (2020, True), (2023, True), (2024, False)])
def test_a_role_binds_from_its_start_until_its_end(year: int, binds: bool) -> None:
    voter = ROSTER.identify(name="", address="mara@lind.example")
    assert voter.holds({"committer"}, datetime(year, 1, 1, tzinfo=UTC)) is binds


@pytest.mark.parametrize(
    ("name", "ids"),
    [("Mára  LIND", ["mlind"]), ("M Lind", ["mlind"]), ("Wei Zhang", ["wz1", "wz2"]), ("Mary Lind", []), ("", [])],
)
def test_who_goes_by_a_name_is_reported_exactly(name: str, ids: list[str]) -> None:
    assert [person.id for person in ROSTER.find_named(name)] == ids


def test_a_name_that_two_people_share_identifies_nobody() -> None:
    assert ROSTER.is_shared_name("wei zhang")
    assert not ROSTER.is_shared_name("Mara Lind")
    assert not ROSTER.is_shared_name("Some Body")


def test_addresses_and_names_are_compared_in_a_clean_form() -> None:
    assert clean_address(" <Mara@Lind.example.INVALID.invalid> ") == "mara@lind.example"
    assert fold_name("José  Q. O’Neill") == "jose q o neill"
