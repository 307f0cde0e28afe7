"""One labelled real month in three archive flavours: every message, and every announced tally."""

from __future__ import annotations

import csv
import json
import re
from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

from kipflow.config.loading import load_community
from kipflow.domain.people import fold_name
from kipflow.domain.roster import Roster
from kipflow.domain.votes import Ballot, BallotStatus
from kipflow.services.read_votes import VoteReading, VotesReport, read_votes
from tools.accuracy.findings import Demand, Disagreement, Figure, Section
from tools.accuracy.phrases import CLAIMS, count_thread, load_threads

FLAVOURS = ("listsao", "mailarchivesao", "mboxvm")
#: Outcome in the official results → kipflow's outcome.
OUTCOMES = {"canceled": "cancelled", "accepted": "passed"}


def read_month(realdata: Path) -> dict[str, VotesReport]:
    """Flavour → the votes read from it. The roster is empty, so no ballot binds."""
    community = load_community("apache-release")
    paths = {flavour: realdata / "mail" / f"maven-dev-2017-11-{flavour}.mbox" for flavour in FLAVOURS}
    return {f: read_votes([path], community=community, roster=Roster(())) for f, path in paths.items()}


# -- message by message -----------------------------------------------------------------------------
def check_labels(realdata: Path, reports: dict[str, VotesReport]) -> Section:
    """Each labelled message in each flavour: choice and claim to bind."""
    with (realdata / "votes" / "maven_2017-11_labels.csv").open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    figures: list[Figure] = []
    demands: list[Demand] = []
    found: list[tuple[str, Disagreement]] = []
    for flavour, report in reports.items():
        ballots = {b.message_id.lower(): b for v in report.votes for b in v.vote.ballots}
        sure = doubtful = 0
        for row in rows:
            difference = _compare_label(row, ballots.get(row["message_id"].lower()))
            if difference is not None:
                found.append((flavour, difference))
            elif row["ambiguous"] == "True":
                doubtful += 1
            else:
                sure += 1
        total = sum(row["ambiguous"] != "True" for row in rows)
        figures.append(Figure(name=f"{flavour}, unambiguous", right=sure, total=total))
        figures.append(Figure(name=f"{flavour}, ambiguous as counted", right=doubtful, total=len(rows) - total))
        demands.append(Demand(name=f"every unambiguous message right in {flavour}", met=sure == total))
    votes = [_leave_out_times(report) for report in reports.values()]
    demands.append(Demand(name="the three archives show the same votes", met=all(v == votes[0] for v in votes)))
    return Section(
        title="Labelled month",
        about=f"{len(rows)} messages of 4 vote threads, labelled by hand, in {len(reports)} archive flavours",
        figures=tuple(figures),
        demands=tuple(demands),
        disagreements=_join_flavours(found, len(reports)),
    )


def _leave_out_times(report: VotesReport) -> list[object]:
    """A report's votes without times, which differ by archive because each one's own host received the mails."""
    return [
        (v.vote.key, v.outcome, v.tally, [(b.message_id, b.value, b.line, b.status, b.why) for b in v.vote.ballots])
        for v in report.votes
    ]


def _compare_label(row: dict[str, str], ballot: Ballot | None) -> Disagreement | None:
    choice, read = _describe(ballot)
    is_claim_right = ballot is None or choice == "none" or ballot.claimed_binding == CLAIMS[row["binding_declared"]]
    if choice == row["label"] and is_claim_right:
        return None
    expected = row["label"] + (" (ambiguous)" if row["ambiguous"] == "True" else "")
    if choice == row["label"] and ballot is not None:
        expected, read = f"claim {CLAIMS[row['binding_declared']]}", f"claim {ballot.claimed_binding}"
    shown = ballot.line if ballot is not None else row["evidence"]
    return Disagreement(id=f"labels/{row['mbox_index']}", expected=expected, read=read, shown=shown)


def _describe(ballot: Ballot | None) -> tuple[str, str]:
    if ballot is None:
        return "none", "none"
    if ballot.status is BallotStatus.REVIEW:
        return "none", f"review ({ballot.rule})"
    return str(ballot.choice), f"{ballot.choice} ({ballot.rule})"


def _join_flavours(found: Iterable[tuple[str, Disagreement]], total: int) -> tuple[Disagreement, ...]:
    """What differs in several archives, once."""
    joined: dict[tuple[str, str], tuple[Disagreement, list[str]]] = {}
    for flavour, difference in found:
        joined.setdefault((difference.id, difference.read), (difference, []))[1].append(flavour)
    # a reading in only one archive is a disagreement of its own, and its explanation must say so
    return tuple(
        d if len(where) == total else replace(d, read=f"{d.read} in {', '.join(where)}") for d, where in joined.values()
    )


