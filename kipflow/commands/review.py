"""`review`: the questions that wait for a person, the rulings that settled them, and new ones."""

from __future__ import annotations

import getpass
from collections.abc import Callable, Sequence
from datetime import datetime
from enum import Enum, auto
from shlex import quote
from typing import Any

import click

from kipflow.commands.now import find_past
from kipflow.commands.opening import open_parts
from kipflow.commands.output import UtcTime, as_of_option, console, format_option, print_rows, say_time
from kipflow.domain.claims import ANSWERS
from kipflow.domain.errors import KipflowError
from kipflow.domain.events import Stage
from kipflow.domain.facts import Ruling
from kipflow.domain.interfaces import INTERFACES
from kipflow.domain.proposals import find_references, format_key
from kipflow.domain.ruled import say_care
from kipflow.services.board import ReviewRow, SenderBallot, SenderRow
from kipflow.services.messages import read_text
from kipflow.services.ports import OutboxRow
from kipflow.services.settling import find_commands, find_release_commands
from kipflow.services.wording import say_authentication
from kipflow.wiring import Parts, effect_rules

_COLUMNS = ("proposal", "stage", "kind", "question", "line", "both_ways")


class Stages(Enum):
    """After a word, of which proposals the stage is printed; a number that was refused has none to speak of."""

    ALL = auto()
    MOVED = auto()
    NONE = auto()


#: Votes named one by one after a word that turns many.
_MAX_CHANGES = 20
_RULING_COLUMNS = ("id", "proposal", "ruling", "by", "reason", "at", "revoked")


@click.group(invoke_without_command=True)
@format_option()
@click.pass_context
def review(ctx: click.Context, form: str) -> int:
    """List what waits for a person, and settle it.

    Without a command: the open questions, those first on which an outcome hangs, each with the command that
    settles it, then the effects that wait for a person or were given up. Exit code 1 if there are any. A ruling
    is stored with author, reason and time, outlives every recount, is never overwritten by the clock, and can be
    revoked.
    """
    if ctx.invoked_subcommand is not None:
        return 0
    parts = open_parts()
    rows = [_question_row(row) for row in parts.store.review()]
    rows += [_effect_row(parts, e) for status in ("held", "unsure", "failed") for e in _load_effects(parts, status)]
    print_rows(rows, form, columns=_COLUMNS if form == "table" else (*_COLUMNS, "settle", "subject"))
    if rows and form == "table":
        print_ways_to_settle(rows)
    return 1 if rows else 0


def print_ways_to_settle(rows: Sequence[dict[str, Any]]) -> None:
    """Below the table, where nothing is wrapped: the mails that a question is about, and the commands to copy."""
    out = console()
    out.print("\nTo settle them, with your reason in place of …:")
    for row in rows:
        out.print(f"{row['proposal']} {row['kind']}: {row['subject']}".strip())
        for ballot in row.get("ballots", ()):
            out.print(f"  {say_ballot(ballot)}")
        for command in row["settle"].splitlines():
            out.print(f"  {command}")


def say_ballot(ballot: dict[str, Any]) -> str:
    """A mail that a question is about, in one line: what it says, which mail it is, and how its sender is known."""
    where = " ".join(filter(None, (ballot["source"], ballot["url"])))
    said = f'"{ballot["line"]}" in the mail of {say_time(ballot["at"])} UTC {ballot["message_id"]} ({where})'
    return f"{said}: {ballot['authentication']}"


def render_ballots(ballots: Sequence[SenderBallot]) -> list[dict[str, Any]]:
    return [
        {
            "line": b.line,
            "at": b.at,
            "message_id": b.message_id,
            "source": b.source,
            "url": b.url,
            "authentication": say_authentication(b),
        }
        for b in ballots
    ]


def say_program() -> str:
    """`kipflow` as it was called: with the community that it was given."""
    ctx = click.get_current_context(silent=True)
    community = ctx.find_root().params.get("community") if ctx is not None else None
    return f"kipflow -C {quote(community)}" if community else "kipflow"


