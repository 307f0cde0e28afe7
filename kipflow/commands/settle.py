"""The commands of `review` that settle something: each performs an act of `services.acts` and prints its result."""

from __future__ import annotations

import getpass
from collections.abc import Callable
from datetime import datetime
from typing import Any

import click

from kipflow.commands.opening import find_past, open_parts
from kipflow.commands.output import UtcTime, as_of_option
from kipflow.commands.sayings import parse_number, print_done
from kipflow.domain.decisions import SIDES
from kipflow.domain.events import Stage
from kipflow.domain.interfaces import INTERFACES
from kipflow.domain.ruled import ANSWERS, CHOICES, HOLD, VOTES
from kipflow.services.acts import perform
from kipflow.services.desk import ActContext
from kipflow.wiring import open_desk

Given = Callable[[Callable[..., int]], Callable[..., int]]


def by_option(function: Callable[..., int]) -> Callable[..., int]:
    """`--by` and `--as-of`, the same for every act."""
    by = click.option("--by", "author", default=getpass.getuser, show_default="your login", help="The recorded author.")
    return as_of_option(by(function))


def _by_whom(function: Callable[..., int]) -> Callable[..., int]:
    """`--by`, `--reason` and `--as-of`, the same for every ruling."""
    reason = click.option("--reason", required=True, help="Why; kept with the ruling.")
    return by_option(reason(function))


def _act(*given: Given, asks: Given = _by_whom) -> Callable[[Callable[[], None]], click.Command]:
    """A command that performs the act named like the function, with these arguments; its docstring is the help."""

    def make(named: Callable[[], None]) -> click.Command:
        def run(**values: Any) -> int:
            return _perform(named.__name__, **values)

        for option in (asks, *reversed(given)):
            run = option(run)
        # -1 is a choice, not an option
        settings = {"ignore_unknown_options": named.__name__ == "ballot"}
        return click.command(named.__name__, help=named.__doc__, context_settings=settings)(run)

    return make


_PROPOSAL = click.argument("proposal")
_MAIL = click.argument("mail", metavar="MESSAGE_ID")
_ANSWER = click.argument("answer", type=click.Choice(ANSWERS))
_ONE, _OTHER = click.argument("one"), click.argument("other")
_SINCE = click.option(
    "--since", type=UtcTime(), help="From when it is theirs; as a rule from its first mail that is held."
)
_KEY = click.argument("key")


@_act(_PROPOSAL, _MAIL, click.argument("choice", type=click.Choice(CHOICES)))
def ballot() -> None:
    """Settle a ballot: what the mail MESSAGE_ID votes (none: it is no vote)."""


@_act(_PROPOSAL, _MAIL, _ANSWER)
def ending() -> None:
    """Settle whether the mail MESSAGE_ID closes, calls off or replaces a vote, though nobody entitled sent it.

    Its caller's known addresses and those whose votes bind need no ruling.
    """


@_act(_ONE, _OTHER)
def merge() -> None:
    """Rule that ONE and OTHER are the same person, in all votes.

    Each is an address, an id of the roster, or the name where mails show no address. Their ballots count as
    one voter's: the latest stands. Who is merged with a person of the roster votes with that person's roles.
    """


@_act(_ONE, _OTHER)
def split() -> None:
    """Rule that ONE and OTHER are two people, in all votes.

    It undoes a merge by an equal name. From then on that name alone merges nobody.
    """


@_act(click.argument("address"), click.argument("person"), _SINCE)
def sender() -> None:
    """Rule that ADDRESS is one of PERSON's (an id or address of the roster) from some day on.

    Mails that came from it before that day stay as they were. In place of an address, a mail's id such as
    <abc@x.example> says so of that mail alone. `kipflow review senders` lists who is asked about.
    """


@_act(_PROPOSAL, click.argument("stage", type=click.Choice([s.value for s in Stage], case_sensitive=False)))
def stage() -> None:
    """Override a proposal's stage."""


