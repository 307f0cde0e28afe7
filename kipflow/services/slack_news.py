"""The kinds of message that a decision causes, as a table: what each reports, and how it is written."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from kipflow.domain.clocks import VoteState
from kipflow.domain.decisions import Decision, Drift, ReviewItem
from kipflow.domain.events import Stage, Transition
from kipflow.domain.facts import ProposalFacts, SilenceWarning
from kipflow.domain.messagekinds import find_move_kind
from kipflow.domain.tally import Outcome
from kipflow.domain.texts import digest_text
from kipflow.services import settling, slack_messages
from kipflow.services.effectrules import EffectRules
from kipflow.services.ports.effects import ASKS, DRIFT, RETRACTS, WARNS
from kipflow.services.votecards import write_card
from kipflow.services.wording import find_warning_key

#: A transition older than this when it is first recorded is history, not news: a first run over years of
#: mail must not flood a channel, nor must a backfill of past dates.
NEWS_AGE = timedelta(days=3)
#: Longer for what happened since kipflow follows a proposal: the archive may have been unreachable.
LATE_NEWS_AGE = timedelta(days=30)
#: A decision for a time longer ago than this is a backfill.
_TODAY = timedelta(hours=12)
#: The kind of question whether a number is a proposal's.
CLAIMED_NUMBER = "claimed-number"


@dataclass(frozen=True, slots=True, kw_only=True)
class NewsContext:
    """The input of messages about a decision: `corrections` and `moves` are its new entries that are news, `notice` is
    an undelivered warning of dormancy to the author."""

    key: str
    decision: Decision
    rules: EffectRules
    recorded_at: datetime
    about: ProposalFacts | None
    corrections: Sequence[tuple[str, Transition]] = ()
    moves: Sequence[Transition] = ()
    notice: SilenceWarning | None = None

    @property
    def followed_since(self) -> datetime | None:
        return self.about.followed_since if self.about else None

    @property
    def links(self) -> str:
        return slack_messages.say_links(self.about, self.rules)

    @property
    def board(self) -> str:
        return self.rules.find_board_page(self.decision.number)

    @property
    def is_of_the_past(self) -> bool:
        """Whether the decision is for a past date: the run for today asks the questions that are still open."""
        return self.recorded_at - self.decision.as_of > NEWS_AGE

    def is_fresh(self, at: datetime, *, urgent: bool = False) -> bool:
        """Whether something since `at` is still news; for longer if urgent, or if the proposal was followed by then."""
        known = urgent or (self.followed_since is not None and self.followed_since <= at)
        return self.recorded_at - at <= (LATE_NEWS_AGE if known else NEWS_AGE)


@dataclass(frozen=True, slots=True)
class NewsRule:
    """One kind of message: `find` gives its subjects, each with its effect's key, and `write` the text.

    `kind` is one of `domain.messagekinds`.
    """

    kind: str | Callable[[Any], str]
    find: Callable[[NewsContext], Iterable[tuple[str, Any]]]
    write: Callable[[NewsContext, Any], Mapping[str, Any]]


# -- what there is to report -------------------------------------------------------------------------
def _list_corrections(situation: NewsContext) -> Iterator[tuple[str, Transition]]:
    for entry, correction in situation.corrections:
        yield find_slack_key(situation.key, entry), correction


def _list_moves(situation: NewsContext) -> Iterator[tuple[str, Transition]]:
    for move in situation.moves:
        yield find_slack_key(situation.key, move.id), move


def _list_warnings(situation: NewsContext) -> Iterator[tuple[str, SilenceWarning]]:
    notice = situation.notice
    # if a person decides about dormancy, it is sent only while it is news
    if notice is not None and (notice.due_at is not None or situation.recorded_at - notice.warned_at <= NEWS_AGE):
        yield find_warning_key(situation.key, notice), notice


def _list_periods(situation: NewsContext) -> Iterator[tuple[str, VoteState]]:
    decision, state = situation.decision, situation.decision.newest_vote
    # in a backfill the next step may decide the vote
    if situation.recorded_at - decision.as_of > _TODAY or decision.stage is not Stage.VOTE or state is None:
        return
    ended = state.terms.earliest_close
    if ended <= decision.as_of and state.outcome not in _OVER and situation.is_fresh(ended):
        yield f"{situation.key}/period/{state.vote.root_message_id}/slack", state


def _list_questions(situation: NewsContext) -> Iterator[tuple[str, ReviewItem]]:
    for item in () if situation.is_of_the_past else situation.decision.review:
        # a first run finds hundreds of old questions: those are only on the board
        if item.asked_at is None or situation.is_fresh(item.asked_at, urgent=item.kind in _URGENT):
            yield _find_question_key(situation.key, item), item


def _list_number_doubts(situation: NewsContext) -> Iterator[tuple[str, ReviewItem]]:
    return ((key, item) for key, item in _list_questions(situation) if item.kind == CLAIMED_NUMBER)


def _list_drift(situation: NewsContext) -> Iterator[tuple[str, Drift]]:
    """Drift of a recently moved proposal that has lasted longer than the grace period.

    The index is left out if kipflow edits it.
    """
    decision, rules = situation.decision, situation.rules
    if situation.is_of_the_past or situation.followed_since is None or not situation.is_fresh(decision.since):
        return
    for drift in decision.drift:
        if drift.find_due(decision.since) <= decision.as_of and not (drift.side == "index" and rules.index_page):
            said = digest_text(repr((drift.says, drift.derived)), 12)
            yield f"{situation.key}/drift/{drift.side}/{said}/slack", drift


# -- how it is written -----------------------------------------------------------------------------
def _write_correction(situation: NewsContext, correction: Transition) -> Mapping[str, Any]:
    decision = situation.decision
    message = slack_messages.render_correction(situation.key, correction, decision, links=situation.links)
    return {**message, **({RETRACTS: True} if leaves_acceptance(correction, decision) else {})}


def _write_move(situation: NewsContext, move: Transition) -> Mapping[str, Any]:
    """The message of a move; for a move to Vote it is the vote's message, which is kept up to date."""
    decision, about, vote = situation.decision, situation.about, situation.decision.newest_vote
    begins = find_move_kind(move) == "vote" and vote is not None and vote.vote.opened_at == move.at
    if about is not None and vote is not None and begins:
        text, head = slack_messages.render_move(situation.key, move)
        return write_card(text, head, vote, decision, about, situation.rules)
    return slack_messages.render_transition(situation.key, move, decision, links=situation.links)


