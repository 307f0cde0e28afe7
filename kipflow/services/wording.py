"""Words for people instead of rule names and payloads, the same on the board and in Slack."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from kipflow.domain.events import UNDATED, Transition
from kipflow.domain.facts import Ruling, SilenceWarning
from kipflow.domain.ruled import RECAST, say_care
from kipflow.domain.senders import AddressSource, Authentication
from kipflow.domain.times import say_moment
from kipflow.services.board import RecordedTransition, SenderBallot
from kipflow.services.ports import OutboxRow

#: Rule of a transition → why it was made, as a sentence's end: "Discussion → Vote, because …".
RULE_WORDS: dict[str, str] = {
    "page-created": "its page was created",
    "number-taken": "its number was taken",
    "index-import": "an imported index says so",
    "index-row": "the wiki's index lists it so, and nothing else is known",
    "discuss-thread": "a [DISCUSS] thread was started",
    "vote-thread": "a [VOTE] thread was started",
    "result-agrees": "the vote passed and its result was announced",
    "clock-accepts": "the vote passed and nobody announced otherwise in time",
    "voted-down": "more binding −1 than +1 stood at the close",
    "result-rejects": "the announced result says it failed",
    "vote-cancelled": "its caller cancelled the vote",
    "vote-replaced": "a new round replaced the vote",
    "amended": "a further vote amended it",
    "amendment-failed": "a further vote to amend it failed",
    "vote-resumed": "its vote was never ended, and somebody wrote in it again",
    "silence": "nobody wrote for longer than the policy allows",
    "revived": "somebody wrote again",
    "page-discarded": "its page says so",
    "override": "an operator decided so",
    "restored": "an operator took its newest move back",
    "correction": "later evidence disproved earlier entries",
}


def say_rule(rule: str) -> str:
    """The rule in words; a rule without any keeps its name."""
    return RULE_WORDS.get(rule, rule)


#: What is said of a proposal whose facts were all removed.
LEAVES = "leaves the lists: none of its facts is left"

#: Kind of a question → what it is about.
REVIEW_WORDS: dict[str, str] = {
    "ballot": "unclear ballot",
    "result": "doubtful result",
    "new-vote": "vote after the decision",
    "turned-vote": "decided, and ruled on since",
    "late-ballot": "late ballot, dated earlier",
    "retraction": "acceptance taken back",
    "dormancy": "silent proposal",
    "identity": "same person?",
    "sender": "who is the sender?",
    "ending": "whose word ends the vote?",
    "crowd": "too many alike",
    "page": "page changed after votes",
    "number": "number taken twice",
    "claimed-number": "a proposal's number?",
    "renumbered": "page with another number",
    "reopening": "discussed after the decision",
    "unannounced": "result not announced",
    "ruling": "unusable ruling",
}

_ADDRESS_WORDS: dict[AddressSource, str] = {
    AddressSource.FROM: "",
    AddressSource.RECOVERED: "its address was read behind the list's own; ",
    AddressSource.AMBIGUOUS: "it shows several addresses; ",
    AddressSource.NONE: "it shows no address; ",
}
_AUTHENTICATION_WORDS: dict[Authentication, str] = {
    Authentication.PASSED: "the receiving host authenticated the sender's domain",
    Authentication.FAILED: "the receiving host found the sender's domain not authentic",
    Authentication.UNKNOWN: "no receiving host recorded whether the sender's domain is authentic",
}


def say_authentication(ballot: SenderBallot) -> str:
    """What is known about the authenticity of a ballot's sender."""
    return _ADDRESS_WORDS[ballot.address_source] + _AUTHENTICATION_WORDS[ballot.authentication]


def is_undated(history: Iterable[RecordedTransition]) -> bool:
    """Whether a proposal's stage is known from an index only, which does not say since when."""
    standing = [r.transition.rule for r in history if not r.retracted and not r.transition.retracts]
    return bool(standing) and standing[-1] in UNDATED