@_act(_PROPOSAL, click.argument("votes", type=click.Choice(VOTES), default=HOLD))
def page() -> None:
    """Say that the votes hold though the page changed since (`kipflow diff` shows how), or must be cast again.

    Recast: what was cast or announced before that counts no longer, and the period begins anew in the same thread.
    """


@_act(_PROPOSAL, _ANSWER)
def number() -> None:
    """Say whether a number that only mail names, or that lies far beyond all others, is a proposal's.

    Accepted, it is a normal proposal. Refused, it leaves the lists and its mail has no effect but stays stored; a later
    page brings it back.
    """


@_act(_PROPOSAL, click.argument("side", type=click.Choice(SIDES)))
def drift() -> None:
    """Acknowledge that a SIDE disagrees with the facts (`kipflow status --drift` lists them).

    It is no longer listed, until the side or the facts change.
    """


@_act(_PROPOSAL)
def restore() -> None:
    """Put a proposal back into the stage that it was in before its newest move.

    Whoever made that move: the clock (dormant, accepted, rejected), the page (discarded), a mail, or an
    operator's override. The move stays in the history, and the same evidence does not repeat it; what comes
    later (a mail, another state of the page, a vote) can move the proposal again. To take back a ruling as if it had
    never been made, revoke it instead.
    """


@_act(click.argument("ruling", type=int, metavar="RULING_ID"))
def revoke() -> None:
    """Take a ruling back (`kipflow review rulings` shows their ids); new entries correct history."""


@_act(_KEY, asks=by_option)
def release() -> None:
    """Approve an effect that waits for a person (KEY as `kipflow review` and the board's outbox show it).

    For one that may have gone out (unsure) you confirm that it did not: first look where it would be.
    """


@_act(_KEY, asks=by_option)
def sent() -> None:
    """Confirm that an effect that may have gone out (unsure) did: you found it where it should be."""


@_act(_KEY)
def hold() -> None:
    """Make an effect that is about to be sent, or was refused, wait for a person again (KEY as the outbox shows it)."""


@_act(_KEY)
def refuse() -> None:
    """Do not send an effect that waits for a person (KEY as the outbox shows it), unless it is held again."""


@_act(_KEY)
def rollback() -> None:
    """Take a saved edit of the index back (KEY as the board's outbox shows it), unless somebody wrote since."""


@click.command()
@click.argument("proposal")
@click.argument("interfaces", nargs=-1, type=click.Choice(INTERFACES))
@click.option("--reviewed-by", "reviewer", metavar="NAME", help="Somebody who looked at it for the care required.")
@click.option("--none", "nothing", is_flag=True, help="It touches no interface that requires care.")
@_by_whom
def care(interfaces: tuple[str, ...], reviewer: str | None, nothing: bool, **given: Any) -> int:
    """Say which INTERFACES a proposal touches, whatever its page says, or who reviewed it for them.

    The policy's care required (a longer vote, more votes, reviewers) goes by that from then on; what was decided
    before stays decided.
    """
    if (bool(interfaces), bool(reviewer), nothing).count(True) != 1:
        raise click.UsageError("name interfaces, or --none, or --reviewed-by NAME")
    return _perform("care", interfaces=interfaces, reviewer=reviewer, **given)


@click.command()
@click.argument("proposal")
@click.argument("until", type=UtcTime())
@_by_whom
def snooze(until: datetime, **given: Any) -> int:
    """Keep a silent proposal from going dormant before UNTIL."""
    return _perform("snooze", until=until.isoformat(), **given)


COMMANDS = (
    *(ballot, ending, merge, split, sender, stage, care, page, number),
    *(drift, restore, snooze, revoke, release, hold, refuse, rollback, sent),
)


def _perform(act: str, *, author: str, as_of: datetime | None, reason: str = "", **values: Any) -> int:
    parts = open_parts()
    if "proposal" in values:
        values["proposal"] = parse_number(parts, values["proposal"])
    context = ActContext(author=author, reason=reason, at=find_past(parts, as_of))
    print_done(perform(open_desk(parts), act, values, context), parts.community.prefix)
    return 0
