"""The words and chip colours with which the board shows the domain's values."""

from __future__ import annotations

from kipflow.domain.events import Stage
from kipflow.domain.senders import KnownBy
from kipflow.domain.tally import Outcome
from kipflow.domain.votes import BallotStatus
from kipflow.services.board import UnreadableRow, Waiting
from kipflow.services.wording import REVIEW_WORDS as REVIEW_WORDS
from kipflow.services.wording import say_rule as say_rule

#: The stages of a successful proposal in order, then the exits.
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

#: Outcome → its words and chip colour. Chip colours are named by their meaning, and never used without a word.
_OUTCOMES: dict[Outcome, tuple[str, str]] = {
    Outcome.OPEN: ("open", "info"),
    Outcome.SHORT: ("short of quorum", "warn"),
    Outcome.CONTESTED: ("contested", "warn"),
    Outcome.PASSING: ("passing", "good"),
    Outcome.PASSED: ("passed", "good"),
    Outcome.FAILED: ("failed", "bad"),
    Outcome.CANCELLED: ("cancelled", "quiet"),
}
OUTCOME_WORDS = {outcome: words for outcome, (words, _) in _OUTCOMES.items()}
OUTCOME_TONE = {outcome: tone for outcome, (_, tone) in _OUTCOMES.items()}

WAITING_WORDS: dict[Waiting, str] = {
    Waiting.PERSON: "a person",
    Waiting.QUESTION: "an answer",
    Waiting.WIKI: "a correction of the wiki",
    Waiting.AUTHOR: "its author",
    Waiting.VOTES: "votes",
    Waiting.TIME: "the end of its vote",
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

#: Status of an effect → its words and chip colour.
_EFFECTS: dict[str, tuple[str, str]] = {
    "pending": ("waiting to be sent", "info"),
    "claimed": ("being sent", "info"),
    "held": ("awaiting a person's approval", "warn"),
    "unsure": ("perhaps sent: a person must look", "warn"),
    "sent": ("sent", "good"),
    "failed": ("given up", "bad"),
    "skipped": ("not sent: dry-run", "quiet"),
    "withdrawn": ("not sent: refused, or corrected before", "quiet"),
}
EFFECT_WORDS = {state: words for state, (words, _) in _EFFECTS.items()}
EFFECT_TONE = {state: tone for state, (_, tone) in _EFFECTS.items()}

MONTH_TONE: dict[str, str] = {"complete": "good", "partial": "warn", "missing": "bad", "unreadable": "bad"}

#: Act with a preview → the label of its button, and the page that has its form.
CONFIRM: dict[str, tuple[str, str]] = {
    "undo": ("take it out", "data#batches"),
    "roster": ("save the roster", "people"),
    "roster-back": ("take it back", "people"),
}


def say_origin(row: UnreadableRow) -> str:
    """The origin of an item that could not be read."""
    if row.month:
        return "the archive"
    return "the wiki" if row.source.startswith("page ") and not row.list_id else "a file that was ingested"


#: First part of a run id → who recorded the entry: Airflow's run types, then kipflow's commands.
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
    """The run that recorded an entry, in words; a run id of another form as it is."""
    kind, _, _ = run_id.partition("__")
    return _RUN_WORDS.get(kind, f"by run {run_id}" if run_id else "")
