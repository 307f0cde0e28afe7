"""A folder of the shape that Kafka's real history has, about invented proposals and people."""

from __future__ import annotations

import csv
import gzip
import json
from collections.abc import Sequence
from pathlib import Path

from tools.accuracy.kafkadata import CHANGES, INDEX, MENTIONS, ROSTER

Row = tuple[int, str, str, str, str]  # number, state, made, last saved, by whom
Mail = tuple[str, str, str, int]  # when, who, kind, number

ROSTER_ROWS = (
    ("2019-01-01T00:00:00+00:00", "c1", "Ada Rowe", "added", "PMC"),
    ("2019-01-01T00:00:00+00:00", "c1", "Bo Lund", "added", "committer"),
    ("2019-01-01T00:00:00+00:00", "c1", "Cyrus P. Marsh", "added", "committer"),
    ("2024-06-01T00:00:00+00:00", "c2", "Dee Quist", "added", "committer"),
)


def lay_out(
    folder: Path,
    *,
    index: Sequence[Row],
    mails: Sequence[Mail] = (),
    changes: Sequence[tuple[int, str, str, str, str]] = (),
    titles: dict[int, str] | None = None,
) -> Path:
    """`mails` name a proposal in "vote", "discuss", "subject" or, alone, "body". One mail has one time."""
    folder.mkdir(parents=True)
    rows = {
        str(number): {
            "kip_id": number,
            "title": (titles or {}).get(number, f"KIP-{number}: Proposal number {number}"),
            "content_url": f"https://wiki.example/rest/api/content/{9000 + number}",
            "web_url": f"https://wiki.example/display/KIP-{number}",
            "created_on": made,
            "created_by": author,
            "last_modified_on": saved,
            "state": state,
            "jira": "unknown",
        }
        for number, state, made, saved, author in index
    }
    (folder / INDEX).write_text(json.dumps(rows), encoding="utf-8")
    _write_mentions(folder / MENTIONS, mails)
    heads = ("kip", "commit_time", "commit", "field", "old", "new", "title", "page_last_modified_on")
    _write_csv(
        folder / CHANGES,
        heads,
        [(n, at, "c", "state", old, new, f"KIP-{n}: x", saved) for n, at, old, new, saved in changes],
    )
    _write_csv(folder / ROSTER, ("commit_time", "commit", "name", "event", "role"), ROSTER_ROWS)
    return folder


def _write_mentions(path: Path, mails: Sequence[Mail]) -> None:
    lines = ["kip,mention_type,mbox_year,mbox_month,message_index,timestamp,sender_name,sender_key"]
    places = {when: position for position, when in enumerate(dict.fromkeys(when for when, *_ in mails))}
    for when, who, kind, number in mails:
        address = f"{who.lower().replace(' ', '.')}@lantern.example"
        kinds = ["body"] if kind == "body" else ["subject"] if kind == "subject" else ["subject", kind]
        for one in kinds:
            year, month = when[:4], int(when[5:7])
            lines.append(f"{number},{one},{year},{month},{places[when]},{when}+00:00,{who},{address}")
    path.write_bytes(gzip.compress("\n".join([*lines, ""]).encode()))


def _write_csv(path: Path, heads: Sequence[str], rows: Sequence[Sequence[object]]) -> None:
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(heads)
        writer.writerows(rows)
