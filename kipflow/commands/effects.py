"""The commands of `review` that let effects go, hold or refuse them: each performs an act of `services.acts`."""

from __future__ import annotations

from typing import Any

import click

from kipflow.commands.settle import by_option, by_whom, perform_act


@click.command()
@click.argument("key")
@by_option
def release(**given: Any) -> int:
    """Approve an effect that waits for a person (KEY as `kipflow review` and the board's outbox show it).

    Of one that may have gone out (unsure) you say that it did not: look where it would be before.
    """
    return perform_act("release", **given)


@click.command()
@click.argument("key")
@by_option
def sent(**given: Any) -> int:
    """Say that an effect that may have gone out (unsure) did: you found it where it should be."""
    return perform_act("sent", **given)


@click.command()
@click.argument("key")
@by_whom
def hold(**given: Any) -> int:
    """Let an effect that is about to be sent, or was refused, wait for a person again (KEY as the outbox shows it)."""
    return perform_act("hold", **given)


@click.command()
@click.argument("key")
@by_whom
def refuse(**given: Any) -> int:
    """Do not send an effect that waits for a person (KEY as `kipflow review` and the outbox show it).

    `kipflow review hold` lets it wait again.
    """
    return perform_act("refuse", **given)


@click.command()
@click.argument("key")
@by_whom
def rollback(**given: Any) -> int:
    """Take a saved edit of the index back (KEY as the board's outbox shows it), unless somebody wrote since."""
    return perform_act("rollback", **given)


EFFECT_COMMANDS = (release, hold, refuse, rollback, sent)
