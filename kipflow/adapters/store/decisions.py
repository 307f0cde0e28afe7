"""Decisions: the append-only history, and the projection of each proposal's newest decision."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

import sqlalchemy as sa

from kipflow.adapters.store.part import Part, Row, as_row
from kipflow.adapters.store.tables.decisions import pending, proposal, transition
from kipflow.adapters.store.tables.votes import ballot, review_item, vote
from kipflow.domain.clocks import VoteState
from kipflow.domain.decisions import Decision
from kipflow.domain.events import Stage, Transition
from kipflow.domain.numberdoubts import NumberDoubtKind
from kipflow.domain.proposals import Proposal
from kipflow.domain.records import pick_fields, to_plain
from kipflow.domain.tally import Outcome
from kipflow.domain.version import DECISION_RULES
from kipflow.services.ports import Rules


class Decisions(Part):
    """The part of `SqlHistory` for decisions and the list of pending proposals."""

    def __init__(self, connection: sa.Connection, rules: Rules) -> None:
        super().__init__(connection, rules)
        #: Number of a proposal → the token of its pending facts when its rows were loaded.
        self._tokens: dict[int, str | None] = {}

    def load_pending(self, as_of: datetime) -> list[int]:
        """Also proposals that were decided under other rules than today's."""
        due = sa.union(
            sa.select(pending.c.number),
            sa.select(proposal.c.number).where(proposal.c.next_deadline <= as_of),
            # two ranges, because "!=" cannot use the index
            sa.select(proposal.c.number).where(proposal.c.rules < self.rules.name),
            sa.select(proposal.c.number).where(proposal.c.rules > self.rules.name),
        )
        return sorted(self._connection.scalars(due))

    def load_numbers(self) -> list[int]:
        return list(self._connection.scalars(sa.select(proposal.c.number).order_by(proposal.c.number)))

    def lock_proposal(self, number: int) -> bool:
        """Make other decisions on the proposal wait until this transaction ends; False if it is not known."""
        row = sa.select(proposal.c.number).where(proposal.c.number == number)
        # the weaker lock: mails and pages that refer to the proposal can still be stored
        return self._connection.scalar(row.with_for_update(key_share=True)) is not None

    def load_decided_at(self, number: int) -> datetime | None:
        return self._connection.scalar(sa.select(proposal.c.decided_at).where(proposal.c.number == number))

    def is_claimed(self, number: int) -> bool:
        claim = self._connection.scalar(sa.select(proposal.c.claim).where(proposal.c.number == number))
        return claim in {NumberDoubtKind.CLAIMED.value, NumberDoubtKind.REFUSED.value}

    def load_rules_changed(self, number: int) -> bool:
        decided_by = self._connection.scalar(sa.select(proposal.c.rules).where(proposal.c.number == number))
        return decided_by not in {None, self.rules.name}

    def load_moved(self, since: datetime) -> list[int]:
        return sorted(set(self._connection.scalars(sa.select(transition.c.number).where(transition.c.at >= since))))

    def load(self, number: int) -> tuple[Transition, ...]:
        """All transitions of the proposal, in the order of their record."""
        statement = sa.select(transition).where(transition.c.number == number).order_by(transition.c.position)
        return self.load_records(Transition, statement)

    def append(self, transitions: Sequence[Transition], *, recorded_at: datetime, run_id: str = "") -> int:
        """Add transitions to the history; returns how many were new. Known ones (by id) are unchanged."""
        if not transitions:
            return 0
        numbers = sorted({t.number for t in transitions})
        self.add_proposals(numbers)
        # without the lock, two processes could give their entries the same position
        for number in numbers:
            self.lock_proposal(number)
        ids = {t.id for t in transitions}
        known = set(self._connection.scalars(sa.select(transition.c.id).where(transition.c.id.in_(ids))))
        held = sa.select(transition.c.number, sa.func.max(transition.c.position)).group_by(transition.c.number)
        newest = dict(self._connection.execute(held.where(transition.c.number.in_(numbers))).all())
        rows: list[Row] = []
        for entry in transitions:
            if entry.id not in known:
                known.add(entry.id)
                newest[entry.number] = newest.get(entry.number, -1) + 1
                rows.append(_transition_row(entry, newest[entry.number], recorded_at, run_id))
        self.insert_all(transition, rows)
        return len(rows)

    def save_decision(self, decision: Decision, about: Proposal) -> None:
        """Replace the projection of one proposal: its row, votes, ballots and open questions."""
        number = decision.number
        token = self._tokens.pop(number) if number in self._tokens else self.find_pending_token(number)
        self.add_proposals([number])
        values = _proposal_row(decision, about, self.rules.name)
        recorded = sa.select(transition.c.recorded_at).where(transition.c.number == number)
        first_recorded = recorded.order_by(transition.c.position).limit(1).scalar_subquery()
        values["followed_since"] = sa.func.coalesce(proposal.c.followed_since, first_recorded)
        self._connection.execute(sa.update(proposal).where(proposal.c.number == number).values(values))
        for table in (ballot, vote, review_item):
            self._connection.execute(sa.delete(table).where(table.c.number == number))
        current = _find_current(decision)
        votes = [_vote_row(number, i, state, state is current) for i, state in enumerate(decision.votes)]
        self.insert_all(vote, votes)
        self.insert_all(ballot, _ballot_rows(decision))
        self.insert_all(review_item, _review_rows(decision))
        # not if facts arrived after the decision's facts were loaded
        self._connection.execute(sa.delete(pending).where(pending.c.number == number, pending.c.token == token))

    def forget_decision(self, number: int) -> None:
        nothing = {"stage": None, "missing": None, "next_deadline": None, "claim": ""}
        counts = {"drift_count": 0, "review_count": 0}
        self._connection.execute(sa.update(proposal).where(proposal.c.number == number).values(nothing | counts))

    def find_pending_token(self, number: int) -> str | None:
        return self._connection.scalar(sa.select(pending.c.token).where(pending.c.number == number))


