"""What each published form of a roster holds: names, addresses, roles and their dates. All people are invented."""

from __future__ import annotations

import json
import time
from datetime import UTC, datetime

import pytest

from kipflow.domain.errors import UnreadableInput
from kipflow.domain.people import Role
from kipflow.rosters import entries, formats
from kipflow.rosters.asf_html import parse_html
from kipflow.rosters.entries import Listing, RosterEntry, clean_name, find_email, parse_day, parse_roles
from kipflow.rosters.formats import Format, find_format, parse_listing
from kipflow.rosters.keys import parse_keys
from kipflow.rosters.ldap import parse_ldap
from kipflow.rosters.tables import parse_csv

PAGE = """<!DOCTYPE html><html><body>
<h1>Apache Lantern</h1><h2 id="pmc">PMC (2)</h2><p>Click on column name to sort</p>
<table class="table"><thead><tr><th>id</th><th>githubUsername</th><th>public name</th><th>starting date</th>
<th>status - click cell for actions</th></tr></thead><tbody>
<tr><td><b><a href="committer/mlind">mlind</a><a href="#x"> (*)</a></b></td><td>ml</td><td><b>Mara Lind</b></td>
<td>2019-05-01</td><td class="chair">chair</td></tr>
<tr><td><a href="committer/tberg">tberg</a></td><td></td><td>Tomasz (Tom) Berg</td><td>2021-02-03</td><td></td></tr>
<tr><td><a style="text-decoration: line-through">opaz</a></td><td></td><td>Ona Paz</td><td></td><td>not in it</td></tr>
</tbody></table>
<h2 id="committers">Committers</h2><table><thead><tr><th>id</th><th>public name</th></tr></thead>
<tr><td>rsol</td><td>Ren&eacute;e Sol</td></tr></table>
<table><tr><th>Board reports</th></tr><tr><td>no people here</td></tr></table></body></html>"""

PEOPLE = json.dumps({"people": {"mlind": {"name": "Mara Lind"}, "rsol": {"name": "Renée Sol"}, "x": {"name": "X"}}})
PROJECTS = json.dumps({"projects": {"lantern": {"members": ["mlind", "rsol"], "owners": ["mlind"], "pmc": True}}})

KEYS = """Import these with: gpg --import KEYS
pub   rsa4096 2018-05-01 [SC]
      0123456789ABCDEF0123456789ABCDEF01234567
uid           [ultimate] Mara Lind (CODE SIGNING KEY) <mlind@apache.org>
uid           [ultimate] M. Lind <mara@lind.example>
sig 3        89ABCDEF 2018-05-01  Somebody Else <else@x.example>
-----BEGIN PGP PUBLIC KEY BLOCK-----
uid Not A Uid <inside@armour.example>
-----END PGP PUBLIC KEY BLOCK-----
pub  1024D/1A2B3C4D 2005-01-01 Renee Sol <renee at sol dot example>
"""


def day(text: str) -> datetime:
    return datetime.fromisoformat(text).replace(tzinfo=UTC)


def by_name(listing: Listing) -> dict[str, RosterEntry]:
    return {entry.name: entry for entry in listing.entries}


# -- ASF's page ---------------------------------------------------------------------------------------
def test_a_roster_page_shows_ids_names_and_when_each_joined_the_pmc() -> None:
    mara = by_name(parse_html(PAGE, source="page"))["Mara Lind"]
    assert (mara.id, mara.emails) == ("mlind", ("mlind@apache.org",))
    assert mara.roles == (Role(role="pmc", since=day("2019-05-01")),)


def test_the_heading_above_a_table_without_roles_says_the_role() -> None:
    found = by_name(parse_html(PAGE, source="page"))
    assert found["Renée Sol"].roles == (Role(role="committer"),)
    assert found["Tomasz (Tom) Berg"].roles == (Role(role="pmc", since=day("2021-02-03")),)