def _question_row(row: ReviewRow) -> dict[str, Any]:
    return {
        "proposal": row.key,
        "stage": row.stage,
        "kind": row.item.kind,
        "question": row.item.question,
        "line": row.item.line or "; ".join(b.line for b in row.ballots),
        "both_ways": list(row.item.outcomes),
        "settle": "\n".join(find_commands(row.number, row.item, say_program())),
        "subject": row.item.subject,
        "ballots": render_ballots(row.ballots),
    }


def _load_effects(parts: Parts, status: str) -> list[OutboxRow]:
    """The effects of a state, oldest first."""
    found: list[OutboxRow] = []
    while True:
        page = parts.store.effects(status=status, offset=len(found), limit=500)
        found.extend(page.rows)
        if not page.rows or len(found) >= page.total:
            return found[::-1]


def _effect_row(parts: Parts, effect: OutboxRow) -> dict[str, Any]:
    moves = effect.payload.get("moves") or ()
    edits = f"{len(moves)} rows of the index page would move" if effect.channel == "index" else ""
    return {
        "proposal": format_key(parts.community.prefix, effect.number) if effect.number is not None else "",
        "stage": "",
        "kind": effect.status,
        "question": (read_text(effect.payload) or edits or effect.key).partition("\n")[0],
        "line": effect.last_error or "",
        "both_ways": [],
        "settle": "\n".join(find_release_commands(effect, say_program())),
        "subject": effect.key,
    }


# -- the rulings there are ---------------------------------------------------------------------------
@review.command("rulings")
@click.argument("proposal", required=False)
@click.option("--standing", is_flag=True, help="Leave out what was revoked.")
@format_option()
def rulings_(proposal: str | None, standing: bool, form: str) -> int:
    """List rulings with their ids: of one PROPOSAL, or all of them."""
    parts = open_parts()
    with parts.store.read() as session:
        found = session.load_facts(parse_number(parts, proposal)).rulings if proposal else session.load_rulings()
    rows = [_ruling_row(parts, r) for r in found if not (standing and r.revoked_at)]
    print_rows(rows, form, columns=_RULING_COLUMNS)
    return 0


def _ruling_row(parts: Parts, ruling: Ruling) -> dict[str, Any]:
    revoked = ""
    if ruling.revoked_at is not None:
        why = f": {ruling.revoked_reason}" if ruling.revoked_reason else ""
        revoked = f"{ruling.revoked_at:%Y-%m-%d %H:%M} by {ruling.revoked_by}{why}"
    return {
        "id": ruling.id,
        "proposal": format_key(parts.community.prefix, ruling.number) if ruling.number is not None else "",
        "ruling": say_ruling(ruling),
        "by": ruling.author,
        "reason": ruling.reason,
        "at": ruling.made_at,
        "revoked": revoked,
    }


def say_ruling(ruling: Ruling) -> str:
    """What a ruling says, in a few words."""
    match ruling.kind:
        case "ballot":
            return f"ballot {ruling.target} is {ruling.value.get('choice')}"
        case "ending":
            verb = "accepted" if ruling.value.get("ending") == "accept" else "refused"
            return f"the end of the vote by {ruling.target} is {verb}"
        case "stage":
            return f"stage {ruling.value.get('stage')}"
        case "snooze":
            return f"snooze until {str(ruling.value.get('until'))[:16]}"
        case "restore":
            return "restore the stage before"
        case "care":
            return say_care(ruling.value)
        case "page":
            return f"the votes hold for page {ruling.target}"
        case "number":
            return f"{ruling.value.get('number')} the number {ruling.target}"
        case "merge":
            since = f" since {str(ruling.value['since'])[:10]}" if ruling.value.get("since") else ""
            return f"one person{since}: {ruling.target}"
        case "split":
            return f"two people: {ruling.target}"
        case kind:
            return f"{kind} {ruling.target}"


