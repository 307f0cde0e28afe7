"""The words and chip colours under which the board shows the domain's values."""

from __future__ import annotations

from kipflow.domain.events import Stage
from kipflow.domain.senders import KnownBy
from kipflow.domain.tally import Outcome
from kipflow.domain.votes import BallotStatus
from kipflow.services.board import UnreadableRow, Waiting
from kipflow.services.wording import REVIEW_WORDS as REVIEW_WORDS
from kipflow.services.wording import RULE_WORDS

#: Stages in the order in which a proposal passes through them, then the ways out.
PATH = (Stage.DRAFT, Stage.DISCUSSION, Stage.VOTE, Stage.ACCEPTED)
EXITS = (Stage.DORMANT, Stage.REJECTED, Stage.DISCARDED)

#: What each stage means, for a reader who is new to the process.
STAGE_MEANING: dict[Stage, str] = {
    Stage.DRAFT: "written, not yet discussed",
    Stage.DISCUSSION: "discussed on the list",
    Stage.VOTE: "a vote is under way",
    Stage.ACCEPTED: "passed its vote",
    Stage.DORMANT: "silent for long",
    Stage.REJECTED: "voted down",
    Stage.DISCARDED: "withdrawn or superseded",
}

OUTCOME_WORDS: dict[Outcome, str] = {
    Outcome.OPEN: "open",
    Outcome.SHORT: "short of quorum",
    Outcome.CONTESTED: "contested",
    Outcome.PASSING: "passing",
    Outcome.PASSED: "passed",
    Outcome.FAILED: "failed",
    Outcome.CANCELLED: "cancelled",
}

WAITING_WORDS: dict[Waiting, str] = {
    Waiting.PERSON: "a person",
    Waiting.QUESTION: "an answer",
    Waiting.WIKI: "a correction of the wiki",
    Waiting.AUTHOR: "its author",
    Waiting.VOTES: "votes",
    Waiting.TIME: "the end of its vote",
}

#: Chip colours are named by what they mean, and always stand beside a word.
OUTCOME_TONE: dict[Outcome, str] = {
    Outcome.OPEN: "info",
    Outcome.SHORT: "warn",
    Outcome.CONTESTED: "warn",
    Outcome.PASSING: "good",
    Outcome.PASSED: "good",
    Outcome.FAILED: "bad",
    Outcome.CANCELLED: "quiet",
}

BALLOT_TONE: dict[BallotStatus, str] = {
    BallotStatus.COUNTED: "good",
    BallotStatus.SUPERSEDED: "quiet",
    BallotStatus.WITHDRAWN: "quiet",
    BallotStatus.REVIEW: "warn",
    BallotStatus.VOID: "quiet",
}

KNOWN_BY_WORDS: dict[KnownBy, str] = {
    KnownBy.AUTHENTICATED: "known by address, authenticated",
    KnownBy.ADDRESS: "known by address",
    KnownBy.RECOVERED: "known by the address behind the list's",
    KnownBy.NAME: "name only",
    KnownBy.UNKNOWN: "not in the roster",
}

EFFECT_TONE: dict[str, str] = {
    "pending": "info",
    "claimed": "info",
    "held": "warn",
    "unsure": "warn",
    "sent": "good",
    "failed": "bad",
    "skipped": "quiet",
    "withdrawn": "quiet",
}

EFFECT_WORDS: dict[str, str] = {
    "pending": "waiting to be sent",
    "claimed": "being sent",
    "held": "awaiting a person's approval",
    "unsure": "perhaps sent: a person must look",
    "sent": "sent",
    "failed": "given up",
    "skipped": "not sent: dry-run",
    "withdrawn": "not sent: refused, or corrected before",
}

MONTH_TONE: dict[str, str] = {"complete": "good", "partial": "warn", "missing": "bad", "unreadable": "bad"}

#: Act whose consequences are shown first → its button, and the page with the form that led there.
CONFIRM: dict[str, tuple[str, str]] = {
    "undo": ("take it out", "data#batches"),
    "roster": ("save the roster", "people"),
    "roster-back": ("take it back", "people"),
}


def say_origin(row: UnreadableRow) -> str:
    """Where something that could not be read came from."""
    if row.month:
        return "the archive"
    return "the wiki" if row.source.startswith("page ") and not row.list_id else "a file that was ingested"


#: What recorded an entry, by the first part of the name of its run: Airflow's kinds of runs, then kipflow's commands.
_RUN_WORDS: dict[str, str] = {
    "manual": "by a run started by hand",
    "scheduled": "by a scheduled run",
    "backfill": "by a backfill's run",
    "asset_triggered": "by a run on new data",
    "cli": "on the command line",
    "review": "after a ruling",
    "import": "as an index was imported",
    "undo": "as an ingest was undone",
}


def say_run(run_id: str) -> str:
    """What recorded an entry, in words; a name of another form is given as it is."""
    kind, _, _ = run_id.partition("__")
    return _RUN_WORDS.get(kind, f"by run {run_id}" if run_id else "")


def say_rule(rule: str) -> str:
    """The rule in words; a rule that has none yet keeps its name."""
    return RULE_WORDS.get(rule, rule)