# -- as rows ----------------------------------------------------------------------------------------


def _transition_row(entry: Transition, position: int, recorded_at: datetime, run_id: str) -> Row:
    recorded = {"recorded_at": recorded_at, "run_id": run_id, "decision_rules": DECISION_RULES}
    return {**as_row(entry, id=entry.id, position=position), **recorded}


def _proposal_row(decision: Decision, about: Proposal, rules: str) -> Row:
    doubt = decision.number_doubt
    return {
        **as_row(about, without={"number"}),
        **pick_fields(decision, "since", "policy_version", "next_deadline", "warned_at", "last_activity", "missing"),
        "stage": decision.stage.value,
        "decided_at": decision.as_of,
        "rules": rules,
        "drift": to_plain(decision.drift),
        "drift_count": len(decision.drift),
        "review_count": len(decision.review),
        "claim": doubt.kind.value if doubt is not None else "",
        "claim_why": doubt.why if doubt is not None else "",
        "claim_known": doubt is not None and doubt.is_known,
        "search": f"{about.title}\n{about.author or ''}".casefold(),
    }


def _find_current(decision: Decision) -> VoteState | None:
    """The round that is running: in stage Vote, the newest one that has not ended."""
    if decision.stage is not Stage.VOTE:
        return None
    proper = (s for s in reversed(decision.votes) if s.vote.is_proper)
    return next((s for s in proper if s.outcome is not Outcome.CANCELLED), None)


def _vote_row(number: int, position: int, state: VoteState, is_current: bool) -> Row:
    tally = state.tally
    return {
        **as_row(state.vote, without={"proposal", "ballots", "doubts", "before_doubts", "own_periods"}),
        **as_row(state.terms, without={"because", "late_change"}),
        **as_row(state, without={"vote", "terms", "tally"}),
        "number": number,
        "position": position,
        "is_current": is_current,
        "care": state.terms.because,
        "binding_for": tally.binding.plus,
        "binding_abstain": tally.binding.zero,
        "binding_against": tally.binding.minus,
        "other_for": tally.non_binding.plus,
        "other_abstain": tally.non_binding.zero,
        "other_against": tally.non_binding.minus,
    }


def _ballot_rows(decision: Decision) -> list[Row]:
    return [
        as_row(found, number=decision.number, vote_position=vote_position, position=position)
        for vote_position, state in enumerate(decision.votes)
        for position, found in enumerate(state.vote.ballots)
    ]


def _review_rows(decision: Decision) -> list[Row]:
    return [
        as_row(item, number=decision.number, position=position, affects_outcome=bool(item.outcomes))
        for position, item in enumerate(decision.review)
    ]
