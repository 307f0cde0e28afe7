"""`kipflow roster`: what is written, what is printed, and the exit code. All people are invented."""

from __future__ import annotations

import io
import json
from pathlib import Path

import pytest

from kipflow.cli import run
from kipflow.config.roster import load_roster
from tests.unit.commands.conftest import Cli

CSV = "id,name,email,role,since\nmlind,Mara Lind,mara@lind.example,PMC,2019-05-01\nopaz,Ona Paz,,committer,2020-01-01\n"
WHENCE = ("--source", "a list", "--as-of", "2026-03-02")


@pytest.fixture
def listed(tmp_path: Path) -> Path:
    path = tmp_path / "people.csv"
    path.write_text(CSV, encoding="utf-8")
    return path


def test_a_new_roster_is_written_and_is_one_that_kipflow_reads(listed: Path, tmp_path: Path) -> None:
    out = tmp_path / "roster.yaml"
    assert run(["roster", "import", str(listed), *WHENCE, "--output", str(out), "--write"]) == 0
    assert [p.id for p in load_roster(out).people] == ["mlind", "opaz"]
    assert out.read_text().startswith('source: "a list"\nas_of: 2026-03-02\n')


def test_without_output_the_file_is_printed(listed: Path, capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    assert run(["roster", "import", str(listed), *WHENCE]) == 0
    shown = tmp_path / "shown.yaml"
    shown.write_text(capsys.readouterr().out)
    assert len(load_roster(shown).people) == 2


def test_stdin_is_read_where_the_file_is_a_dash(monkeypatch: pytest.MonkeyPatch, cli: Cli) -> None:
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(CSV.encode())))
    assert "- id: mlind" in cli("roster", "import", "-", *WHENCE).out


def test_an_existing_file_is_added_to_and_the_same_import_again_changes_nothing(listed: Path, tmp_path: Path) -> None:
    out = tmp_path / "roster.yaml"
    out.write_text(
        "# ours\npeople:\n  - {id: mlind, name: Mara Lind, emails: [m@lind.example]}\n  - {id: z, name: Zed Y}\n"
    )
    assert run(["roster", "import", str(listed), *WHENCE, "--output", str(out), "--write"]) == 0
    people = {p.id: p for p in load_roster(out).people}
    assert list(people) == ["mlind", "z", "opaz"]
    assert people["mlind"].emails == ("m@lind.example", "mara@lind.example")
    first = out.read_bytes()
    assert first.startswith(b"# ours\n")
    assert run(["roster", "import", str(listed), *WHENCE, "--output", str(out), "--write"]) == 0
    assert out.read_bytes() == first


def test_conflicts_are_reported_and_the_exit_code_is_1(listed: Path, tmp_path: Path, cli: Cli) -> None:
    out = tmp_path / "roster.yaml"
    out.write_text("people: [{id: mlind, name: Zed Yarrow}]\n")
    reported = cli("roster", "import", str(listed), *WHENCE, "--output", str(out), "--write", code=1).err
    assert "conflict: Mara Lind (mlind): mlind is Zed Yarrow in the file; left out" in reported
    assert "1 added, 0 changed, 1 as before, 1 conflict" in reported


