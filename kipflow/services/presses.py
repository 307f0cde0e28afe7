"""What becomes of a pressed button: an act like any other, by the roster's name for who pressed it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import datetime

from kipflow.domain.errors import KipflowError
from kipflow.services.acts import perform
from kipflow.services.buttons import DRAFT
from kipflow.services.desk import Desk, Word, say_done
from kipflow.services.ports import Press
from kipflow.services.program import address_commands
from kipflow.services.result_mail import NoDraft, draft_result


def settle_press(desk: Desk, press: Press, people: Mapping[str, str], *, at: datetime) -> str:
    """Do what a button says, by the same rules as anywhere; what came of it, for who pressed it.

    `people` are the ids of those who may, by their id in Slack: names and pictures there are anybody's choice.
    """
    person = people.get(press.user)
    if person is None:
        return "Nothing was done: you are not among those who may settle this in Slack (`slack.buttons`)."
    try:
        act, values = json.loads(press.value)
        if not isinstance(act, str) or not isinstance(values, dict):
            raise TypeError("an act and its values")
        if act == DRAFT:
            return _draft(desk, int(values["proposal"]), at)
        done = perform(desk, act, values, Word(author=person, reason=press.reason, at=at))
    except NoDraft as error:
        return address_commands(f"There is no result to announce. {error}", desk.effects.program)
    except KipflowError as error:
        return f"Nothing was done: {error}"
    except (ValueError, KeyError, TypeError):
        return "Nothing was done: this button is not of this version of kipflow; use the board."
    return "\n".join(say_done(done, desk.effects.prefix))


def _draft(desk: Desk, number: int, at: datetime) -> str:
    draft = draft_result(desk.board.proposal(number, at), at)
    return f"To: {draft.list_id}\nSubject: {draft.subject}\n\n{draft.text}"