# -- new ones ----------------------------------------------------------------------------------------
def _by_whom(function: Callable[..., int]) -> Callable[..., int]:
    """`--by`, `--reason` and `--as-of`, the same for every ruling."""
    by = click.option("--by", "author", default=getpass.getuser, show_default="your login", help="Who rules.")
    reason = click.option("--reason", required=True, help="Why; kept with the ruling.")
    return as_of_option(by(reason(function)))


@review.command(context_settings={"ignore_unknown_options": True})  # a choice of -1 is no option
@click.argument("proposal")
@click.argument("message_id")
@click.argument("choice", type=click.Choice(["+1", "0", "-1", "none"]))
@_by_whom
def ballot(proposal: str, message_id: str, choice: str, author: str, reason: str, as_of: datetime | None) -> int:
    """Settle a ballot: what the mail MESSAGE_ID votes (none: it is no vote)."""
    return _rule(proposal, "ballot", message_id, {"choice": choice}, author, reason, as_of)


@review.command()
@click.argument("proposal")
@click.argument("message_id")
@click.argument("answer", type=click.Choice(ANSWERS))
@_by_whom
def ending(proposal: str, message_id: str, answer: str, author: str, reason: str, as_of: datetime | None) -> int:
    """Settle whether the mail MESSAGE_ID closes, calls off or replaces a vote, though nobody entitled sent it.

    Its caller's known addresses and those whose votes bind need nobody's word.
    """
    return _rule(proposal, "ending", message_id, {"ending": answer}, author, reason, as_of)


@review.command()
@click.argument("one")
@click.argument("other")
@_by_whom
def merge(one: str, other: str, author: str, reason: str, as_of: datetime | None) -> int:
    """Rule that ONE and OTHER are the same person, in every vote there is.

    Each is an address, an id of the roster, or the name where mails show no address. Their ballots count as
    one voter's: the latest stands. Who is merged with a person of the roster votes with that person's roles.
    """
    return _rule_identity(one, other, author, reason, as_of, same=True)


@review.command()
@click.argument("address")
@click.argument("person")
@click.option("--since", type=UtcTime(), help="From when it is theirs; as a rule from its first mail that is held.")
@_by_whom
def sender(address: str, person: str, since: datetime | None, author: str, reason: str, as_of: datetime | None) -> int:
    """Rule that ADDRESS is one of PERSON's (an id or address of the roster) from some day on.

    Mails that came from it before that day stay as they were. In place of an address, a mail's id such as
    <abc@x.example> says so of that mail alone. `kipflow review senders` lists who is asked about.
    """
    from kipflow.services.senders import accept_sender

    parts = open_parts()
    at = find_past(parts, as_of)
    ruling = accept_sender(parts.store, parts.roster, address, person, since=since, author=author, reason=reason, at=at)
    _take_hold(parts, at, f"ruling {ruling.id} {'recorded' if ruling.is_new else 'says so already'}")
    return 0


