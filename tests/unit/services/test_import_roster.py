"""Importing a roster adds and never takes away; what could mean two people is notified. All people are invented."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, date, datetime
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kipflow.config.roster import load_roster
from kipflow.domain.errors import UnreadableInput
from kipflow.domain.people import Person, Role
from kipflow.rosters.editing import edit_roster
from kipflow.rosters.entries import Collector, Listing, RosterEntry
from kipflow.rosters.files import RosterFile, parse_roster, render_roster
from kipflow.rosters.formats import parse_listing
from kipflow.services.import_roster import ImportReport, import_roster
from tests.examples import examples

TODAY = date(2026, 3, 2)
REALDATA = Path(__file__).resolve().parents[4] / "shared" / "realdata"


def day(text: str) -> datetime:
    return datetime.fromisoformat(text).replace(tzinfo=UTC)


MARA = Person(
    id="mlind",
    name="Mara Lind",
    aliases=("M. Lind",),
    emails=("mlind@apache.org",),
    roles=(Role(role="pmc", since=day("2019-05-01")),),
)


def entry(name: str, **values: object) -> RosterEntry:
    gathering = Collector("a page")
    gathering.add(name=name, place="row 1", **values)  # type: ignore[arg-type]
    [made] = gathering.entries
    return made


def take(*entries: RosterEntry, known: tuple[Person, ...] = (MARA,), as_of: date = TODAY) -> ImportReport:
    before = RosterFile(people=known, source="by hand", as_of=date(2025, 1, 1))
    return import_roster(before, Listing(entries=entries), source="a page", as_of=as_of)


def person(report: ImportReport, person_id: str) -> Person:
    return next(p for p in report.roster.people if p.id == person_id)


# -- who is who ---------------------------------------------------------------------------------------
def test_addresses_and_spellings_are_added_to_the_person_of_the_id() -> None:
    report = take(entry("Mara E. Lind", id="mlind", emails=["mara@lind.example"]))
    assert person(report, "mlind").emails == ("mlind@apache.org", "mara@lind.example")
    assert person(report, "mlind").aliases == ("M. Lind", "Mara E. Lind")
    assert (report.changed, report.conflicts) == (("mlind",), ())


def test_an_address_identifies_where_there_is_no_id() -> None:
    assert take(entry("Lind, Mara", emails=["MLIND@apache.org.INVALID"])).added == ()


def test_an_exact_name_identifies_and_is_reported_where_addresses_differ() -> None:
    report = take(entry("mara lind", emails=["mara@lind.example"]))
    assert person(report, "mlind").emails == ("mlind@apache.org", "mara@lind.example")
    assert any("taken for mlind by name alone" in note for note in report.notes)


def test_a_name_one_letter_away_is_another_person_and_reported() -> None:
    report = take(entry("Mara Lund", emails=["mara@lund.example"]))
    assert report.added == ("mara-lund",)
    assert any("Mara Lund (mara-lund) and Mara Lind (mlind) are one letter apart" in note for note in report.notes)


@pytest.mark.parametrize("name", ["Mara Lin", "Mara Lindt", "Mata Lind", "Mara Lind"[1:]])
def test_each_kind_of_one_letter_is_reported(name: str) -> None:
    assert any("one letter apart" in note for note in take(entry(name, id="other")).notes)


def test_names_two_letters_apart_are_no_news() -> None:
    assert not any("one letter apart" in note for note in take(entry("Mara Lundt", id="other")).notes)


def test_a_first_name_alone_identifies_nobody() -> None:
    known = (replace(MARA, name="Mara"),)
    assert take(entry("Mara", emails=["m@x.example"]), known=known).added == ("mara",)


def test_two_accounts_of_one_name_are_two_people_and_reported() -> None:
    report = take(entry("Mara Lind", id="mlind2"))
    assert report.added == ("mlind2",)
    assert any("mlind has the same name; two people" in note for note in report.notes)


def test_two_rows_of_one_name_with_different_addresses_are_not_merged() -> None:
    report = take(entry("Ona Paz", emails=["ona@a.example"]), entry("Ona Paz", emails=["ona@b.example"]), known=())
    assert report.added == ("ona-paz", "ona-paz-2")
    assert len(report.conflicts) == 1


def test_a_bare_name_that_two_people_have_is_left_out_and_reported() -> None:
    twin = replace(MARA, id="mlind2", emails=())
    report = take(entry("Mara Lind", roles=[Role(role="committer")]), known=(MARA, twin))
    assert report.roster.people == (MARA, twin)
    assert "mlind and mlind2 go by this name" in report.conflicts[0]


def test_an_id_under_a_wholly_other_name_changes_nothing_and_is_reported() -> None:
    report = take(entry("Ona Paz", id="mlind", emails=["ona@paz.example"], roles=[Role(role="committer")]))
    assert report.roster.people == (MARA,)
    assert "mlind is Mara Lind in the file" in report.conflicts[0]


def test_another_persons_address_is_not_taken_over() -> None:
    report = take(entry("Ona Paz", id="opaz", emails=["mlind@apache.org", "ona@paz.example"]))
    assert person(report, "opaz").emails == ("ona@paz.example",)
    assert "mlind@apache.org belongs to mlind" in report.conflicts[0]


def test_another_persons_name_does_not_become_an_alias() -> None:
    ona = Person(id="olind", name="Ona Lind")
    report = take(entry("Ona Lind", id="olind", aliases=["Mara Lind"]), known=(MARA, ona))
    assert person(report, "olind").aliases == ()
    assert "Mara Lind is another person's name" in report.conflicts[0]


def test_addresses_of_two_people_on_one_key_are_left_out_and_reported() -> None:
    ona = Person(id="opaz", name="Ona Paz", emails=("ona@paz.example",))
    mara = replace(MARA, emails=("mara@lind.example",))
    report = take(entry("Release Key", emails=["mara@lind.example", "ona@paz.example"]), known=(mara, ona))
    assert report.roster.people == (mara, ona)
    assert "its addresses belong to mlind and opaz; left out" in report.conflicts[0]


def test_an_id_made_from_a_name_meets_the_account_of_that_name_later() -> None:
    first = take(entry("Ona Paz", roles=[Role(role="committer", since=day("2020-01-01"))]), known=())
    second = import_roster(
        first.roster,
        Listing(entries=(entry("Ona Paz", id="opaz", emails=["opaz@apache.org"]),)),
        source="b",
        as_of=TODAY,
    )
    assert [(p.id, p.emails) for p in second.roster.people] == [("ona-paz", ("opaz@apache.org",))]


# -- roles --------------------------------------------------------------------------------------------
def test_a_missing_date_is_filled_and_a_stated_one_stays() -> None:
    known = (replace(MARA, roles=(Role(role="pmc"), Role(role="committer", since=day("2017-01-01")))),)
    listed = [Role(role="pmc", since=day("2019-05-01")), Role(role="committer", since=day("2018-01-01"))]
    report = take(entry("Mara Lind", id="mlind", roles=listed), known=known)
    assert person(report, "mlind").roles == (
        Role(role="pmc", since=day("2019-05-01")),
        Role(role="committer", since=day("2017-01-01")),
    )
    assert "committer since 2018-01-01 here, 2017-01-01 in the file" in report.conflicts[0]


def test_the_end_of_a_role_is_taken_and_reported() -> None:
    ended = Role(role="pmc", since=day("2019-05-01"), until=day("2025-01-01"))
    report = take(entry("Mara Lind", id="mlind", roles=[ended]))
    assert person(report, "mlind").roles == (ended,)
    assert any("pmc ended 2025-01-01" in note for note in report.notes)


def test_a_role_that_the_file_has_ended_is_not_revived() -> None:
    ended = (replace(MARA, roles=(Role(role="pmc", since=day("2019-05-01"), until=day("2025-01-01")),)),)
    report = take(entry("Mara Lind", id="mlind", roles=[Role(role="pmc", since=day("2019-05-01"))]), known=ended)
    assert report.roster.people == ended
    assert "pmc held here, until 2025-01-01 in the file" in report.conflicts[0]


def test_an_older_record_of_a_role_since_ended_is_no_conflict() -> None:
    ended = (replace(MARA, roles=(Role(role="pmc", since=day("2019-05-01"), until=day("2025-01-01")),)),)
    listed = entry("Mara Lind", id="mlind", roles=[Role(role="pmc", since=day("2019-05-01"))])
    assert take(listed, known=ended, as_of=date(2024, 1, 1)).conflicts == ()


def test_a_later_span_of_a_role_is_a_second_one() -> None:
    first = Role(role="pmc", since=day("2015-01-01"), until=day("2018-01-01"))
    again = Role(role="pmc", since=day("2020-01-01"))
    report = take(entry("Mara Lind", id="mlind", roles=[again]), known=(replace(MARA, roles=(first,)),))
    assert person(report, "mlind").roles == (first, again)


def test_emeritus_does_not_end_a_role_unasked_but_is_reported() -> None:
    report = take(entry("Mara Lind", id="mlind", roles=[Role(role="emeritus")]))
    assert MARA.roles[0] in person(report, "mlind").roles
    assert "emeritus here" in report.conflicts[0]


def test_who_is_missing_from_the_source_stays_and_is_reported() -> None:
    report = take(entry("Ona Paz", id="opaz", roles=[Role(role="committer")]))
    assert MARA in report.roster.people
    assert any("not in this source" in note and "mlind" in note for note in report.notes)


def test_roles_without_a_date_are_reported_because_they_count_as_always_held() -> None:
    assert any("always held" in note for note in take(entry("Ona Paz", id="opaz", roles=[Role(role="pmc")])).notes)


# -- the file -----------------------------------------------------------------------------------------
def test_sources_are_kept_with_their_dates_and_named_once() -> None:
    report = take(entry("Mara Lind", id="mlind"))
    assert (report.roster.source, report.roster.as_of) == ("by hand (2025-01-01); a page", TODAY)
    again = import_roster(report.roster, Listing(entries=()), source="a page", as_of=date(2026, 4, 1))
    assert (again.roster.source, again.roster.as_of) == ("by hand (2025-01-01); a page", date(2026, 4, 1))


def test_an_older_source_does_not_make_the_file_older() -> None:
    report = take(entry("Mara Lind", id="mlind"), as_of=date(2020, 1, 1))
    assert (report.roster.source, report.roster.as_of) == ("by hand; a page (2020-01-01)", date(2025, 1, 1))


def test_comments_on_top_are_kept_where_a_file_is_written_anew() -> None:
    text = "# ours\n# since 2020\n\nsource: x\npeople: [{id: mlind, name: Mara Lind}]  # chair\n"
    before = parse_roster(text, source="x.yaml")
    report = import_roster(before, Listing(entries=(entry("Ona Paz", id="opaz"),)), source="y", as_of=TODAY)
    assert edit_roster(text, before, report.roster).startswith("# ours\n# since 2020\nsource:")


NAMES = st.text(max_size=40)
DAYS = st.one_of(st.none(), st.dates(date(1990, 1, 1), date(2100, 1, 1)))


@st.composite
def entries(draw: st.DrawFn) -> RosterEntry | None:
    since, until = draw(DAYS), draw(DAYS)
    if since and until and until <= since:
        until = None
    spans = {k: day(d.isoformat()) if d else None for k, d in (("since", since), ("until", until))}
    gathering = Collector("a page")
    gathering.add(
        id=draw(st.sampled_from(["", "", "a", "no", "null", "0x1", "1e3", "mlind"])),
        name=draw(
            st.one_of(NAMES, st.sampled_from(["Mara Lind", "Ona Paz", "${HOME} x", "- a: b", "yes", '"\\ #', "7"]))
        ),
        aliases=[draw(NAMES)],
        emails=[draw(st.one_of(NAMES, st.emails(), st.sampled_from(["a@x.example", "b@x.example"])))],
        roles=[Role(role=draw(st.sampled_from(["pmc", "committer"])), **spans)],
        place="row",
    )
    return next(iter(gathering.entries), None)


@settings(examples(150), derandomize=True)
@given(listed=st.lists(entries(), max_size=8))
def test_what_is_written_reads_back_equal_and_importing_twice_changes_nothing(
    tmp_path_factory: pytest.TempPathFactory, listed: list[RosterEntry | None]
) -> None:
    listing = Listing(entries=tuple(e for e in listed if e is not None))
    once = import_roster(None, listing, source="a: page # 1", as_of=TODAY)
    text = render_roster(once.roster)
    path = tmp_path_factory.mktemp("roster") / "roster.yaml"
    path.write_text(text, encoding="utf-8")
    assert load_roster(path).people == once.roster.people
    assert parse_roster(text, source="x") == once.roster
    twice = import_roster(parse_roster(text, source="x"), listing, source="a: page # 1", as_of=TODAY)
    assert render_roster(twice.roster) == text


FORMS = {
    "blocks": "people:\n- id: a\n  name: Aa Bb\n- id: b # two\n  name: Cc Dd\n  emails:\n  - c@x.example\n",
    "lines": "# a\npeople:\n    - {id: a, name: Aa Bb}\n\n    # b\n    - {id: b, name: Cc Dd}\nas_of: 2020-01-01\n",
    "one line": "people: [{id: a, name: Aa Bb}, {id: b, name: Cc Dd}]\n",
    "no end": "source: 'it''s'\npeople:\n  - id: a\n    name: Aa Bb",
    "nobody": "source: empty\npeople: []\n",
    "windows": "source: x\r\npeople:\r\n  - id: a\r\n    name: Aa Bb\r\n",
}


@pytest.mark.parametrize("form", FORMS)
@settings(examples(40), derandomize=True)
@given(listed=st.lists(entries(), max_size=5))
def test_an_edited_file_says_the_new_roster_in_whatever_form_it_was(
    form: str, listed: list[RosterEntry | None]
) -> None:
    text = FORMS[form]
    before = parse_roster(text, source="x")
    again = [entry("Aa Bb", id="a", emails=["a@new.example"]), *(e for e in listed if e is not None)]
    after = import_roster(before, Listing(entries=tuple(again)), source="a: page # 1", as_of=TODAY).roster
    read = parse_roster(edit_roster(text, before, after), source="y")
    assert (read.people, read.source, read.as_of) == (after.people, after.source, after.as_of)


def test_a_name_cannot_ask_for_a_variable_of_the_reader(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KIPFLOW_SLACK_TOKEN", "secret")
    report = take(entry("${KIPFLOW_SLACK_TOKEN} Paz", id="opaz"), known=())
    path = tmp_path / "roster.yaml"
    path.write_text(render_roster(report.roster), encoding="utf-8")
    assert load_roster(path).people[0].name == "${KIPFLOW_SLACK_TOKEN} Paz"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("people: [", "expected valid YAML"),
        ("[" * 100_000, "expected values nested less deeply"),
        ("a: &x [1]\npeople: [*x, *x]", "aliases .* are not read"),
        ("people: {}", "people: expected a list"),
        ("people: [1]", "people.0: expected keys with values"),
        ("people: [{id: a}]", "people.0.name: expected a value"),
        ("people: [{id: a, name: A B}, {id: a, name: C D}]", "people.1.id: expected an id of its own, not a again"),
        ("people: [{id: a, name: A B, roles: [{role: pmc, since: soon}]}]", "since: expected a date"),
        ("people: [{id: a, name: [A]}]", "name: expected a text"),
        ("people: [{id: a, name: A B, emails: x}]", "emails: expected a list"),
    ],
)
def test_a_roster_file_of_another_shape_is_one_clear_error(text: str, expected: str) -> None:
    with pytest.raises(UnreadableInput, match=expected):
        parse_roster(text, source="x.yaml")


def test_every_fault_of_a_roster_file_is_named_at_once() -> None:
    with pytest.raises(UnreadableInput, match=r"x: people\.0\.name: expected") as refused:
        parse_roster("people: [{id: a}, {id: b, name: B C, emails: [b]}]", source="x")
    [note] = refused.value.__notes__
    assert note.startswith("x: people.1.emails.0: expected an address")


def test_another_roster_cannot_ask_for_a_variable_of_the_reader(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KIPFLOW_SLACK_TOKEN", "secret")
    [read] = parse_roster('people: [{id: a, name: "${KIPFLOW_SLACK_TOKEN}"}]', source="x").people
    assert read.name == "${KIPFLOW_SLACK_TOKEN}"


def test_the_address_that_an_id_is_by_the_files_domain_is_not_written_out() -> None:
    text = "accounts: apache.org\npeople:\n  - {id: mlind, name: Mara Lind}\n"
    before = parse_roster(text, source="x")
    after = import_roster(before, Listing(entries=(entry("Mara E. Lind", id="mlind"),)), source="y", as_of=TODAY).roster
    assert "@" not in edit_roster(text, before, after)


@pytest.mark.realdata
def test_a_real_history_of_roles_becomes_a_roster_that_settings_read(tmp_path: Path) -> None:
    path = REALDATA / "kafka" / "kafka_roster_history.csv"
    if not path.is_file():
        pytest.skip("no real data beside the project (../shared/realdata)")
    listing = parse_listing([(path.name, path.read_text(encoding="utf-8"))])
    report = import_roster(None, listing, source="history", as_of=date(2024, 12, 1))
    out = tmp_path / "roster.yaml"
    out.write_text(render_roster(report.roster), encoding="utf-8")
    people = load_roster(out).people
    assert len(people) == len(report.added) == 58
    assert report.conflicts == ()
    assert all(role.since is not None for p in people for role in p.roles)
    binding = frozenset({"pmc"})
    assert sum(p.holds(binding, day("2016-01-01")) for p in people) == 8
    assert sum(p.holds(binding, day("2024-12-01")) for p in people) == 36