def test_a_nickname_in_brackets_gives_both_spellings() -> None:
    assert by_name(parse_html(PAGE, source="page"))["Tomasz (Tom) Berg"].aliases == ("Tomasz Berg", "Tom Berg")


def test_who_is_struck_out_on_the_page_gets_no_role_and_is_reported() -> None:
    listing = parse_html(PAGE, source="page")
    assert by_name(listing)["Ona Paz"].roles == ()
    assert any("Ona Paz is struck out" in note for note in listing.notes)


def test_a_projects_own_table_with_a_column_of_roles_is_read() -> None:
    page = (
        "<table><tr><th>Name</th><th>Apache ID</th><th>Role</th></tr>"
        "<tr><td>Mara Lind</td><td>mlind</td><td>PMC Member, Committer</td></tr>"
        "<tr><td>Renée Sol</td><td>rsol</td><td>former PMC member</td></tr></table>"
    )
    found = by_name(parse_html(page, source="page"))
    assert [r.role for r in found["Mara Lind"].roles] == ["pmc", "committer"]
    assert [r.role for r in found["Renée Sol"].roles] == ["emeritus"]


def test_of_a_page_with_many_projects_only_the_named_one_is_taken() -> None:
    table = "<table><tr><th>SVN ID</th><th>Name</th></tr><tr><td>{0}</td><td>{1}</td></tr></table>"
    page = (
        f"<h3>lantern</h3>{table.format('rsol', 'Renée Sol')}"
        f"<h3>lantern-pmc</h3>{table.format('mlind', 'Mara Lind')}<h3>other</h3>{table.format('opaz', 'Ona Paz')}"
    )
    listing = parse_html(page, source="page", project="lantern")
    assert [(e.id, [r.role for r in e.roles]) for e in listing.entries] == [("rsol", ["committer"]), ("mlind", ["pmc"])]


def test_a_starting_date_that_is_no_date_gives_no_role() -> None:
    listing = parse_html(PAGE.replace("2021-02-03", "long ago"), source="page")
    assert by_name(listing)["Tomasz (Tom) Berg"].roles == ()
    assert any("'long ago' is no date" in note for note in listing.notes)


@pytest.mark.parametrize("page", ["", "no markup", "<table><tr><td>1</td></tr></table>", "<html>"])
def test_a_page_without_people_is_one_clear_error(page: str) -> None:
    with pytest.raises(UnreadableInput, match="page: "):
        parse_html(page, source="page")


def test_a_login_page_in_the_rosters_place_is_reported_as_such() -> None:
    page = "<html><body><h1>Sign in</h1><form><input type='password' name='p'></form></body></html>"
    with pytest.raises(UnreadableInput, match="it asks for a login; save the page from a browser that is logged in"):
        parse_listing([("page.html", page)])


@pytest.mark.parametrize(
    "text",
    [
        "<html><table><tr><th>Id</th><th>Name</th></tr></table></html>",
        '{"projects": {"a": {"owners": [], "members": []}}}',
        "id,name,role\n",
        "people: []\n",
    ],
    ids=["page", "ldap", "csv", "yaml"],
)
def test_a_source_that_names_nobody_is_refused_not_imported(text: str) -> None:
    with pytest.raises(UnreadableInput, match="names nobody"):
        parse_listing([("in", text)])


def test_thousands_of_rows_and_names_in_any_script_are_read() -> None:
    names = ("王伟", "Анна Петрова", "Ægir Þór", "محمد علي", "Ñandú O'Shea-Łuk")
    rows = "\n".join(f"u{i},{names[i % 5]} {i},PMC" for i in range(8000))
    listing = parse_listing([("in.csv", f"id,name,role\n{rows}\n")])
    assert len(listing.entries) == 8000
    assert listing.entries[0].name == "王伟 0"