@review.command()
@click.option("--accept", "lines", metavar="LINES", help="Lines such as 1,3-5: each is whom it may be.")
@click.option("--domain", help="Accept every address at this domain.")
@click.option("--all", "everybody", is_flag=True, help="Accept every line.")
@click.option("--by", "author", default=getpass.getuser, show_default="your login", help="Who rules.")
@click.option("--reason", default="", help="Why; kept with each ruling. Needed to accept.")
@as_of_option
@format_option()
def senders(
    lines: str | None, domain: str | None, everybody: bool, author: str, reason: str, as_of: datetime | None, form: str
) -> int:
    """List every sender who writes as somebody known and is not proven to be, over all votes, with what speaks for it.

    How often and how long the address wrote under that name, whether the receiving host vouched for it, and how many
    results name that person as binding. Accepting gives the address to the person from its first mail on.
    """
    from kipflow.services.senders import accept_sender, check_pick, pick_domain, pick_lines

    parts = open_parts()
    rows = parts.store.senders()
    if sum((lines is not None, domain is not None, everybody)) > 1:
        raise click.UsageError("name lines, or --domain, or --all")
    if lines is None and domain is None and not everybody:
        shown = [{"line": number, **_sender_row(row)} for number, row in enumerate(rows, 1)]
        print_rows(shown, form, columns=_SENDER_COLUMNS)
        if rows and form == "table":
            _print_senders(shown)
        return 1 if rows else 0
    if not reason.strip():
        raise click.UsageError('accepting needs a reason, which is kept with each ruling: --reason "…"')
    at = find_past(parts, as_of)
    picked = pick_lines(rows, lines) if lines is not None else pick_domain(rows, domain) if domain else list(rows)
    check_pick(picked)
    for row in picked:
        accept_sender(parts.store, parts.roster, row.sender, row.person, author=author, reason=reason, at=at)
        console().print(f"{row.sender} is {row.person_name} ({row.person})", markup=False, highlight=False)
    _take_hold(parts, at, f"{len(picked)} of {len(rows)} accepted")
    return 0


def _print_senders(rows: Sequence[dict[str, Any]]) -> None:
    out = console()
    out.print("\nTheir ballots:")
    for row in rows:
        for ballot in row["ballots"]:
            out.print(f"  line {row['line']}: {say_ballot(ballot)}")
    out.print("To accept some or all of them, with your reason in place of …:")
    for which in ("--accept 1", "--all"):
        out.print(f'  {say_program()} review senders {which} --reason "…"')


_SENDER_COLUMNS = (
    "line",
    "sender",
    "name",
    "may_be",
    "proposals",
    "mails",
    "first",
    "last",
    "vouched_for",
    "results",
    "why",
)


def _sender_row(row: SenderRow) -> dict[str, Any]:
    failed = f", {row.not_authentic} not authentic" if row.not_authentic else ""
    return {
        "sender": row.sender,
        "name": row.name,
        "may_be": f"{row.person_name} ({row.person})",
        "proposals": list(row.proposals),
        "mails": row.mails,
        "first": row.first_at,
        "last": row.last_at,
        "vouched_for": f"{row.authenticated} of {row.mails}{failed}",
        "results": row.results,
        "why": row.question,
        "ballots": render_ballots(row.ballots),
    }


@review.command()
@click.argument("one")
@click.argument("other")
@_by_whom
def split(one: str, other: str, author: str, reason: str, as_of: datetime | None) -> int:
    """Rule that ONE and OTHER are two people, in every vote there is.

    It undoes what an equal name had merged. From then on that name alone merges nobody: it is known to be
    two people's.
    """
    return _rule_identity(one, other, author, reason, as_of, same=False)


@review.command()
@click.argument("proposal")
@click.argument("stage", type=click.Choice([s.value for s in Stage], case_sensitive=False))
@_by_whom
def stage(proposal: str, stage: str, author: str, reason: str, as_of: datetime | None) -> int:
    """Override a proposal's stage."""
    return _rule(proposal, "stage", proposal, {"stage": stage}, author, reason, as_of)


@review.command()
@click.argument("proposal")
@click.argument("interfaces", nargs=-1, type=click.Choice(INTERFACES))
@click.option("--reviewed-by", "reviewer", metavar="NAME", help="Somebody who looked at it for the care owed.")
@click.option("--none", "nothing", is_flag=True, help="It touches no interface that is owed care.")
@_by_whom
def care(
    proposal: str,
    interfaces: tuple[str, ...],
    reviewer: str | None,
    nothing: bool,
    author: str,
    reason: str,
    as_of: datetime | None,
) -> int:
    """Say which INTERFACES a proposal touches, whatever its page says, or who reviewed it for them.

    The policy's care owed (a longer vote, more votes, reviewers) goes by that from then on; what was decided
    before stays decided.
    """
    if (bool(interfaces), bool(reviewer), nothing).count(True) != 1:
        raise click.UsageError("name interfaces, or --none, or --reviewed-by NAME")
    value: dict[str, Any] = {"reviewer": reviewer} if reviewer else {"interfaces": list(interfaces)}
    return _rule(proposal, "care", proposal, value, author, reason, as_of)


