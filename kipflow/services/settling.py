"""The ways to settle a question or an effect: commands of `kipflow review`, buttons on the board and in Slack."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from shlex import quote
from typing import Any

from kipflow.domain.decisions import ReviewItem
from kipflow.domain.events import OPEN_STAGES, Stage
from kipflow.domain.interfaces import INTERFACES
from kipflow.domain.people import find_sides
from kipflow.domain.ruled import ANSWERS, CHOICES, HOLD, RECAST, VOTES
from kipflow.services.effectrules import BUTTONS
from kipflow.services.ports.effects import EDITS, RETRACTS, WARNS, OutboxRow

#: The default duration of a snooze.
SNOOZE = timedelta(days=30)
#: Field → its possible values; other fields are free text.
OPTIONS: Mapping[str, tuple[str, ...]] = {"choice": CHOICES, "stage": tuple(Stage), "interfaces": INTERFACES}
#: Field that is left open → its placeholder in a command, and its possible values.
_PLACES = {
    "choice": ("CHOICE", "+1, 0, -1 or none"),
    "stage": ("STAGE", ", ".join(Stage)),
    "until": ("DATE", "such as 2026-03-02"),
    "reviewer": ("--reviewed-by NAME", "who looked at it"),
}


#: Value or act → its label on a button, if the name itself is not clear.
_LABELS = {
    "none": "no vote",
    "accept": "accept it",
    "refuse": "refuse it",
    "release": "send it",
    "hold": "hold it",
    "sent": "it was sent",
    "revoke": "take it back",
    "rollback": "take this edit back",
    "restore": "undo the newest move",
}


_VOTES = {HOLD: "the votes hold", RECAST: "they must be cast again"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Way:
    """One way to settle something: an act of `acts.ACTS`, its known values, and the field that a person chooses.

    `given` is in the order of the command's words. `choose` is the name of a field, "" if none is left open. `label`
    names the result, if the act's name does not.
    """

    act: str
    given: Mapping[str, str]
    choose: str = ""
    label: str = ""
    needs_reason: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """One outcome that a person can choose: an act of `acts.ACTS` with all of its values."""

    act: str
    values: Mapping[str, str]
    needs_reason: bool = True


def find_ways(number: int, item: ReviewItem) -> list[Way]:
    """The ways to settle a question; none if no ruling can."""
    about = {"proposal": str(number)}
    mail = {**about, "mail": item.subject}
    match item.kind:
        case "ballot" | "late-ballot":
            return [Way(act="ballot", given=mail, choose="choice")]
        case "identity":
            pair = dict(zip(("one", "other"), item.subject.split(" = ", 1), strict=False))
            return [Way(act="merge", given=pair, label="one person"), Way(act="split", given=pair, label="two people")]
        case "sender":
            sender, person = find_sides(item.subject)
            return [
                Way(act="sender", given={"address": sender, "person": person}, label="the same person"),
                Way(act="split", given={"one": sender, "other": person}, label="somebody else"),
            ]
        case "ending":
            return [Way(act="ending", given={**mail, "answer": answer}) for answer in ANSWERS]
        case "page":
            return [Way(act="page", given={**about, "votes": said}, label=_VOTES[said]) for said in VOTES]
        case "claimed-number":
            return [Way(act="number", given={**about, "answer": answer}) for answer in ANSWERS]
        case "dormancy":
            dormant = Way(act="stage", given={**about, "stage": Stage.DORMANT})
            return [dormant, Way(act="snooze", given=about, choose="until")]
        case "ruling":
            return [find_revoke_way(item.subject)]
        case "result" | "turned-vote" | "retraction" | "new-vote" | "reopening" | "unannounced" | "crowd":
            return [Way(act="stage", given=about, choose="stage")]
        case _:
            return []


def find_revoke_way(ruling: int | str) -> Way:
    """The way to take back a ruling."""
    return Way(act="revoke", given={"ruling": str(ruling)})


def find_drift_way(number: int, side: str) -> Way:
    """The way to acknowledge drift of a side."""
    return Way(act="drift", given={"proposal": str(number), "side": side}, label="it may say so")


def find_overrides(number: int, stage: Stage) -> list[Way]:
    """The ways to change a proposal without an open question."""
    about = {"proposal": str(number)}
    return [
        Way(act="stage", given=about, choose="stage"),
        *([Way(act="snooze", given=about, choose="until")] if stage in OPEN_STAGES - {Stage.DORMANT} else []),
        Way(act="care", given=about, choose="interfaces"),
        Way(act="care", given=about, choose="reviewer"),
        Way(act="restore", given=about),
    ]


def find_release_ways(effect: OutboxRow) -> list[Way]:
    """The ways to settle an effect that waits for a person, to hold one that is about to be sent or was refused, or to
    roll back a saved edit of a page; else none."""
    given = {"key": effect.key}
    release = Way(act="release", given=given, needs_reason=False)
    sent = Way(act="sent", given=given, needs_reason=False)
    lasts = RETRACTS in effect.payload or WARNS in effect.payload
    refuse = [] if lasts else [Way(act="refuse", given=given)]
    hold = Way(act="hold", given=given)
    ways = {
        "pending": [] if effect.is_out else [hold],
        "held": [release, *refuse],
        "failed": [release, *refuse],
        "unsure": [sent, release],
    }
    if effect.channel in EDITS and not effect.is_undoing:
        ways["sent"] = [Way(act="rollback", given=given)]
    if effect.is_refused:
        ways["withdrawn"] = [Way(act="hold", given=given, label="let it wait again")]
    return ways.get(effect.status, [])


def name_outcome(value: str) -> str:
    """The label of a value, or of an act without one, on a button."""
    return _LABELS.get(value, value)


def label_way(way: Way, ways: Sequence[Way]) -> str:
    """The label of one of these ways: the outcome that only it has, such as "Dormant" next to a snooze, or its act."""
    own = (v for n, v in way.given.items() if any(w.given.get(n) != v for w in ways))
    return way.label or name_outcome(next(own, way.act))


def list_answers(ways: Sequence[Way]) -> dict[str, Answer]:
    """Label → each answer that the ways offer; a way that asks for a day offers none."""
    answers: dict[str, Answer] = {}
    for way in ways:
        for option in OPTIONS.get(way.choose, ()) if way.choose else ("",):
            label = name_outcome(option) if option else label_way(way, ways)
            values = {**way.given, way.choose: option} if option else way.given
            answers[label] = Answer(act=way.act, values=values, needs_reason=way.needs_reason)
    return answers


def find_commands(number: int, item: ReviewItem, program: str = "kipflow") -> tuple[str, ...]:
    """The commands that settle a question, each whole and safe to paste into a shell: ids come from mails.

    A word in capitals is for the reader to fill in; a comment lists what it can be.
    """
    return tuple(render_command(way, program) for way in find_ways(number, item))


def find_release_commands(effect: OutboxRow, program: str = "kipflow") -> tuple[str, ...]:
    """The commands that settle an effect that waits for a person; none for one that does not."""
    return tuple(render_command(way, program) for way in find_release_ways(effect))


def render_command(way: Way, program: str = "kipflow") -> str:
    """A way as a command of `kipflow review`."""
    place, can_be = _PLACES.get(way.choose, ("", ""))
    words = " ".join([*map(quote, way.given.values()), *([place] if place else [])])
    reason = ['--reason "…"'] if way.needs_reason else []
    # an id or address may look like an option: nothing behind "--" is one
    rest = [*reason, "--", words] if " -" in f" {words}" else [words, *reason]
    comment = f"{place}: {can_be}" if place else way.label
    return " ".join([program, "review", way.act, *rest, *([f" # {comment}"] if comment else [])])


# -- buttons below Slack messages, if an app is configured; `services.presses` performs them -----------
#: Not an act: it records nothing, and only the person who presses it sees the draft.
DRAFT = "draft"
#: Slack's limits for a button's text and value, and the most buttons of a message; the board has all ways.
_LABEL, _VALUE, MOST_BUTTONS = 75, 2_000, 5
_REASON = "reason"


def offer(message: Mapping[str, Any], answers: Mapping[str, Answer]) -> dict[str, Any]:
    """The message with buttons for the answers; `EffectRules.address` drops them if there is no app."""
    pressed = {label: json.dumps([a.act, dict(a.values)], ensure_ascii=False) for label, a in answers.items()}
    buttons = [
        {
            "type": "button",
            "action_id": f"kipflow-{number}",
            "text": {"type": "plain_text", "text": label[:_LABEL]},
            "value": value,
        }
        for number, (label, value) in enumerate(pressed.items())
        if len(value) <= _VALUE
    ]
    if not buttons:
        return dict(message)
    asks = {
        "type": "input",
        "block_id": _REASON,
        "optional": True,
        "label": {"type": "plain_text", "text": "Reason"},
        "element": {"type": "plain_text_input", "action_id": _REASON, "max_length": 1_000},
    }
    reason = [asks] if any(answer.needs_reason for answer in answers.values()) else []
    return {**message, BUTTONS: [*reason, {"type": "actions", "elements": buttons[:MOST_BUTTONS]}]}


def offer_snooze(number: int, at: datetime) -> dict[str, Answer]:
    """The answer that snoozes a proposal for `SNOOZE`."""
    until = f"{at + SNOOZE:%Y-%m-%d}"
    return {f"snooze until {until}": Answer(act="snooze", values={"proposal": str(number), "until": until})}


def offer_draft(number: int) -> dict[str, Answer]:
    return {"draft the result": Answer(act=DRAFT, values={"proposal": str(number)}, needs_reason=False)}


def find_offered(payload: Mapping[str, Any]) -> frozenset[str]:
    """The values of the buttons below a message."""
    elements = (e for block in payload["blocks"] if block["type"] == "actions" for e in block["elements"])
    return frozenset(element["value"] for element in elements)