def test_without_write_the_difference_is_shown_and_nothing_written(
    listed: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "roster.yaml"
    assert run(["roster", "import", str(listed), *WHENCE, "--output", str(out)]) == 0
    assert not out.exists()
    shown = capsys.readouterr()
    assert "+  - id: mlind" in shown.out
    assert f"nothing written yet (--write does it): {out}: 2 added" in shown.err.replace("\n", "")
    out.write_text("people:\n  - {id: mlind, name: Mara Lind}\n")
    was = out.read_bytes()
    assert run(["roster", "import", str(listed), *WHENCE, "--output", str(out)]) == 0
    assert out.read_bytes() == was
    assert "-  - {id: mlind, name: Mara Lind}" in capsys.readouterr().out


def test_write_without_a_file_to_write_is_refused(listed: Path, cli: Cli) -> None:
    assert "--write needs --output FILE" in cli("roster", "import", str(listed), *WHENCE, "--write", code=2).err


def test_what_was_written_by_hand_stays_as_it_is(listed: Path, tmp_path: Path) -> None:
    out = tmp_path / "roster.yaml"
    out.write_text(
        "# ours, see the wiki\n"
        "source: by hand\n"
        "people:\n"
        "  # chairs first\n"
        "  - id: zed   # asked in person\n"
        "    name: 'Zed Y'\n"
        "    roles:\n"
        "      - {role: pmc, since: 2018-02-03, until: 2020-01-01}  # stepped down\n"
        "\n"
        "  # then the others\n"
        "  - id: mlind\n"
        "    name: Mara Lind\n"
        "  # the end\n"
    )
    assert run(["roster", "import", str(listed), *WHENCE, "--output", str(out), "--write"]) == 0
    text = out.read_text()
    kept = (
        "# ours, see the wiki\n",
        "  # chairs first\n  - id: zed   # asked in person\n    name: 'Zed Y'\n",
        "  # the end\n",
    )
    assert all(part in text for part in kept)
    assert "until: 2020-01-01}  # stepped down\n\n  # then the others\n  - id: mlind\n" in text
    assert 'source: "by hand; a list"\n' in text
    assert [p.id for p in load_roster(out).people] == ["zed", "mlind", "opaz"]


def test_several_exports_are_read_together(tmp_path: Path, cli: Cli) -> None:
    people, projects = tmp_path / "people.json", tmp_path / "projects.json"
    people.write_text(json.dumps({"people": {"mlind": {"name": "Mara Lind"}}}))
    projects.write_text(json.dumps({"projects": {"a": {"owners": ["mlind"], "members": []}, "b": {}}}))
    arguments = ["roster", "import", str(people), str(projects), "--project", "a", *WHENCE]
    assert "roles: [{role: pmc}]" in cli(*arguments, "--format", "ldap-json").out


@pytest.mark.parametrize(
    ("content", "arguments", "reported"),
    [
        (b"nothing", [], "its form is not known"),
        (b"nothing", ["--format", "keys"], "has no line"),
        (b"{", [], "is not valid JSON"),
        (CSV.encode(), ["--as-of", "soon"], "is not a date such as 2026-03-02"),
    ],
)
def test_what_cannot_be_read_is_one_line_and_exit_code_2(
    tmp_path: Path, cli: Cli, content: bytes, arguments: list[str], reported: str
) -> None:
    path = tmp_path / "in"
    path.write_bytes(content)
    shown = cli("roster", "import", str(path), *WHENCE, *arguments, code=2).err
    assert reported in shown
    assert shown.count("\n") == 1


def test_a_file_that_kipflow_would_refuse_is_not_written_over(listed: Path, tmp_path: Path) -> None:
    out = tmp_path / "roster.yaml"
    out.write_text("people: [{id: mlind}]\n")
    assert run(["roster", "import", str(listed), *WHENCE, "--output", str(out), "--write"]) == 2
    assert out.read_text() == "people: [{id: mlind}]\n"


def test_a_file_with_variables_is_not_written_over(listed: Path, tmp_path: Path, cli: Cli) -> None:
    out = tmp_path / "roster.yaml"
    out.write_text('people: [{id: mlind, name: Mara Lind, emails: ["${LIND:-m@lind.example}"]}]\n')
    printed = cli("roster", "import", str(listed), *WHENCE, "--output", str(out), "--write", code=2)
    assert "uses variables" in printed.err
    assert "${LIND" in out.read_text()


def test_names_in_an_old_encoding_are_read(tmp_path: Path, cli: Cli) -> None:
    path = tmp_path / "KEYS"
    path.write_bytes("uid Renée Sol <rsol@apache.org>\n".encode("latin-1"))
    assert "Renée Sol" in cli("roster", "import", str(path), *WHENCE).out


def test_terminal_commands_in_a_source_do_not_reach_the_terminal(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "in.csv"
    path.write_text("id,name,role\nx,\x1b[2JMara Lind,jan\x1b[2Jitor\n\x1b[2J,Ona Paz,PMC\n")
    run(["roster", "import", str(path), *WHENCE])
    shown = capsys.readouterr()
    assert "\x1b" not in shown.out + shown.err


def test_show_lists_who_binds_at_a_time(
    listed: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("KIPFLOW_COMMUNITY", "kafka")
    out = tmp_path / "roster.yaml"
    run(["roster", "import", str(listed), *WHENCE, "--output", str(out), "--write"])
    capsys.readouterr()
    assert run(["roster", "show", str(out), "--as-of", "2019-06-01", "--format", "json"]) == 0
    rows = json.loads(capsys.readouterr().out)
    assert [(r["id"], r["binds"], r["roles"]) for r in rows] == [
        ("mlind", "yes", ["pmc since 2019-05-01"]),
        ("opaz", "no", ["committer since 2020-01-01"]),
    ]


def test_show_of_an_empty_roster_says_that_no_ballot_binds(tmp_path: Path, cli: Cli) -> None:
    path = tmp_path / "roster.yaml"
    path.write_text("people: []\n")
    assert "no ballot binds" in cli("roster", "show", str(path)).err


def test_show_names_ids_that_share_a_name(tmp_path: Path, cli: Cli) -> None:
    path = tmp_path / "roster.yaml"
    path.write_text("people:\n  - {id: a, name: Mara Lind}\n  - {id: b, name: MARA LIND, emails: [m@x.example]}\n")
    printed = cli("roster", "show", str(path))
    assert "note: a and b go by one name (Mara Lind): known by their addresses only" in printed.err


def test_a_wrong_roster_is_a_line_for_each_fault(tmp_path: Path, cli: Cli) -> None:
    path = tmp_path / "roster.yaml"
    path.write_text("people:\n  - {id: a}\n  - {id: b, name: B C, emails: [b]}\n")
    lines = cli("roster", "show", str(path), code=2).err.splitlines()
    assert [line.split(": expected")[0] for line in lines] == [
        f"kipflow: {path}: people.0.name",
        f"kipflow: {path}: people.1.emails.0",
    ]


@pytest.mark.parametrize("text", [CSV, CSV.replace(",", ";"), '"id","name"\n"a","A: B"\n', "name,event\n"])
def test_a_csv_given_as_the_roster_is_answered_by_the_command_that_reads_it(
    tmp_path: Path, cli: Cli, text: str
) -> None:
    path = tmp_path / "people.csv"
    path.write_text(text)
    [line] = cli("roster", "show", str(path), code=2).err.splitlines()
    assert "expected YAML; this looks like CSV, which `" in line
    assert "roster import` reads" in line
