"""What a person can do, as a table: command line and board perform and refuse the same acts.

An act is recorded first, then applied: the proposals that it affects are decided again at once.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from typing import Any

from kipflow.domain.proposals import format_key
from kipflow.domain.ruled import HOLD
from kipflow.services import previewed, releases, rulings
from kipflow.services.advance import preview
from kipflow.services.desk import Act, ActContext, Desk, Done, Preview, ShownStages, Values, read_number
from kipflow.services.ruling_checks import BadRuling
from kipflow.services.rulings import Recorded, decide_again
from kipflow.services.who_is_who import accept_sender, check_pick, rule_identity

#: The fields that hold several values.
LISTS = frozenset({"interfaces", "picked"})
#: The field of an act with a preview that identifies what the person was shown.
SEEN = "seen"
#: A form's extra value for a choice of several, so that choosing none is explicit.
NONE = "none"


def perform(desk: Desk, name: str, values: Values, context: ActContext) -> Done:
    """Perform the act of this name.

    Raises:
        BadRuling: there is no such act, a value is missing, or it makes no sense.
        UnknownProposal: nothing is known of the proposal.
    """
    act = _find(name)
    _require((*act.fields, *([SEEN] if act.preview else [])), values)
    return act.perform(desk, values, context)


def preview_act(desk: Desk, name: str, values: Values, at: datetime) -> Preview:
    """What the act of this name would change.

    Raises:
        BadRuling: the act has no preview, a value is missing, or it makes no sense.
    """
    act = _find(name)
    if act.preview is None:
        raise BadRuling(f"{name} is done without being shown first")
    _require(act.fields, values)
    return act.preview(desk, values, at)


def _find(name: str) -> Act:
    act = ACTS.get(name)
    if act is None:
        raise BadRuling(f"there is no act {name!r}; there are {', '.join(ACTS)}")
    return act


def _require(fields: Sequence[str], values: Values) -> None:
    missing = [field for field in fields if values.get(field) in (None, "", [])]
    if missing:
        raise BadRuling(f"go back, and choose or fill in first: {', '.join(missing)}")


# -- acts on one proposal ----------------------------------------------------------------------------
def _on_proposal(
    kind: str, read: Callable[[Values], dict[str, Any]], *, target: str = "proposal"
) -> Callable[[Desk, Values, ActContext], Done]:
    """An act that is a ruling on one proposal; `target` is the field with the ruling's target."""

    def run(desk: Desk, values: Values, context: ActContext) -> Done:
        number, value = read_number(values["proposal"]), read(values)
        key = format_key(desk.effects.prefix, number)
        decision, _ = preview(desk.store, number, policy=desk.policy, as_of=context.at)
        recorded = rulings.settle(
            desk.store,
            number=number,
            kind=kind,
            target=key if target == "proposal" else str(values[target]),
            value=value,
            context=context,
            asked={item.kind for item in decision.review} if decision is not None else (),
            policy=desk.policy,
        )
        leaves = value == {"number": "refuse"}
        gone = f"; {key} leaves the lists, and its mail stays stored" if leaves else ""
        shown = ShownStages.NONE if leaves else ShownStages.ALL
        return decide_again(desk, context, f"{_say(recorded)}{gone}", recorded.id, [number], shown=shown)

    return run


def _read_day(text: str) -> str:
    """A time; a day without one begins at midnight UTC."""
    return f"{text}T00:00:00+00:00" if len(text) == len("2026-03-02") else text


def _read_since(given: datetime | str | None) -> datetime | None:
    """The time since when an address is somebody's, with its zone."""
    if not given or isinstance(given, datetime):
        return given or None
    since: datetime | None
    try:
        since = datetime.fromisoformat(_read_day(given))
    except ValueError:
        since = None
    if since is None or since.tzinfo is None:
        raise BadRuling(f"{given!r} is no time with its zone, such as 2026-03-02T00:00:00+00:00")
    return since


def _read_care(values: Values) -> dict[str, Any]:
    reviewer = values.get("reviewer")
    if not reviewer and "interfaces" not in values:
        raise BadRuling("name the interfaces, none of them or more, or who reviewed it")
    named = [name for name in values.get("interfaces") or () if name != NONE]
    return {"reviewer": reviewer} if reviewer else {"interfaces": named}


def _acknowledge_drift(desk: Desk, values: Values, context: ActContext) -> Done:
    """Acknowledge a side's disagreement, until the side or the facts change."""
    number, side = read_number(values["proposal"]), str(values["side"])
    key = format_key(desk.effects.prefix, number)
    decision, _ = preview(desk.store, number, policy=desk.policy, as_of=context.at)
    found = [drift for drift in (decision.drift if decision is not None else ()) if drift.side == side]
    if not found:
        raise BadRuling(f"no {side} of {key} is out of step")
    recorded = [
        rulings.settle(desk.store, number=number, kind="drift", target=side, value=drift.as_ruled, context=context)
        for drift in found
    ]
    said = "; ".join(map(_say, recorded))
    return decide_again(desk, context, said, recorded[-1].id if len(recorded) == 1 else None, [number])