# -- tally by tally ---------------------------------------------------------------------------------
def check_tallies(realdata: Path, reports: dict[str, VotesReport]) -> Section:
    """Official results: counted ballots, the announcement as read, and how the vote ended."""
    text = (realdata / "votes" / "official_results.jsonl").read_text(encoding="utf-8")
    rows = [json.loads(line) for line in text.splitlines() if line.strip()]
    threads = load_threads(realdata)
    from_mails = [_check_mails(row, reports) for row in rows if row["project"] == "maven"]
    others = {row["id"]: _check_thread(row, threads) for row in rows if row["project"] != "maven"}
    checked = [*from_mails, *(found for found in others.values() if found is not None)]
    absent = [name for name, found in others.items() if found is None]
    return Section(
        title="Official tallies",
        about=f"{len(rows)} announced results; {len(from_mails)} checkable from mails, "
        f"{len(checked) - len(from_mails)} from phrases",
        figures=(Figure(name="reproduced exactly", right=sum(not found for found in checked), total=len(checked)),),
        demands=(Demand(name="the mails of at least one announced vote are at hand", met=bool(from_mails)),),
        disagreements=tuple(d for found in checked for d in found),
        listed_title=f"not checkable ({len(absent)})",
        listed=tuple((name, "not checkable: its mails are not at hand") for name in absent),
    )


def _check_mails(row: dict[str, Any], reports: dict[str, VotesReport]) -> tuple[Disagreement, ...]:
    votes = {flavour: _find_vote(row["id"], report.votes) for flavour, report in reports.items()}
    differences = ((flavour, d) for flavour, vote in votes.items() for d in _compare_vote(row, vote))
    return _join_flavours(differences, len(votes))


def _find_vote(result_id: str, votes: Iterable[VoteReading]) -> VoteReading | None:
    """`maven/javadoc-3.0.0-take2`: the second round of the vote whose subject has both other words."""
    name = result_id.partition("/")[2]
    take = re.search(r"-take(\d+)$", name)
    words = re.split(r"-(?=\d)", name[: take.start()] if take else name, maxsplit=1)
    for vote in votes:
        subject = vote.vote.subject.lower()
        if all(word in subject for word in words) and vote.vote.round == (int(take.group(1)) if take else 1):
            return vote
    return None


def _compare_vote(row: dict[str, Any], reading: VoteReading | None) -> Iterator[Disagreement]:
    place = f"tallies/{row['id']}"
    if reading is None:
        yield Disagreement(id=place, expected="a vote", read="no vote found")
        return
    vote, declared = reading.vote, reading.vote.declared
    official = OUTCOMES.get(row["outcome"], row["outcome"])
    ended = "cancelled" if vote.ended_how == "cancelled" else (declared.outcome if declared else None)
    if ended != official:
        yield Disagreement(id=place, expected=f"ended: {official}", read=f"ended: {ended}")
    if row["claimed"] is not None:
        tally = reading.tally
        counted = {c: tally.binding.as_dict()[c] + tally.non_binding.as_dict()[c] for c in row["claimed"]}
        if counted != row["claimed"]:
            notes = "; ".join(reading.differences) or "no difference reported"
            yield Disagreement(id=place, expected=_say(row["claimed"]), read=f"counted {_say(counted)}", shown=notes)
        announced = {c: (declared.total or {}).get(c, 0) if declared else 0 for c in row["claimed"]}
        if announced != row["claimed"]:
            yield Disagreement(id=place, expected=_say(row["claimed"]), read=f"announced {_say(announced)}")
    yield from _compare_names(row, reading, place)


def _compare_names(row: dict[str, Any], reading: VoteReading, place: str) -> Iterator[Disagreement]:
    """Compare names: the announced ones if there is an announcement, else the voters, void ballots included."""
    declared = reading.vote.declared
    cast = [b for b in reading.vote.ballots if b.status in (BallotStatus.COUNTED, BallotStatus.VOID)]
    for choice in ("+1", "0", "-1"):
        said = declared.names.get(choice, ()) if declared else [b.name for b in cast if str(b.choice) == choice]
        official, read = ({fold_name(name) for name in names} for names in (row["voters"].get(choice, ()), said))
        if official != read:
            expected, shown = f"{len(official)} names for {choice}", ", ".join(sorted(official ^ read))
            yield Disagreement(id=place, expected=expected, read=f"{len(read)} names", shown=shown)


def _check_thread(row: dict[str, Any], threads: dict[str, dict[str, Any]]) -> tuple[Disagreement, ...] | None:
    """What differs in a thread of which the phrases are known; None if there is no such thread."""
    address = row.get("vote_issue")
    thread = next((t for t in threads.values() if t["url"] == address), None) if address else None
    if thread is None or not row["claimed"]:
        return None
    counted, want = count_thread(thread), row["claimed"]
    read = f"counted {_say(counted)}"
    return (Disagreement(id=f"tallies/{row['id']}", expected=_say(want), read=read),) if counted != want else ()


def _say(counts: dict[str, int]) -> str:
    return ", ".join(f"{number} × {choice}" for choice, number in counts.items() if number) or "nothing"
