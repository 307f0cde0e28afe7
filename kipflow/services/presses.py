"""Pressed buttons: each is an act like any other, by the roster id of the person who pressed it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import datetime

from kipflow.domain.errors import KipflowError, ServiceUnavailable
from kipflow.domain.facts import Ruling
from kipflow.domain.times import say_moment
from kipflow.services.acts import perform
from kipflow.services.desk import ActContext, Desk, say_done
from kipflow.services.ports import Audit, Press
from kipflow.services.ports.effects import ASKS, DRIFT, OutboxRow
from kipflow.services.result_mail import NoDraft, draft_result
from kipflow.services.settling import DRAFT, find_offered
from kipflow.services.shown_commands import address_commands

#: Act on people → the kind of its ruling; other acts record a ruling of their own name.
_ON_PEOPLE = {"sender": "merge", "merge": "merge", "split": "split"}


def settle_press(desk: Desk, press: Press, people: Mapping[str, str], *, at: datetime, audit: Audit) -> str:
    """Perform the act of a button. Returns the answer for the person who pressed it.

    `people` maps Slack ids to roster ids of those who may; names in Slack can be chosen freely. `audit` records the act
    before it is performed; if it fails, nothing is changed.
    """
    person = people.get(press.user)
    if person is None:
        return "Nothing was done: you are not among those who may settle this in Slack (`slack.buttons`)."
    try:
        with desk.store.read() as session:
            message = session.outbox.find_message(press.message)
        if message is None or press.value not in find_offered(message.payload):
            return "Nothing was done: kipflow has not offered this below that message; use the board."
        act, values = json.loads(press.value)
        if not isinstance(act, str) or not isinstance(values, dict):
            raise TypeError("an act and its values")
        if act == DRAFT:
            draft = draft_result(desk.store.proposal(int(values["proposal"]), at), at)
            return f"To: {draft.list_id}\nSubject: {draft.subject}\n\n{draft.text}"
        if not _is_asked(desk, message):
            return f"Nothing was done: this is not asked any more. {_say_settled(desk, message)}"
        audit(person, act, {**values, "reason": press.reason})
        done = perform(desk, act, values, ActContext(author=person, reason=press.reason, at=at))
    except NoDraft as error:
        return address_commands(f"There is no result to announce. {error}", desk.effects.program)
    except ServiceUnavailable as error:  # its address is not for a channel
        return f"Nothing was done: the {error.service} gives no answer: {error.why}"
    except KipflowError as error:
        return f"Nothing was done: {error}"
    except (ValueError, KeyError, TypeError):
        return "Nothing was done: this button is not of this version of kipflow; use the board."
    return "\n".join(say_done(done, desk.effects.prefix))


def _is_asked(desk: Desk, message: OutboxRow) -> bool:
    """Whether a message's question is still open; True for a message without a question."""
    asked = message.payload.get(ASKS)
    if asked is None:
        return True
    kind, subject = asked
    if kind == DRIFT:
        return (message.number, subject) in {(row.number, row.drift.side) for row in desk.store.drift()}
    open_now = {(row.number, row.item.kind, row.item.subject) for row in desk.store.review()}
    return (message.number, kind, subject) in open_now


def _say_settled(desk: Desk, message: OutboxRow) -> str:
    """Who answered the message's question since, when and why; or that the facts have changed."""
    answers = [json.loads(value) for value in find_offered(message.payload)]
    kinds = {_ON_PEOPLE.get(act, act) for act, _ in answers}
    about = {str(value) for _, values in answers for value in values.values()}
    with desk.store.read() as session:
        standing = [r for r in session.rulings.load_all() if r.revoked_at is None and r.kind in kinds]
    for ruling in reversed(standing):
        is_since = ruling.made_at >= message.created_at
        if is_since and ruling.number in {None, message.number} and _find_subjects(ruling) <= about:
            return f"{ruling.author} settled it on {say_moment(ruling.made_at)}: {ruling.reason}"
    return "The facts have changed since; the board has what was decided."


def _find_subjects(ruling: Ruling) -> set[str]:
    """The subjects of a ruling: a mail or side of its proposal, or two people."""
    if ruling.number is None:
        return {side["key"] for side in ruling.value.values()}
    return {ruling.target} if ruling.kind in {"ballot", "ending", "drift"} else set()