@pytest.mark.parametrize(
    "bait",
    [
        "<table><tr><td>" * 20_000,
        "<table><tr><th>id</th><th>name</th></tr>" + "<tr><td>x" * 60_000,
        "<h2>" * 60_000 + PAGE,
        "<table><tr><th>id<th>name<tr><td>a<td>" + "<b>x" * 200_000,
    ],
    ids=["nested tables", "open rows", "nested headings", "one huge cell"],
)
def test_a_hostile_page_costs_seconds_at_most(bait: str) -> None:
    began = time.process_time()
    try:
        listing = parse_html(bait, source="page")
        assert all(len(e.name) <= entries.MAX_NAME for e in listing.entries)
    except UnreadableInput:
        pass
    assert time.process_time() - began < 10


def test_what_a_page_says_of_its_own_records_is_no_role() -> None:
    page = PAGE.replace("status - click cell for actions", "status").replace(">chair<", ">not in committer list<")
    assert [r.role for r in by_name(parse_html(page, source="page"))["Mara Lind"].roles] == ["pmc"]


# -- LDAP ---------------------------------------------------------------------------------------------
def test_owners_are_the_pmc_and_members_the_committers() -> None:
    found = by_name(parse_ldap([("people", PEOPLE), ("projects", PROJECTS)], project="lantern"))
    assert [r.role for r in found["Mara Lind"].roles] == ["pmc", "committer"]
    assert [r.role for r in found["Renée Sol"].roles] == ["committer"]
    assert found["Renée Sol"].emails == ("rsol@apache.org",)
    assert "X" not in found


def test_the_order_of_the_exports_does_not_matter_and_one_merged_export_will_do() -> None:
    merged = json.dumps({**json.loads(PEOPLE), **json.loads(PROJECTS)})
    apart = parse_ldap([("projects", PROJECTS), ("people", PEOPLE)])
    assert parse_ldap([("both", merged)]) == apart == parse_ldap([("people", PEOPLE), ("projects", PROJECTS)])


def test_committee_info_adds_the_dates_of_joining() -> None:
    info = json.dumps({"committees": {"lantern": {"roster": {"mlind": {"name": "Mara Lind", "date": "2019-05-01"}}}}})
    listing = parse_ldap([("projects", PROJECTS), ("people", PEOPLE), ("info", info)], project="lantern")
    assert by_name(listing)["Mara Lind"].roles[0] == Role(role="pmc", since=day("2019-05-01"))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("{", "not valid JSON"),
        ("[" * 200_000, "not valid JSON"),
        ("[]", "expected an object"),
        ('{"people": {}}', "no `projects`"),
        ('{"projects": {"a": {}, "b": {}}}', "say which project"),
        ('{"projects": {"lantern": {"owners": "mlind"}}}', "owners: expected a list of ids"),
        ('{"projects": {"lantern": []}}', "expected an object"),
    ],
)
def test_an_export_of_another_shape_is_one_clear_error(text: str, expected: str) -> None:
    with pytest.raises(UnreadableInput, match=expected):
        parse_ldap([("export", text)])


def test_a_project_that_is_not_there_is_answered_with_those_that_are() -> None:
    with pytest.raises(UnreadableInput, match="no project 'candle'; it has lantern"):
        parse_ldap([("projects", PROJECTS)], project="candle")


# -- KEYS ---------------------------------------------------------------------------------------------
def test_a_key_gives_names_and_addresses_and_never_a_role() -> None:
    found = by_name(parse_keys(KEYS, source="KEYS"))
    assert found["Mara Lind"].emails == ("mlind@apache.org", "mara@lind.example")
    assert found["Mara Lind"].aliases == ("M. Lind",)
    assert found["Renee Sol"].emails == ("renee@sol.example",)
    assert all(entry.roles == () for entry in found.values())


def test_an_address_at_apache_is_the_account() -> None:
    found = by_name(parse_keys(KEYS, source="KEYS"))
    assert (found["Mara Lind"].id, found["Renee Sol"].id) == ("mlind", "")