def say_warning(given: SilenceWarning) -> str:
    """The text of a warning: the silence, and the earliest date of dormancy."""
    what = "a person decides whether it is dormant"
    if given.due_at is not None:
        what = f"dormant on {say_moment(given.due_at)} at the earliest unless somebody writes"
    return f"nobody has written since {given.quiet_since:%Y-%m-%d}; {what}"


#: State of a warning's message → why it has not reached the author.
_NOT_DELIVERED = {
    "skipped": "would be warned; dry-run: nobody was",
    "held": "nobody was warned yet: the message waits for a person's approval",
    "failed": "nobody was warned yet: sending was given up",
    "unsure": "perhaps nobody was warned yet: a person must look whether the message arrived",
    "withdrawn": "nobody was warned: somebody wrote before it was sent",
    "pending": "nobody was warned yet: the message is not sent",
    "claimed": "nobody was warned yet: the message is not sent",
}


def say_delivery(given: SilenceWarning, key: str, effects: Iterable[OutboxRow]) -> str:
    """Whether a warning reached its author, or why not; `key` is the proposal's, `effects` are its outbox rows."""
    if given.delivered_at is not None:
        return f"delivered on {say_moment(given.delivered_at)}"
    name = find_warning_key(key, given)
    status = next((e.status for e in effects if e.key == name), "")
    return _NOT_DELIVERED.get(status, "nobody was warned: there was nobody to send it, or nowhere to")


def find_warning_key(key: str, warning: SilenceWarning) -> str:
    """The key of the message that warns of one silence of proposal `key`."""
    return f"{key}/warning/{warning.silent_at:%Y-%m-%dT%H:%M:%S}/slack"


def say_ruling(ruling: Ruling) -> str:
    """A ruling in a few words."""
    say = _RULINGS.get(ruling.kind)
    return say(ruling, ruling.value) if say is not None else f"{ruling.kind} {ruling.target}"


def _say_merge(ruling: Ruling, value: Mapping[str, Any]) -> str:
    since = f" since {str(value['since'])[:10]}" if value.get("since") else ""
    return f"one person{since}: {ruling.target}"


def _say_ending(ruling: Ruling, value: Mapping[str, Any]) -> str:
    return f"the end of the vote by {ruling.target} is {'accepted' if value.get('ending') == 'accept' else 'refused'}"


def _say_votes(ruling: Ruling, value: Mapping[str, Any]) -> str:
    if value.get("votes") == RECAST:
        return f"votes cast before page {ruling.target} must be cast again"
    return f"the votes hold for page {ruling.target}"


_RULINGS: Mapping[str, Callable[[Ruling, Mapping[str, Any]], str]] = {
    "ballot": lambda ruling, value: f"ballot {ruling.target} is {value.get('choice')}",
    "ending": _say_ending,
    "stage": lambda _, value: f"stage {value.get('stage')}",
    "snooze": lambda _, value: f"snooze until {str(value.get('until'))[:16]}",
    "restore": lambda *_: "restore the stage before",
    "care": lambda _, value: say_care(value),
    "page": _say_votes,
    "number": lambda ruling, value: f"{value.get('number')} the number {ruling.target}",
    "drift": lambda ruling, value: f"the {ruling.target} may say “{value.get('says')}”",
    "merge": _say_merge,
    "split": lambda ruling, _: f"two people: {ruling.target}",
}


def say_move(move: Transition) -> str:
    """`Discussion → Vote`; a move within a stage names it once."""
    if move.source == move.target:
        return f"{move.target} (stays)"
    return f"{move.source or '–'} → {move.target}"


def read_text(payload: Mapping[str, Any]) -> str:
    """The text of an effect as plain text: only messages for Slack are escaped."""
    text = str(payload.get("text") or "")
    if "blocks" not in payload:
        return text
    return text.replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&")


def say_payload(payload: Mapping[str, Any]) -> str:
    """What an effect would say or change, in one line."""
    moves = payload.get("moves")
    if moves is None:
        return " ".join(read_text(payload).split())[:300]
    moved = ", ".join(f"{move['number']} to {move['to']}" for move in moves)
    return f"round-up brought up to date: {moved or 'no row moves'}"[:300]
