"""Words for people, where a rule's name is not enough: the same on the board and in Slack."""

from __future__ import annotations

from kipflow.domain.facts import SilenceWarning

#: Rule of a transition → why it was made, as a sentence's end: "Discussion → Vote, because …".
RULE_WORDS: dict[str, str] = {
    "page-created": "its page was created",
    "number-taken": "its number was taken",
    "index-import": "an imported index says so",
    "index-row": "it stands so in the wiki's index, and nothing else is known",
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
    "correction": "later evidence took the ground from earlier entries",
}


def say_warning(given: SilenceWarning) -> str:
    """What an author was warned of: the silence, and the date that was promised."""
    what = "a person decides whether it is dormant"
    if given.due_at is not None:
        what = f"dormant on {given.due_at:%Y-%m-%d %H:%M} UTC unless somebody writes"
    return f"nobody has written since {given.quiet_since:%Y-%m-%d}; {what}"
