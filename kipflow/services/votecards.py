"""The message of a vote: posted when the vote begins, then kept up to date in place; news go into its thread.

Pure: from decisions to payloads. It is the message of the move to Vote. Its payload holds what is needed to rewrite it
(`CARD`): the vote, the lines about the move, the board's address, and what is shown of each binding voter.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import astuple, dataclass, replace
from datetime import datetime
from typing import Any

from kipflow.domain.clocks import VoteState
from kipflow.domain.decisions import Decision
from kipflow.domain.facts import ProposalFacts
from kipflow.domain.tally import Outcome
from kipflow.domain.texts import digest_text, take_some
from kipflow.domain.votes import Ballot, BallotStatus
from kipflow.services.effectrules import EffectRules
from kipflow.services.ports.effects import BELOW, CARD, Effect, OutboxRow
from kipflow.services.slack_messages import build_message, cite, escape, quote, say_links, say_missing

#: With more marks than this, only numbers are shown.
_MOST_MARKS = 20
_FOR, _AGAINST, _NEEDED = ":large_green_square:", ":large_red_square:", ":white_large_square:"
_ENDED = {
    Outcome.PASSED: ":white_check_mark: The vote *passed*",
    Outcome.FAILED: ":x: The vote *failed*",
    Outcome.CANCELLED: ":no_entry_sign: The vote was *called off*",
}


@dataclass(frozen=True, slots=True)
class Shown:
    """What the message shows of one voter: name, value, and the id of the ballot's mail."""

    name: str = ""
    value: str = ""
    mail: str = ""


def write_card(
    text: str, head: Sequence[str], state: VoteState, decision: Decision, facts: ProposalFacts, rules: EffectRules
) -> dict[str, Any]:
    """The payload of a vote's message; `head` are the lines of the move, `text` what notifications show."""
    root, shown = state.vote.root_message_id, find_shown(state)
    binding, other = state.tally.binding, state.tally.non_binding
    lacking = max(0, state.terms.quorum - binding.plus)
    marks = [*[_FOR] * binding.plus, *[_AGAINST] * binding.minus, *[_NEEDED] * lacking]
    lines = [
        *head,
        say_links(facts, rules, thread=root),
        "".join(marks) if len(marks) <= _MOST_MARKS else "",
        f"*binding +{binding.plus} / {binding.zero} / -{binding.minus}*, {state.terms.quorum} needed "
        f"· non-binding +{other.plus} / {other.zero} / -{other.minus}",
        _say_names(shown.values()),
        *_say_standing(state, decision, facts),
    ]
    return {
        **build_message(text, lines),
        CARD: {
            "vote": root,
            "head": list(head),
            "board": rules.board_url,
            "shows": {voter: list(astuple(each)) for voter, each in shown.items()},
        },
    }


def _say_names(shown: Iterable[Shown]) -> str:
    named = [f"{quote(each.name, 60)} {quote(each.value, 60)}" for each in shown]
    return ", ".join(take_some(named, _MOST_MARKS))


def _say_standing(state: VoteState, decision: Decision, facts: ProposalFacts) -> Iterator[str]:
    if ended := _ENDED.get(state.outcome):
        yield f"{ended}: {escape(facts.key)} is *{decision.stage}*"
        return
    if state is decision.newest_vote or decision.newest_vote is None:
        yield from say_missing(decision)


def find_shown(state: VoteState) -> dict[str, Shown]:
    """Voter id → what to show of each binding voter: the counted ballot, or that it is unclear."""
    found: dict[str, Shown] = {}
    for ballot in state.vote.ballots:
        if ballot.binding and ballot.status in _VALUES:
            found[ballot.voter] = Shown(ballot.name, _VALUES[ballot.status] or ballot.value, ballot.message_id)
    return found


#: Ballot status → the shown text; "": the ballot's own value.
_VALUES = {BallotStatus.COUNTED: "", BallotStatus.REVIEW: "unclear, a person is asked"}


def keep_cards(
    rows: Sequence[OutboxRow], decision: Decision, facts: ProposalFacts, rules: EffectRules
) -> Iterator[tuple[OutboxRow, dict[str, Any], list[Effect]]]:
    """Each message of a vote that is out of date, with its new payload and the replies for its thread.

    `rows` are the stored messages of the proposal's votes. One that was not sent yet gets no replies: the message
    itself has the news.
    """
    for row in rows:
        card: Mapping[str, Any] = row.payload[CARD]
        state = next((s for s in decision.votes if s.vote.root_message_id == card["vote"]), None)
        if state is None:
            continue
        where = replace(rules, board_url=card["board"])
        written = write_card(row.payload["text"], card["head"], state, decision, facts, where)
        # it stays where it was posted, whatever the community has chosen since
        payload = replace(where, routes={"vote": row.payload["channel"]}).address("vote", written) or written
        if payload["blocks"] == row.payload["blocks"] and payload[CARD] == card:
            continue
        news = _find_news(row, state, facts, rules, decision.as_of) if row.external_ref else []
        yield row, payload, news


def _find_news(
    row: OutboxRow, state: VoteState, facts: ProposalFacts, rules: EffectRules, at: datetime
) -> list[Effect]:
    before = {voter: Shown(*shown) for voter, shown in row.payload[CARD]["shows"].items()}
    after = find_shown(state)
    cast = {ballot.message_id: ballot for ballot in state.vote.ballots}
    found: list[Effect] = []
    for voter in dict.fromkeys((*before, *after)):
        was, now = before.get(voter, Shown()), after.get(voter, Shown())
        if was.value == now.value:
            continue
        digest = digest_text(repr((voter, was, now)), 12)
        payload = rules.address("vote-news", render_news(was, now, cast, facts))
        if payload is None:
            break
        found.append(
            Effect(
                key=f"{row.key}/{digest}",
                number=row.number,
                channel="slack",
                payload={**payload, "channel": row.payload["channel"], BELOW: row.key},
                approval=rules.approves,
                due_at=rules.find_due("vote-news", at),
            )
        )
    return found


def render_news(was: Shown, now: Shown, cast: Mapping[str, Ballot], facts: ProposalFacts) -> dict[str, Any]:
    """The reply about a change of one binding voter's vote, with its line."""
    shown = now if now.mail else was
    value = now.value or "no vote that counts"
    instead = f" (was: {was.value})" if was.value else ""
    lines = [f"*{quote(shown.name, 100)}*: *{quote(value, 60)}*{quote(instead, 80)}"]
    ballot = cast.get(shown.mail)
    if ballot is not None and ballot.line:
        lines.append(f"> {cite(ballot.line, facts.find_permalink(ballot.message_id))}")
    return build_message(f"{facts.key}: {shown.name}: {value}{instead}", lines)
