"""What a decision causes outside: pure, from a decision and what it added to history to outbox rows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta

from kipflow.domain.decisions import Decision, ReviewItem
from kipflow.domain.events import Stage, Transition
from kipflow.domain.facts import ProposalFacts, SilenceWarning
from kipflow.domain.proposals import format_key
from kipflow.services.effectrules import EffectRules
from kipflow.services.messages import (
    render_correction,
    render_move,
    render_retraction,
    render_review,
    render_transition,
    render_warning,
    say_links,
)
from kipflow.services.ports import RETRACTS, WARNS, Effect
from kipflow.services.votecards import write_card
from kipflow.services.wording import find_warning_key

#: A transition older than this when it is first recorded is history, not news: a first run over years of
#: mail must not flood a channel, nor must a backfill of past dates.
NEWS_AGE = timedelta(days=3)
#: What happened since kipflow follows a proposal is news for longer: nobody was told while the archive was away.
LATE_NEWS_AGE = timedelta(days=30)
#: What an index told was so before kipflow came to know of it.
BASELINES = frozenset({"index-import", "index-row"})
#: The question whether a number is a proposal's.
CLAIMED_NUMBER = "claimed-number"


@dataclass(frozen=True, slots=True, kw_only=True)
class Notice:
    """The warning of dormancy that the proposal's `author` has not got yet."""

    warning: SilenceWarning
    author: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Told:
    """What people heard so far, as far as it bears on what is to be said now.

    `taken_back`: the corrections that take back what people were told, by id, with the stage that they heard of
    last. `renewed`: an earlier correction, that an acceptance does not hold, which still waited when more happened:
    it is told anew, with what holds now. `known`: the new entries that people hold for so already.
    """

    taken_back: Mapping[str, Stage | None] = field(default_factory=dict)
    renewed: Transition | None = None
    known: frozenset[str] = frozenset()


def find_effects(
    decision: Decision,
    appended: Sequence[Transition],
    rules: EffectRules,
    *,
    now: datetime | None = None,
    followed_since: datetime | None = None,
    told: Told | None = None,
    notice: Notice | None = None,
    about: ProposalFacts | None = None,
) -> list[Effect]:
    """What this decision owes people. Keys make each of it happen once.

    Args:
        now: when this is recorded; later than `decision.as_of` where past dates are made up for.
        followed_since: when the proposal's first entry was recorded; None: this is the first.
        told: what people heard before.
        notice: the warning that its author must get.
        about: what is known of the proposal, for links; None where only a row of an index is.
    """
    heard = told or Told()
    key = format_key(rules.prefix, decision.number)
    corrections = _find_announced(decision, appended, heard)
    recorded_at = decision.as_of if now is None else now
    if decision.claim is not None and not decision.claim.is_real and not corrections:
        return _ask_of_claim(decision, rules, recorded_at, followed_since)
    if not rules.tells:
        return _find_index_retractions(key, corrections, decision, rules)
    approve = rules.approves
    links = say_links(about, rules)
    found: list[Effect] = []
    for entry, correction in corrections:
        payload = {"channel": rules.channel, **render_correction(key, correction, decision, links=links)}
        # an acceptance is what people act on: a person looks before channel and index say that it does not hold
        retracts = _leaves_acceptance(correction, decision)
        if retracts:
            payload[RETRACTS] = True
        found.append(_slack(decision.number, find_slack_key(key, entry), payload, approve or retracts))
    for transition in appended:
        # a correction that is announced tells what holds now as well
        if corrections or transition.retracts or transition.id in heard.known:
            continue
        if _is_news(transition, recorded_at, followed_since):
            payload = _write_move(key, transition, decision, rules, about)
            found.append(_slack(decision.number, find_slack_key(key, transition.id), payload, approve))
    if notice is not None and _is_ahead(notice.warning, recorded_at):
        payload = {"channel": rules.channel, **render_warning(key, notice.warning, notice.author)}
        payload[WARNS] = notice.warning.silent_at.isoformat()
        warns = _slack(decision.number, find_warning_key(key, notice.warning), payload, approve)
        found.append(replace(warns, renews=True))
    if recorded_at - decision.as_of > NEWS_AGE:
        return found  # questions of a past date: the run for today asks those that still stand
    return [*found, *_find_questions(key, decision, rules, recorded_at, followed_since)]


def _write_move(
    key: str, transition: Transition, decision: Decision, rules: EffectRules, about: ProposalFacts | None
) -> dict[str, object]:
    """The message of a move; that of the move to Vote is the vote's, which is kept up to date."""
    vote = decision.newest_vote
    begins = transition.target is Stage.VOTE and transition.source is not Stage.VOTE
    if about is not None and begins and vote is not None and vote.vote.opened_at == transition.at:
        text, head = render_move(key, transition)
        return write_card(text, head, vote, decision, about, rules)
    links = say_links(about, rules)
    return {"channel": rules.channel, **render_transition(key, transition, decision, links=links)}