# -- acts on people, rulings and effects -------------------------------------------------------------
def _identify(*, same: bool) -> Callable[[Desk, Values, ActContext], Done]:
    def run(desk: Desk, values: Values, context: ActContext) -> Done:
        recorded = rule_identity(desk, values["one"], values["other"], context, same=same)
        return decide_again(desk, context, _say(recorded), recorded.id)

    return run


def _accept_sender(desk: Desk, values: Values, context: ActContext) -> Done:
    since = _read_since(values.get("since"))
    recorded = accept_sender(desk, values["address"], values["person"], context, since=since)
    return decide_again(desk, context, _say(recorded), recorded.id)


def _accept_senders(desk: Desk, values: Values, context: ActContext) -> Done:
    """Accept several senders in question, each as the person it may be."""
    rows = desk.store.senders()
    wanted = set(values["picked"])
    picked = [row for row in rows if row.key in wanted]
    check_pick(picked)
    if len(picked) < len(wanted):
        raise BadRuling("the list has changed since: somebody settled one of these already; look at it again")
    accepted: list[str] = []
    refused: list[str] = []
    for row in picked:
        try:
            accept_sender(desk, row.sender, row.person, context)
            accepted.append(f"{row.sender} is {row.person_name} ({row.person})")
        except BadRuling as error:  # what was accepted before it stays
            refused.append(f"{row.sender} is not accepted: {error}")
    if not accepted:
        raise BadRuling("; ".join(refused))
    return decide_again(desk, context, "; ".join([f"{len(accepted)} of {len(rows)} accepted", *accepted, *refused]))


def _revoke(desk: Desk, values: Values, context: ActContext) -> Done:
    ruling = read_number(values["ruling"])
    rulings.revoke(desk.store, ruling, context)
    return decide_again(desk, context, f"ruling {ruling} revoked")


def _say(recorded: Recorded) -> str:
    return f"ruling {recorded.id} {'recorded' if recorded.is_new else 'says so already'}"


ACTS: Mapping[str, Act] = {
    "ballot": Act(
        fields=("proposal", "mail", "choice"),
        perform=_on_proposal("ballot", lambda v: {"choice": v["choice"]}, target="mail"),
    ),
    "ending": Act(
        fields=("proposal", "mail", "answer"),
        perform=_on_proposal("ending", lambda v: {"ending": v["answer"]}, target="mail"),
    ),
    "stage": Act(fields=("proposal", "stage"), perform=_on_proposal("stage", lambda v: {"stage": v["stage"]})),
    "snooze": Act(
        fields=("proposal", "until"), perform=_on_proposal("snooze", lambda v: {"until": _read_day(str(v["until"]))})
    ),
    "restore": Act(fields=("proposal",), perform=_on_proposal("restore", lambda _: {})),
    "page": Act(
        fields=("proposal",),
        optional=("votes",),
        perform=_on_proposal("page", lambda v: {"votes": v.get("votes") or HOLD}),
    ),
    "number": Act(fields=("proposal", "answer"), perform=_on_proposal("number", lambda v: {"number": v["answer"]})),
    "care": Act(fields=("proposal",), optional=("interfaces", "reviewer"), perform=_on_proposal("care", _read_care)),
    "drift": Act(fields=("proposal", "side"), perform=_acknowledge_drift),
    "merge": Act(fields=("one", "other"), perform=_identify(same=True)),
    "split": Act(fields=("one", "other"), perform=_identify(same=False)),
    "sender": Act(fields=("address", "person"), optional=("since",), perform=_accept_sender),
    "senders": Act(fields=("picked",), perform=_accept_senders),
    "revoke": Act(fields=("ruling",), perform=_revoke),
    "release": Act(fields=("key",), perform=releases.release),
    "releases": Act(fields=("picked",), perform=releases.release_several),
    "hold": Act(fields=("key",), perform=releases.hold),
    "refuse": Act(fields=("key",), perform=releases.refuse),
    "rollback": Act(fields=("key",), perform=releases.roll_back),
    "sent": Act(fields=("key",), perform=releases.confirm_sent),
    "undo": Act(fields=("batch",), perform=previewed.undo_batch, preview=previewed.preview_undo),
    "roster": Act(
        fields=("text", "source", "as_of"),
        optional=("format", "project"),
        perform=previewed.import_into,
        preview=previewed.preview_import,
    ),
    "roster-back": Act(fields=(), perform=previewed.restore_roster, preview=previewed.preview_restore),
}