@review.command("page")
@click.argument("proposal")
@_by_whom
def page_(proposal: str, author: str, reason: str, as_of: datetime | None) -> int:
    """Say that the votes hold although the page changed after they were cast (`kipflow diff` shows how).

    It is said for the page as it stands now; another change of substance asks again.
    """
    return _rule(proposal, "page", proposal, {}, author, reason, as_of)


@review.command()
@click.argument("proposal")
@click.argument("answer", type=click.Choice(ANSWERS))
@_by_whom
def number(proposal: str, answer: str, author: str, reason: str, as_of: datetime | None) -> int:
    """Say whether a number that only mail names, or that lies far beyond all others, is a proposal's.

    Accepted, it is one like any other. Refused, it leaves the lists and nothing follows from its mail, which stays
    stored; a page that comes later brings it back.
    """
    return _rule(proposal, "number", proposal, {"number": answer}, author, reason, as_of)


@review.command()
@click.argument("proposal")
@_by_whom
def restore(proposal: str, author: str, reason: str, as_of: datetime | None) -> int:
    """Put a proposal back into the stage that it was in before its newest move.

    Whoever made that move: the clock (dormant, accepted, rejected), the page (discarded), a mail, or an
    operator's override. The move stays in the history, and the same evidence does not repeat it; what comes
    later (a mail, another state of the page, a vote) can move the proposal again. To take back a ruling as if it had
    never been made, revoke it instead.
    """
    return _rule(proposal, "restore", proposal, {}, author, reason, as_of)


@review.command()
@click.argument("proposal")
@click.argument("until", type=UtcTime())
@_by_whom
def snooze(proposal: str, until: datetime, author: str, reason: str, as_of: datetime | None) -> int:
    """Keep a silent proposal from going dormant before UNTIL."""
    return _rule(proposal, "snooze", proposal, {"until": until.isoformat()}, author, reason, as_of)


@review.command()
@click.argument("ruling_id", type=int)
@click.option("--by", "author", default=getpass.getuser, show_default="your login", help="Who takes it back.")
@click.option("--reason", required=True, help="Why; kept with the ruling.")
@as_of_option
def revoke(ruling_id: int, author: str, reason: str, as_of: datetime | None) -> int:
    """Take a ruling back (`kipflow review rulings` shows their ids); new entries correct history."""
    from kipflow.services import rulings

    parts = open_parts()
    at = find_past(parts, as_of)
    rulings.revoke(parts.store, ruling_id, by=author, at=at, reason=reason)
    _take_hold(parts, at, f"ruling {ruling_id} revoked")
    return 0


@review.command()
@click.argument("key")
@click.option("--by", "author", default=getpass.getuser, show_default="your login", help="Who approves.")
@as_of_option
def release(key: str, author: str, as_of: datetime | None) -> int:
    """Approve an effect that waits for a person (KEY as `kipflow review` and the board's outbox show it).

    Of one that may have gone out (unsure) you say that it did not: look where it would be before.
    """
    parts = open_parts()
    at = find_past(parts, as_of)
    with parts.store.begin() as session:
        released = session.release_effect(key, by=author, at=at)
    if not released:
        raise KipflowError(f"no effect {key!r} waits for approval")
    console().print("released; the next delivery sends it")
    return 0


@review.command()
@click.argument("key")
@click.option("--by", "author", default=getpass.getuser, show_default="your login", help="Who found it.")
@as_of_option
def sent(key: str, author: str, as_of: datetime | None) -> int:
    """Say that an effect that may have gone out (unsure) did: you found it where it should be."""
    parts = open_parts()
    at = find_past(parts, as_of)
    with parts.store.begin() as session:
        confirmed = session.confirm_sent(key, by=author, at=at)
    if not confirmed:
        raise KipflowError(f"of effect {key!r} nobody asks whether it was sent")
    console().print("noted; it is not sent again")
    return 0