def _write_warning(situation: NewsContext, notice: SilenceWarning) -> Mapping[str, Any]:
    author = situation.about.proposal.author if situation.about is not None else None
    message = slack_messages.render_warning(situation.key, notice, author, links=situation.links)
    snooze = settling.offer_snooze(situation.decision.number, situation.recorded_at)
    return {**settling.offer(message, snooze), WARNS: notice.silent_at.isoformat()}


def _write_period(situation: NewsContext, state: VoteState) -> Mapping[str, Any]:
    links = slack_messages.say_links(situation.about, situation.rules, thread=state.vote.root_message_id)
    message = slack_messages.render_period_over(
        situation.key, state, situation.decision, links=links, program=situation.rules.program
    )
    passed = state.outcome is Outcome.PASSED
    return settling.offer(message, settling.offer_draft(situation.decision.number) if passed else {})


def _write_question(situation: NewsContext, item: ReviewItem) -> Mapping[str, Any]:
    number = situation.decision.number
    settle = settling.find_commands(number, item, situation.rules.program)
    # a claimed number's title may be a stranger's: it is not quoted before a person accepts the number
    links = "" if item.kind == CLAIMED_NUMBER else situation.links
    message = slack_messages.render_review(situation.key, item, links=links, settle=settle, board=situation.board)
    snooze = settling.offer_snooze(number, situation.recorded_at) if item.kind == "dormancy" else {}
    asked = {**message, ASKS: [item.kind, item.subject]}
    return settling.offer(asked, {**settling.list_answers(settling.find_ways(number, item)), **snooze})


def _write_drift(situation: NewsContext, drift: Drift) -> Mapping[str, Any]:
    way = settling.find_drift_way(situation.decision.number, drift.side)
    settle = [settling.render_command(way, situation.rules.program)]
    message = slack_messages.render_drift(situation.key, drift, links=situation.links, settle=settle)
    return settling.offer({**message, ASKS: [DRIFT, drift.side]}, settling.list_answers([way]))


def _find_question_kind(item: ReviewItem) -> str:
    return "page-changed" if item.kind == "page" else "question"


#: Outcomes that other messages announce.
_OVER = frozenset({Outcome.FAILED, Outcome.CANCELLED})
#: Questions that stop a vote: news even if kipflow learned of them late.
_URGENT = frozenset({"ballot", "result", "identity", "sender", "ending", "crowd", CLAIMED_NUMBER})
#: Every kind of message that a decision causes, in the order in which they go out.
ROWS = (
    NewsRule("correction", _list_corrections, _write_correction),
    NewsRule(find_move_kind, _list_moves, _write_move),
    NewsRule("dormancy", _list_warnings, _write_warning),
    NewsRule("period-over", _list_periods, _write_period),
    NewsRule(_find_question_kind, _list_questions, _write_question),
    NewsRule("drift", _list_drift, _write_drift),
)
#: The only message about a claimed number: the question, if somebody known wrote about it.
NUMBER_DOUBT_ROWS = (NewsRule(_find_question_kind, _list_number_doubts, _write_question),)


def find_slack_key(key: str, entry: str) -> str:
    """The key of the message that announces the entry `entry` of proposal `key`."""
    return f"{key}/{entry}/slack"


def _find_question_key(key: str, item: ReviewItem) -> str:
    """The key of a question's message: one for each question, and for each new silence."""
    since = f"/{item.asked_at:%Y-%m-%d}" if item.kind == "dormancy" and item.asked_at is not None else ""
    return f"{key}/review/{item.kind}/{item.subject}{since}/slack"


def leaves_acceptance(correction: Transition, decision: Decision) -> bool:
    return correction.source is Stage.ACCEPTED and decision.stage is not Stage.ACCEPTED