def test_signatures_and_armour_of_a_keys_file_are_nobody() -> None:
    emails = {e for entry in parse_keys(KEYS, source="KEYS").entries for e in entry.emails}
    assert not emails & {"else@x.example", "inside@armour.example"}


def test_the_lists_own_address_on_a_key_is_nobodys() -> None:
    listing = parse_keys("uid Lantern Releases <dev@lantern.apache.org>\nuid Mara Lind <m@lind.example>", source="KEYS")
    assert [e.emails for e in listing.entries] == [("m@lind.example",)]
    assert any("dev@lantern.apache.org" in note for note in listing.notes)


def test_a_keys_file_without_keys_is_one_clear_error() -> None:
    with pytest.raises(UnreadableInput, match="KEYS: has no line"):
        parse_keys("nothing", source="KEYS")


# -- CSV ----------------------------------------------------------------------------------------------
def test_rows_of_one_id_are_one_person_with_several_roles() -> None:
    text = (
        "id,name,email,role,since,until\n"
        "mlind,Mara Lind,mara@lind.example;m@lind.example,PMC,2019-05-01,\n"
        "mlind,Mara Lind,,committer,2017-02-01,2023-01-01\n"
    )
    (mara,) = parse_csv(text, source="csv").entries
    assert mara.emails == ("mara@lind.example", "m@lind.example")
    assert mara.roles == (
        Role(role="pmc", since=day("2019-05-01")),
        Role(role="committer", since=day("2017-02-01"), until=day("2023-01-01")),
    )


def test_a_spreadsheets_semicolons_and_byte_order_mark_are_read() -> None:
    (entry,) = parse_csv("\ufeffName;Role\nMara Lind;committer\n", source="csv").entries
    assert (entry.name, entry.roles) == ("Mara Lind", (Role(role="committer"),))


@pytest.mark.parametrize(
    ("row", "expected"),
    [
        ("mlind,Mara Lind,PMC,soon,", "'soon' is no date"),
        ("mlind,Mara Lind,PMC,2020-02-30,", "is no date"),
        ("mlind,Mara Lind,PMC,2020-02-01,2019-01-01", "ends before it begins"),
        ("mlind,Mara Lind,janitor,,", "'janitor' is no role"),
    ],
)
def test_a_role_that_cannot_be_dated_or_named_is_left_out_and_reported(row: str, expected: str) -> None:
    listing = parse_csv(f"id,name,role,since,until\n{row}\n", source="csv")
    assert [e.roles for e in listing.entries] == [()]
    assert any(expected in note for note in listing.notes)


def test_an_id_that_could_be_markup_or_a_path_is_left_out_and_reported() -> None:
    listing = parse_csv("id,name\n../../etc,Mara Lind\n<b>,Ona Paz\nrsol,Renée Sol\n", source="csv")
    assert [e.id for e in listing.entries] == ["rsol"]
    assert len(listing.notes) == 2


def test_a_history_gives_spans_of_roles() -> None:
    text = (
        "date,name,event,role\n"
        "2015-01-05T23:00:00-07:00,Mara Lind,added,committer\n"
        "2017-03-01,Mara Lind,role,PMC\n"
        "2016-01-01,Renée Sol,added,committer\n"
        "2019-01-01,Renée Sol,removed,committer\n"
        "2021-01-01,Renée Sol,added,committer\n"
        "2022-01-01,Mara Lind,role,committer\n"
    )
    found = by_name(parse_csv(text, source="csv"))
    assert found["Mara Lind"].roles == (
        Role(role="committer", since=day("2015-01-06")),
        Role(role="pmc", since=day("2017-03-01"), until=day("2022-01-01")),
    )
    assert found["Renée Sol"].roles == (
        Role(role="committer", since=day("2016-01-01"), until=day("2019-01-01")),
        Role(role="committer", since=day("2021-01-01")),
    )