def _find_announced(decision: Decision, appended: Sequence[Transition], told: Told) -> list[tuple[str, Transition]]:
    """The corrections that people must hear, each with the entry that its message is named by."""
    # an entry's id depends on its source: the message is named by the entry as it is stored
    found = [(t.id, replace(t, source=told.taken_back.get(t.id, t.source))) for t in appended if t.retracts]
    announced = [(entry, t) for entry, t in found if entry in told.taken_back or _leaves_acceptance(t, decision)]
    return [*announced, (appended[-1].id, told.renewed)] if told.renewed is not None else announced


def _find_index_retractions(
    key: str, corrections: Sequence[tuple[str, Transition]], decision: Decision, rules: EffectRules
) -> list[Effect]:
    """Where no channel hears of it: what a person releases before the index shows that an acceptance was retracted."""
    if not rules.index_page:
        return []
    return [
        Effect(
            key=f"{key}/{entry}/index",
            number=decision.number,
            channel="index",
            payload={"page_id": rules.index_page, "text": render_retraction(key, correction, decision), RETRACTS: True},
            approval=True,
        )
        for entry, correction in corrections
        if _leaves_acceptance(correction, decision)
    ]


def _find_questions(
    key: str, decision: Decision, rules: EffectRules, recorded_at: datetime, followed_since: datetime | None
) -> list[Effect]:
    """What operators are asked."""
    approve = rules.approves
    found: list[Effect] = []
    for item in decision.review:
        if not _is_worth_asking(item, recorded_at, followed_since):
            continue
        board = rules.find_board_page(decision.number)
        payload = {"channel": rules.operators or rules.channel, **render_review(key, item, board=board)}
        # a channel of the operators' own is where they look for what waits for them
        approval = approve and rules.operators in {"", rules.channel}
        found.append(_slack(decision.number, _find_question_key(key, item), payload, approval))
    return found


def _ask_of_claim(
    decision: Decision, rules: EffectRules, recorded_at: datetime, followed_since: datetime | None
) -> list[Effect]:
    """All that people hear of a number that is only claimed: the question, where somebody known wrote in it."""
    if not rules.tells or decision.claim is None or not decision.claim.is_known:
        return []
    asked = replace(decision, review=tuple(item for item in decision.review if item.kind == CLAIMED_NUMBER))
    return _find_questions(format_key(rules.prefix, decision.number), asked, rules, recorded_at, followed_since)


def find_slack_key(key: str, entry: str) -> str:
    """The key of the message that announces the entry `entry` of proposal `key`."""
    return f"{key}/{entry}/slack"


def _is_ahead(warning: SilenceWarning, recorded_at: datetime) -> bool:
    """Whether the warning is worth a message: where a person decides, only while it is news."""
    return warning.due_at is not None or recorded_at - warning.warned_at <= NEWS_AGE


def _is_news(transition: Transition, recorded_at: datetime, followed_since: datetime | None) -> bool:
    if transition.rule in BASELINES:
        return False
    age = recorded_at - transition.at
    if age <= NEWS_AGE:
        return True
    return age <= LATE_NEWS_AGE and followed_since is not None and followed_since <= transition.at


#: Questions that stop a vote: worth telling a channel even where kipflow came to know of them late.
_URGENT = frozenset({"ballot", "result", "identity", "sender", "ending", "crowd", CLAIMED_NUMBER})


def _is_worth_asking(item: ReviewItem, recorded_at: datetime, followed_since: datetime | None) -> bool:
    """Whether operators are told of a question, not only shown it on the board: a first run finds old ones by the
    hundred."""
    if item.asked_at is None:
        return True
    age = recorded_at - item.asked_at
    known_since = followed_since is not None and followed_since <= item.asked_at
    return age <= (LATE_NEWS_AGE if item.kind in _URGENT or known_since else NEWS_AGE)


def _find_question_key(key: str, item: ReviewItem) -> str:
    """One message for each question; a proposal that falls silent again is asked about again."""
    since = f"/{item.asked_at:%Y-%m-%d}" if item.kind == "dormancy" and item.asked_at is not None else ""
    return f"{key}/review/{item.kind}/{item.subject}{since}/slack"


def _leaves_acceptance(correction: Transition, decision: Decision) -> bool:
    return correction.source is Stage.ACCEPTED and decision.stage is not Stage.ACCEPTED


def _slack(number: int, key: str, payload: dict[str, object], approval: bool) -> Effect:
    return Effect(key=key, number=number, channel="slack", payload=payload, approval=approval)