def _rule(
    proposal: str, kind: str, target: str, value: dict[str, Any], author: str, reason: str, as_of: datetime | None
) -> int:
    from kipflow.services import rulings
    from kipflow.services.advance import preview

    parts = open_parts()
    at = find_past(parts, as_of)
    number = parse_number(parts, proposal)
    key = format_key(parts.community.prefix, number)
    about = target if kind in {"ballot", "ending"} else key
    decision, _ = preview(parts.store, number, policy=parts.policy, as_of=at)
    ruling = rulings.settle(
        parts.store,
        number=number,
        kind=kind,
        target=about,
        value=value,
        author=author,
        reason=reason,
        at=at,
        asked={item.kind for item in decision.review} if decision is not None else (),
        policy=parts.policy,
    )
    said = "recorded" if ruling.is_new else "says so already"
    leaves = kind == "number" and value["number"] == "refuse"
    gone = f"; {key} leaves the lists, and its mail stays stored" if leaves else ""
    _take_hold(parts, at, f"ruling {ruling.id} {said}{gone}", [number], stages=Stages.NONE if leaves else Stages.ALL)
    return 0


def _rule_identity(one: str, other: str, author: str, reason: str, as_of: datetime | None, *, same: bool) -> int:
    from kipflow.services.who_is_who import rule_identity

    parts = open_parts()
    at = find_past(parts, as_of)
    ruling = rule_identity(parts.store, parts.roster, one, other, same=same, author=author, reason=reason, at=at)
    _take_hold(parts, at, f"ruling {ruling.id} {'recorded' if ruling.is_new else 'says so already'}")
    return 0


def _take_hold(
    parts: Parts, at: datetime, done: str, numbers: Sequence[int] | None = None, *, stages: Stages = Stages.MOVED
) -> None:
    """Let a word take hold, on all that it may bear on where no `numbers` are named, and say what it changed.

    `stages`: of which proposals the stage is printed.
    """
    from kipflow.services.advance import find_candidates
    from kipflow.services.consequences import take_hold

    found = take_hold(
        parts.store,
        parts.store,
        find_candidates(parts.store, at) if numbers is None else numbers,
        policy=parts.policy,
        effects=effect_rules(parts),
        at=at,
    )
    keys = {c.number: format_key(parts.community.prefix, c.number) for c in found}
    shown = [c for c in found if stages is Stages.ALL or (c.moved and stages is Stages.MOVED)]
    out = console()
    out.print(
        "; ".join([done, *(f"{keys[c.number]} is now: {c.stage or 'not begun yet'}" for c in shown)]), soft_wrap=True
    )
    changes = [f"{keys[c.number]}, round {v.round}: {v.before} → {v.after}" for c in found for v in c.votes]
    for line in changes[:_MAX_CHANGES]:
        out.print(f"  {line}", soft_wrap=True, markup=False, highlight=False)
    if len(changes) > _MAX_CHANGES:
        out.print(f"  and {len(changes) - _MAX_CHANGES} votes more")
    for fallen in (c for c in found if c.held):
        said = "its acceptance does not hold; nobody hears of it before `kipflow review release"
        out.print(
            f"  {keys[fallen.number]}: {said} {quote(fallen.held)}`", soft_wrap=True, markup=False, highlight=False
        )


def parse_number(parts: Parts, text: str) -> int:
    """The number in "932" or "KIP-932"."""
    if text.isdecimal():
        return int(text)
    found = find_references(text, parts.community.prefix)
    if len(found) != 1:
        raise click.BadParameter(f"{text!r} is no proposal such as {parts.community.prefix}-932 or 932")
    return found[0]