def test_a_history_says_for_whom_its_first_day_may_be_too_late() -> None:
    listing = parse_csv("date,name,event,role\n2015-01-05,Mara Lind,added,PMC\n", source="csv")
    assert any("begins on 2015-01-05: 1 people" in note for note in listing.notes)


@pytest.mark.parametrize("text", ["", "a,b\n1,2\n", "name,event,role\nx,added,PMC\n", 'id,name\na,"' + "x" * 200_000])
def test_a_csv_of_another_shape_is_one_clear_error(text: str) -> None:
    with pytest.raises(UnreadableInput, match="csv: "):
        parse_csv(text, source="csv")


# -- parts --------------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("text", "roles"),
    [
        ("PMC", ("pmc",)),
        ("PMC Chair", ("pmc",)),
        ("VP, Apache Lantern", ("pmc",)),
        ("Committer & PMC member", ("pmc", "committer")),
        ("Committer (non-PMC)", ("committer",)),
        ("Emeritus PMC member", ("emeritus",)),
        ("Contributor", ("contributor",)),
        ("janitor", ()),
        ("", ()),
    ],
)
def test_a_cell_of_roles_is_read_as_a_person_would(text: str, roles: tuple[str, ...]) -> None:
    assert parse_roles(text) == roles


@pytest.mark.parametrize(
    ("text", "read"),
    [
        ("2019-05-01", "2019-05-01"),
        ("2015-10-02T23:16:55-07:00", "2015-10-03"),
        ("20170118154251Z", "2017-01-18"),
        ("1 May 2019", "2019-05-01"),
        ("May 1, 2019", "2019-05-01"),
    ],
)
def test_days_are_read_in_the_forms_that_sources_use(text: str, read: str) -> None:
    assert parse_day(text) == day(read)


@pytest.mark.parametrize("text", ["", "2019", "2019-05", "May 2019", "2019-13-01", "soon", "9" * 5000])
def test_what_is_no_day_is_none(text: str) -> None:
    assert parse_day(text) is None


@pytest.mark.parametrize(
    "text", ["de...@lantern.example", "dev@lantern.apache.org", "a@b", "<script>@x.example", "a b@x.example", "@", ""]
)
def test_what_is_no_persons_address_is_none(text: str) -> None:
    assert find_email(text) is None


def test_a_name_is_one_bounded_line_without_control_or_direction_characters() -> None:
    assert clean_name(" Mara\x1b[2J\r\n\u202eLind\x00 ") == "Mara [2J Lind"
    assert len(clean_name("x" * 10_000)) == entries.MAX_NAME


@pytest.mark.parametrize(
    ("text", "form"),
    [
        (PAGE, Format.ASF_HTML),
        (PROJECTS, Format.LDAP_JSON),
        (KEYS, Format.KEYS),
        ("id,name,role\n", Format.CSV),
        ("commit_time,commit,name,event,role\n", Format.CSV),
        ("source: x\npeople:\n  - id: a\n", Format.YAML),
        ("nothing of the kind", None),
        ("", None),
    ],
)
def test_the_form_shows_in_the_beginning(text: str, form: Format | None) -> None:
    assert find_format(text) is form


def test_a_form_that_is_not_known_is_asked_for() -> None:
    with pytest.raises(UnreadableInput, match="name it with --format"):
        parse_listing([("x", "nothing")])


def test_more_people_than_any_community_has_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(entries, "MAX_PEOPLE", 3)
    text = "name,role\n" + "".join(f"Person {n},PMC\n" for n in range(9))
    with pytest.raises(UnreadableInput, match="more than 3 people"):
        parse_listing([("x", text)])


def test_more_text_than_any_roster_has_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(formats, "MAX_CHARS", 100)
    with pytest.raises(UnreadableInput, match="no roster is that large"):
        parse_listing([("x", "name,role\n" * 20)])
