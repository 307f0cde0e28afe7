"""`make accuracy`: what differs is listed, what is not explained fails, and an absent folder is no fault."""

from __future__ import annotations

import csv
import json
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from kipflow.mail.archive import read_path
from tools.accuracy import __main__ as accuracy
from tools.accuracy import oddities
from tools.accuracy.findings import Demand, Disagreement, Section, explain, is_good, load_explanations
from tools.accuracy.month import FLAVOURS
from tools.accuracy.rendering import render_text

REALDATA = Path(__file__).resolve().parents[4] / "shared" / "realdata"
SUBJECT = "[VOTE] Release Lantern 1.2"


@pytest.fixture(autouse=True)
def no_corpus(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """The project's own cases take seconds; the tests that need them name their folder."""
    monkeypatch.setattr(accuracy, "CORPUS", tmp_path / "none")


def mail(number: int, name: str, subject: str, body: str) -> str:
    address = name.lower().replace(" ", ".") + "@lantern.example"
    reply = "" if number == 1 else "In-Reply-To: <1@lantern.example>\n"
    return (
        f"From {address} Mon Mar  2 09:00:00 2026\nFrom: {name} <{address}>\nTo: dev@lantern.example\n"
        f"Subject: {subject}\nDate: Mon, 02 Mar 2026 {8 + number:02}:00:00 +0000\n"
        f"Message-ID: <{number}@lantern.example>\n{reply}\n{body}\n\n"
    )


MONTH = "".join(
    (
        mail(1, "Ada Rowe", SUBJECT, "Please vote on releasing Lantern 1.2.\n\n[ ] +1\n[ ] -1"),
        mail(2, "Bo Lund", f"Re: {SUBJECT}", "+1"),
        mail(3, "Cy Marsh", f"Re: {SUBJECT}", "-1 (non-binding), it does not build"),
        mail(4, "Ada Rowe", f"[RESULT] {SUBJECT}", "The vote has passed.\n\n+1: Bo Lund\n-1: Cy Marsh"),
    )
)
LABELS = (("1", "none", "unstated"), ("2", "+1", "unstated"), ("3", "-1", "false"), ("4", "none", "unstated"))
RESULT = {
    "id": "maven/lantern-1.2",
    "project": "maven",
    "outcome": "passed",
    "claimed": {"+1": 1, "0": 0, "-1": 1},
    "voters": {"+1": ["Bo Lund"], "-1": ["Cy Marsh"]},
}


def phrase(text: str, label: str, *, ambiguous: bool = False, value: str | None = None) -> dict[str, object]:
    return {
        "id": "p1",
        "text": text,
        "label_guess": label,
        "exact_value": value,
        "binding": "unstated",
        "ambiguous": ambiguous,
    }


def lay_out(
    folder: Path,
    *,
    month: str = MONTH,
    labels: Sequence[tuple[str, str, str]] = LABELS,
    result: Mapping[str, object] = RESULT,
    phrases: Sequence[dict[str, object]] = (),
) -> Path:
    """A folder of the shape that real data have, about an invented vote."""
    for name in ("mail", "votes", "malformed"):
        (folder / name).mkdir(parents=True)
    for flavour in FLAVOURS:
        (folder / "mail" / f"maven-dev-2017-11-{flavour}.mbox").write_text(month, encoding="utf-8")
    with (folder / "votes" / "maven_2017-11_labels.csv").open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(["mbox_index", "message_id", "label", "binding_declared", "ambiguous", "evidence"])
        writer.writerows([n, f"<{n}@lantern.example>", label, claim, "False", ""] for n, label, claim in labels)
    (folder / "votes" / "official_results.jsonl").write_text(json.dumps(result) + "\n", encoding="utf-8")
    (folder / "votes" / "vote_phrases.jsonl").write_text("".join(json.dumps(p) + "\n" for p in phrases))
    threads = {"7": {"vote": "v1", "url": "https://issues.example/7", "comments": [{"login": "bo", "text": "+1"}]}}
    (folder / "votes" / "tvm_vote_threads.json").write_text(json.dumps({"threads": threads}), encoding="utf-8")
    return folder


def test_a_folder_that_is_read_right_is_good(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert accuracy.main(["--realdata", str(lay_out(tmp_path / "real"))]) == 0
    shown = capsys.readouterr().out
    assert "0 disagreements" in shown
    assert shown.rstrip().endswith("good")


def test_without_real_data_it_says_so_and_is_no_fault(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert accuracy.main(["--realdata", str(tmp_path)]) == 0
    reported = capsys.readouterr()
    assert reported.err == "", "each is reported once"
    assert reported.out.count("skipped") == 3
    for part, folder in (("1 Real mail", "votes"), ("2 Real history", "kafka")):
        where = min(os.path.relpath(tmp_path / folder), str(tmp_path / folder), key=len)
        assert f"skipped: {part}: no real data at {where} (" in reported.out
        assert f"make accuracy REALDATA=DIR reads DIR/{folder} instead" in reported.out


def test_for_programs_what_was_skipped_is_reported_beside_the_json(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert accuracy.main(["--realdata", str(tmp_path), "--format", "json"]) == 0
    reported = capsys.readouterr()
    assert reported.err.count("skipped: ") == len(json.loads(reported.out)["skipped"]) == 3


def test_a_wrong_label_is_listed_unexplained_and_fails(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    labels = [("2", "-1", "unstated"), *LABELS[2:]]
    assert accuracy.main(["--realdata", str(lay_out(tmp_path / "real", labels=labels))]) == 1
    shown = capsys.readouterr().out
    assert "labels/2: expected -1, read +1 (opening)   UNEXPLAINED" in shown
    assert "MISSED every unambiguous message right in listsao" in shown


def test_a_claim_to_bind_that_nobody_made_is_listed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    labels = [("2", "+1", "true")]
    assert accuracy.main(["--realdata", str(lay_out(tmp_path / "real", labels=labels))]) == 1
    assert "labels/2: expected claim True, read claim None" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("change", "reported"),
    [
        ({"claimed": {"+1": 2, "0": 0, "-1": 1}}, "expected 2 × +1, 1 × -1, read counted 1 × +1, 1 × -1"),
        ({"voters": {"+1": ["Di Vale"], "-1": ["Cy Marsh"]}}, "expected 1 names for +1, read 1 names"),
        ({"outcome": "canceled"}, "expected ended: cancelled, read ended: passed"),
        ({"id": "maven/lantern-2.0"}, "expected a vote, read no vote found"),
    ],
)
def test_an_official_result_that_differs_is_listed(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], change: dict[str, object], reported: str
) -> None:
    assert accuracy.main(["--realdata", str(lay_out(tmp_path / "real", result={**RESULT, **change}))]) == 1
    assert reported in capsys.readouterr().out


def test_a_result_without_mails_is_listed_as_not_checkable(tmp_path: Path) -> None:
    real = lay_out(tmp_path / "real", result={**RESULT, "id": "kafka/KIP-1", "project": "kafka"})
    tallies = accuracy.check_mail(real)[1]
    assert tallies.listed == (("kafka/KIP-1", "not checkable: its mails are not at hand"),)


def test_a_mirrored_thread_is_counted_by_its_phrases(tmp_path: Path) -> None:
    result: dict[str, object] = {**RESULT, "id": "tvm/v1", "project": "tvm", "vote_issue": "https://issues.example/7"}
    tallies = accuracy.check_mail(lay_out(tmp_path / "real", result=result))[1]
    assert [(d.expected, d.read) for d in tallies.disagreements] == [("1 × +1, 1 × -1", "counted 1 × +1")]


def test_a_false_vote_misses_its_demand_even_where_it_is_ambiguous(tmp_path: Path) -> None:
    real = lay_out(tmp_path / "real", phrases=[phrase("+1", "none", ambiguous=True)])
    assert Demand(name="no false vote (p1)", met=False) in accuracy.check_mail(real)[2].demands


def test_a_written_value_that_is_read_otherwise_is_listed(tmp_path: Path) -> None:
    real = lay_out(tmp_path / "real", phrases=[phrase("+1", "+1", value="+0.9")])
    assert [d.read for d in accuracy.check_mail(real)[2].disagreements] == ["written as +1"]


def test_a_crash_is_reported_and_the_other_files_are_still_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = lay_out(tmp_path / "real")
    (real / "malformed" / "bad.eml").write_text("Subject: x\n\nx\n")

    def fragile(path: Path, **where: Any) -> object:
        if path.name == "bad.eml":
            raise RecursionError("too deep")
        return read_path(path, **where)

    monkeypatch.setattr(oddities, "read_path", fragile)
    section = oddities.check_oddities(real)
    assert [d.met for d in section.demands] == [False, True, True]
    assert section.figures[0].right == 3 * 4


def test_a_vote_read_from_a_list_without_votes_is_an_invented_one(tmp_path: Path) -> None:
    real = lay_out(tmp_path / "real")
    (real / "mail" / "users.mbox").write_text(MONTH, encoding="utf-8")
    section = oddities.check_other_lists(real)
    assert not section.demands[0].met
    assert section.listed[0][0] == "users.mbox"


def test_an_unreadable_mail_is_listed_with_its_reason(tmp_path: Path) -> None:
    real = lay_out(tmp_path / "real")
    (real / "malformed" / "empty.mbox").write_bytes(b"")
    assert oddities.check_oddities(real).listed == (("malformed/empty.mbox: empty.mbox", "the file is empty"),)


def test_an_explanation_excuses_one_reading_and_no_other() -> None:
    known = {("phrases/p1", "review (conditional)"): "a condition stands with it"}
    read_so = Disagreement(id="phrases/p1", expected="+1", read="review (conditional)")
    otherwise = Disagreement(id="phrases/p1", expected="+1", read="-1 (leading)")
    section = explain(Section(title="t", about="a", disagreements=(read_so, otherwise)), known)
    assert [bool(d.because) for d in section.disagreements] == [True, False]
    assert not is_good((section,))


def test_control_characters_of_real_mail_do_not_reach_the_terminal() -> None:
    odd = Disagreement(id="phrases/p1", expected="+1", read="none", shown="+1 \x1b[2J\u202e gone")
    shown = render_text((Section(title="t", about="a", disagreements=(odd,)),))
    assert "\x1b" not in shown
    assert "\u202e" not in shown


def test_json_shows_all_and_is_the_same_each_time(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    real = str(lay_out(tmp_path / "real", labels=[("2", "-1", "unstated")]))
    runs = []
    for _ in range(2):
        assert accuracy.main(["--format", "json", "--realdata", real]) == 1
        runs.append(capsys.readouterr().out)
    assert runs[0] == runs[1]
    reported = json.loads(runs[0])
    assert reported["good"] is False
    assert reported["sections"][0]["unexplained"] == 1


def test_the_result_comes_before_the_details(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    labels = [("2", "-1", "unstated"), *LABELS[2:]]
    assert accuracy.main(["--realdata", str(lay_out(tmp_path / "real", labels=labels))]) == 1
    first = capsys.readouterr().out.splitlines()[:24]
    assert first[3] == "1 Real mail"
    assert first[4].startswith("  NOT OK Labelled month")
    assert first[4].endswith("1 differs, 1 UNEXPLAINED")
    assert any(line.startswith("NOT good") for line in first)


@pytest.mark.realdata
@pytest.mark.timeout(900)  # it reads all real mail and replays three years: minutes on a busy machine
def test_the_real_mail_is_read_well_and_no_explanation_is_stale(capsys: pytest.CaptureFixture[str]) -> None:
    if not REALDATA.is_dir():
        pytest.skip("no real mail beside the project (../shared/realdata)")
    assert accuracy.main(["--format", "json"]) == 0
    reported = json.loads(capsys.readouterr().out)
    assert [what[:1] for what in reported["skipped"]] == ["3"], "the own cases, which tests of their own read"
    differing = {(d["id"], d["read"]) for s in reported["sections"] for d in s["disagreements"]}
    assert differing == set(load_explanations())
