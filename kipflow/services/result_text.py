"""The text of the mail that announces a vote's result, in forms from the fullest to the plainest."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from kipflow.domain.clocks import VoteState
from kipflow.domain.tally import Outcome
from kipflow.domain.texts import as_printable
from kipflow.domain.times import say_moment
from kipflow.domain.votes import Ballot, BallotStatus, Choice
from kipflow.services.board import ProposalView

#: Outcome of a vote → its announced result; other outcomes have none.
OUTCOMES = {Outcome.PASSED: "passed", Outcome.PASSING: "passed", Outcome.FAILED: "failed"}
_GROUPS = ((True, "binding"), (False, "non-binding"))
_LONGEST_NAME = 100


def render_forms(view: ProposalView, state: VoteState) -> Iterator[str]:
    """The mail's text, from the fullest form to the plainest."""
    start, end = state.vote.opened_at, state.terms.earliest_close
    lead = f"The vote on {view.key} has {OUTCOMES[state.outcome]}.\n\n"
    period = f"Voting period: {say_moment(start)} to {say_moment(end)}\n"
    more = period + _render_links(view, state)
    settled = _render_settled(view, state)
    named, counted = _render_tally(state, _say_names), _render_tally(state, lambda _: "")
    yield lead + named + settled + more + _render_mails(view, state)
    yield lead + named + settled + more
    yield lead + named + more
    yield lead + counted + more
    yield lead + counted


def _render_tally(state: VoteState, say: Callable[[list[Ballot]], str]) -> str:
    """A line for each choice and group, with its voters."""
    lines = []
    for is_binding, group in _GROUPS:
        counts = state.tally.binding if is_binding else state.tally.non_binding
        for choice in Choice:
            cast = [b for b in _counted(state) if b.binding is is_binding and b.choice is choice]
            count = counts.as_dict()[choice.value]
            lines.append(f"{count} {group} {choice.value} {'vote' if count == 1 else 'votes'}{say(cast)}")
    return "\n".join(lines) + "\n\n"


def _counted(state: VoteState) -> list[Ballot]:
    return [b for b in state.vote.ballots if b.status is BallotStatus.COUNTED]


def _say_names(cast: list[Ballot]) -> str:
    names = ", ".join(_say_name(b) for b in cast)
    return f" ({names})" if names else ""


def _say_name(ballot: Ballot) -> str:
    """A voter's name without characters that would end the list of names; never an address."""
    name = " ".join(as_printable(ballot.name, " ").replace("(", " ").replace(")", " ").replace(",", " ").split())
    shown = name if "@" not in name else ballot.voter if "@" not in ballot.voter else ""
    return shown[:_LONGEST_NAME] or "without a name"


def _render_settled(view: ProposalView, state: VoteState) -> str:
    """The mails whose ballots a person settled, by permalink or name."""
    ruled = [b for b in state.vote.ballots if b.is_ruled]
    places = [view.links.get(b.message_id, "") or _say_name(b) for b in ruled]
    return (
        "Settled by a person, as the mail was unclear:\n" + "".join(f"  {p}\n" for p in places) + "\n" if places else ""
    )


def _render_links(view: ProposalView, state: VoteState) -> str:
    links = (("Thread", view.links.get(state.vote.root_message_id, "")), ("Proposal", view.proposal.page_url or ""))
    return "".join(f"{name}: {' '.join(as_printable(url, ' ').split())}\n" for name, url in links if url)


def _render_mails(view: ProposalView, state: VoteState) -> str:
    places = [url for b in _counted(state) if (url := view.links.get(b.message_id, ""))]
    return "\nThe mails that were counted:\n" + "".join(f"  {url}\n" for url in places) if places else ""
