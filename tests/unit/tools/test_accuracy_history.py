"""`make accuracy`'s history: what the rules derive is compared with the wiki class by class, never adjusted to it."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.unit.tools.history import lay_out
from tools.accuracy import __main__ as accuracy
from tools.accuracy.findings import Section
from tools.accuracy.quorums import is_alike

OLD, NEW, LATE = "2021-05-01T08:00:00.000Z", "2023-05-01T08:00:00.000Z", "2023-07-01T08:00:00.000Z"
OPEN = "under discussion"


def vote(number: int, *people: str, month: int = 6) -> list[tuple[str, str, str, int]]:
    """A vote thread: one mail of each, an hour apart, from the first of the month on."""
    return [
        (f"2023-{month:02}-01 {9 + hour:02}:{number % 60:02}:00", who, "vote", number)
        for hour, who in enumerate(people)
    ]


def check(folder: Path) -> dict[str, Section]:
    return {section.title: section for section in accuracy.check_history(folder)}


def reported(section: Section) -> set[tuple[str, str, str]]:
    return {(d.id.partition("/")[2], d.read, d.shown) for d in section.disagreements}


def test_each_way_in_which_mail_alone_cannot_know_of_an_acceptance_is_a_class(tmp_path: Path) -> None:
    folder = lay_out(
        tmp_path / "kafka",
        index=[
            (1, "accepted", NEW, LATE, "Ada Rowe"),  # voted on
            (2, "accepted", OLD, OLD, "Ada Rowe"),  # older than the mails
            (3, "accepted", NEW, "2023-05-01T09:00:00.000Z", "Bo Lund"),  # untouched since its day
            (4, "accepted", NEW, LATE, "Cy Vane"),  # voted on under 5
            (5, OPEN, NEW, LATE, "Bo Lund"),
            (6, "accepted", NEW, LATE, "Bo Lund"),  # named in bodies only
            (7, "not accepted", NEW, LATE, "Bo Lund"),
            (8, OPEN, NEW, LATE, "Bo Lund"),
            (9, "unknown", NEW, LATE, "Bo Lund"),
        ],
        mails=[
            *vote(1, "Ada Rowe", "Bo Lund"),
            *vote(5, "Cy Vane", "Ada Rowe", "Bo Lund"),
            *[(when, who, "body", 4) for when, who, _, _ in vote(5, "Cy Vane", "Ada Rowe")],
            ("2023-05-02 10:00:00", "Bo Lund", "body", 6),
            ("2023-05-03 10:00:00", "Bo Lund", "discuss", 8),
        ],
    )
    section = check(folder)["Stages from pages and mails alone"]
    assert all(d.met for d in section.demands)
    assert reported(section) == {
        ("alone/accepted-with-vote", "Vote (1 proposal)", "KIP-1"),
        ("alone/accepted-page-older-than-mails", "Draft (1 proposal)", "KIP-2"),
        ("alone/accepted-page-untouched-since-its-day", "Draft (1 proposal)", "KIP-3"),
        ("alone/accepted-voted-under-another-number", "Draft (1 proposal)", "KIP-4"),
        ("alone/accepted-named-in-bodies-only", "Draft (1 proposal)", "KIP-6"),
        ("alone/rejected-without-vote", "Draft (1 proposal)", "KIP-7"),
    }
    assert [(f.right, f.total) for f in section.figures] == [(1, 4), (0, 5), (0, 1), (2, 2)]


def test_an_imported_index_settles_what_no_vote_speaks_of(tmp_path: Path) -> None:
    folder = lay_out(
        tmp_path / "kafka",
        index=[(1, "accepted", NEW, LATE, "Ada Rowe"), (2, "accepted", OLD, OLD, "Ada Rowe")],
        mails=[*vote(1, "Ada Rowe"), ("2023-06-02 10:00:00", "Ada Rowe", "discuss", 77)],
    )
    section = check(folder)["Stages with the index as baseline"]
    assert reported(section) == {("imported/vote-seen", "Vote (1 proposal)", "KIP-1")}
    assert section.listed[1] == ("KIP-77", "named by subjects of mails, not in the index")
    assert all(d.met for d in section.demands)


def test_dates_that_contradict_the_wikis_are_reported_with_both_sides(tmp_path: Path) -> None:
    folder = lay_out(
        tmp_path / "kafka",
        index=[
            (1, OPEN, NEW, LATE, "Ada Rowe"),
            (2, "accepted", NEW, "2023-06-02T09:00:00.000Z", "Ada Rowe"),
            (3, OPEN, NEW, LATE, "Ada Rowe"),
        ],
        mails=[
            ("2023-05-01 05:00:00", "Bo Lund", "discuss", 1),
            *vote(2, "Ada Rowe"),
            ("2023-05-02 05:00:00", "Bo Lund", "subject", 3),
            *vote(3, "Ada Rowe"),
        ],
    )
    assert {(d.id, d.expected, d.read) for d in check(folder)["Dates"].disagreements} == {
        ("dates/begun/KIP-1", "2023-05-01 08:00", "Draft 3.0 hours earlier (number-taken)"),
        ("dates/discussed/none-before-the-vote", "a discussion before the vote", "none seen (1 proposal)"),
        ("dates/discussed/subject-without-a-tag", "a discussion before the vote", "none seen (1 proposal)"),
        ("dates/closed/KIP-2", "saved after 2023-06-04 09:02", "last saved 24.0 hours after the vote's first mail"),
    }


def test_a_later_word_of_the_wiki_is_drift_and_moves_nothing(tmp_path: Path) -> None:
    saved = "2026-02-01T08:00:00.000Z"
    folder = lay_out(
        tmp_path / "kafka",
        index=[(n, OPEN, NEW, LATE, "Ada Rowe") for n in (1, 2, 3)] + [(4, "accepted", NEW, NEW, "Bo Lund")],
        mails=[*vote(1, "Ada Rowe"), ("2023-06-09 10:00:00", "Bo Lund", "discuss", 2)],
        changes=[
            (1, "2026-02-02T08:00:00+00:00", OPEN, "accepted", saved),
            (2, "2026-02-02T08:00:00+00:00", OPEN, "accepted", saved),
            (3, "2026-02-02T08:00:00+00:00", OPEN, "accepted", "2023-06-15T08:00:00.000Z"),
            (4, "2026-02-02T08:00:00+00:00", "accepted", OPEN, saved),
            (5, "2026-02-02T08:00:00+00:00", "unknown", OPEN, saved),
            (5, "2026-03-02T08:00:00+00:00", OPEN, "accepted", saved),
        ],
    )
    section = check(folder)["States that changed later"]
    assert [d.met for d in section.demands] == [True, True]
    assert reported(section) == {
        ("accepted-with-vote", "Vote (1 proposal)", "KIP-1"),
        ("accepted-after-the-mails-end", "Discussion (1 proposal)", "KIP-2"),
        ("another-page-of-that-number", "Discussion (1 proposal)", "KIP-3"),
        ("taken-back", "Accepted (1 proposal)", "KIP-4"),
        ("row-after-its-baseline", "Draft (1 proposal)", "KIP-5"),
    }


def test_who_is_missing_for_a_quorum_is_reported_by_why(tmp_path: Path) -> None:
    people = {
        1: ("Ada Rowe", "Bo Lund", "Cyrus P. Marsh"),
        2: ("Ada Rowe", "Bo Lund", "Cyrus Marsh"),
        3: ("Ada Rowe", "Bo Lund", "Dee Quist"),
        4: ("Ada Rowe", "Bo Lund", "Someone Else"),
        6: ("Ada Rowe", "Bo Lund", "Cyrus"),
    }
    mails = [one for number, names in people.items() for one in vote(number, *names)]
    late = [(f"2025-06-01 {9 + h:02}:05:00", who, "vote", 5) for h, who in enumerate(("Ada Rowe", "Bo Lund"))]
    folder = lay_out(
        tmp_path / "kafka",
        index=[(n, "accepted", NEW, "2025-07-01T08:00:00.000Z", "Ada Rowe") for n in range(1, 7)],
        mails=[*mails, *late],
    )
    section = check(folder)["Who may bind"]
    assert [(f.right, f.total) for f in section.figures] == [(1, 6)]
    assert {(d.id.partition("/")[2], d.shown) for d in section.disagreements} == {
        ("name-that-a-person-is-asked-about", "KIP-2"),
        ("name-in-part", "KIP-6"),
        ("listed-later", "KIP-3"),
        ("other", "KIP-4"),
        ("after-the-rosters-last-entry", "KIP-5"),
    }


def test_an_unexplained_class_of_history_fails(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    lay_out(
        tmp_path / "real" / "kafka",
        index=[(1, "accepted", NEW, LATE, "Ada Rowe")],
        mails=vote(1, "Ada Rowe", "Bo Lund", "Cyrus P. Marsh"),
    )
    assert accuracy.main(["--realdata", str(tmp_path / "real"), "--corpus", str(tmp_path / "none")]) == 1
    shown = capsys.readouterr().out
    assert "stages/alone/accepted-with-vote: expected accepted, read Vote (1 proposal)   UNEXPLAINED" in shown


@pytest.mark.parametrize(
    ("one", "other", "alike"),
    [
        ("Cyrus Marsh", "Cyrus P. Marsh", True),
        ("Cyrus M.", "Cyrus Marsh", True),
        ("Cyrus", "Cyrus Marsh", True),
        ("Cyrus Marsh", "Cyril Marsh", False),
        ("", "Cyrus Marsh", False),
    ],
)
def test_names_that_may_be_one_persons(one: str, other: str, alike: bool) -> None:
    assert is_alike(one, other) is is_alike(other, one) is alike
