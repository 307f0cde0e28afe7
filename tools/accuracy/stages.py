"""Derived stages compared with the wiki's states: from pages and mails only, with the index, and after later changes.

Differing proposals are reported in classes. A class is a condition on the data, never a list of numbers, so that
its explanation can be checked for each of its proposals.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import timedelta

from kipflow.domain.decisions import Decision
from kipflow.domain.events import OPEN_STAGES, SECTION_OF_STAGE, Stage
from tools.accuracy.findings import MAX_SHOWN, Counted, Demand, Figure, Section
from tools.accuracy.kafkadata import INDEX_AT, MAILS_FROM, TAGS, KafkaData
from tools.accuracy.replayed import Replayed

#: Section of the index → the wiki's word for it, and the stages that agree with it.
STATES: dict[str, tuple[str, frozenset[Stage]]] = {
    "accepted": ("accepted", frozenset({Stage.ACCEPTED})),
    "rejected": ("not accepted", frozenset({Stage.REJECTED, Stage.DISCARDED})),
    "discussion": ("under discussion", OPEN_STAGES),
}


def check_stages(seen: Replayed) -> tuple[Section, Section]:
    """Two sections: without the index, and with it."""
    data = seen.data
    numbers = ", ".join(f"KIP-{n}" for n in sorted(set(seen.with_index) - set(data.index)))
    unknown = sum(e.section not in STATES for e in data.index.values())
    not_compared = (
        (f"{unknown} proposals", "the index's state is unknown"),
        (numbers, "named by subjects of mails, not in the index"),
    )
    early = _compare(seen.mail_only, data, lambda n, d: _find_class(n, d, data), "alone")
    votes = data.threads["vote"]
    late = _compare(seen.with_index, data, lambda n, _: "vote-seen" if n in votes else "other", "imported")
    kinds = [f"the wiki says {word}" for word, _ in STATES.values()]
    named = {number for kind in TAGS for number in data.threads[kind]}
    mails = f"{seen.messages} mails that name {len(named)} proposals in their subjects"
    are_open = all(decision.stage in OPEN_STAGES for decision in seen.mail_only.values())
    alone = Section(
        title="Stages from pages and mails alone",
        about=f"{seen.pages} pages as made, {mails}, 2023 to 2025; no bodies, so no ballots",
        figures=(_count_votes_seen(data), *map(early.figure, kinds)),
        demands=(
            Demand(name="every row of the index is stored", met=seen.rows == len(data.raw_index)),
            Demand(name="nothing accepted or rejected without a ballot", met=are_open),
            Demand(name=f"no year's history rewritten by a later one{_report(seen.rewritten)}", met=not seen.rewritten),
        ),
        disagreements=early.disagreements,
    )
    imported = Section(
        title="Stages with the index as baseline",
        about=f"the same, after the import of the index's {seen.rows} rows",
        figures=(late.sum("the stage agrees"), *map(late.figure, kinds)),
        demands=(
            Demand(name=f"stored history is what the facts give{_report(seen.unlike)}", met=not seen.unlike),
            Demand(name="a second run adds nothing", met=seen.again == 0),
        ),
        disagreements=late.disagreements,
        listed_title="not compared",
        listed=not_compared,
    )
    return alone, imported


def _compare(
    decided: Mapping[int, Decision], data: KafkaData, find_class: Callable[[int, Decision], str], place: str
) -> Counted:
    counted = Counted()
    for number, entry in sorted(data.index.items()):
        if entry.section not in STATES:
            continue
        stage, (word, agreeing) = decided[number].stage, STATES[entry.section]
        if not counted.count(f"the wiki says {word}", stage in agreeing):
            counted.classify(f"stages/{place}/{find_class(number, decided[number])}", word, stage, number)
    return counted


def _find_class(number: int, decision: Decision, data: KafkaData) -> str:
    """The reason why mails alone cannot show that a settled proposal is settled."""
    entry, votes = data.index[number], data.threads["vote"]
    if entry.section == "rejected":
        return "rejected-with-vote" if number in votes else "rejected-without-vote"
    if decision.stage is Stage.VOTE:
        return "accepted-with-vote"
    if entry.created_at is not None and entry.created_at < MAILS_FROM:
        return "accepted-page-older-than-mails"
    if find_vote_under_other_number(number, data) is not None:
        return "accepted-voted-under-another-number"
    if any(number in data.threads[kind] for kind in TAGS):
        return "accepted-without-a-vote-in-sight"
    if entry.created_at and entry.changed_at and entry.changed_at - entry.created_at < timedelta(days=1):
        return "accepted-page-untouched-since-its-day"
    return "accepted-named-in-bodies-only" if number in data.threads["body"] else "accepted-without-a-mail"


def find_vote_under_other_number(number: int, data: KafkaData) -> int | None:
    """The number under which this proposal was voted on by mistake: its thread was opened by this proposal's author,
    and most mails name this proposal in their bodies."""
    bodies = {m.mail for m in data.threads["body"].get(number, ())}
    for other, mails in data.threads["vote"].items():
        row = data.index.get(other)
        is_ours = mails[0].name == data.index[number].author and (row is None or row.author != mails[0].name)
        if other != number and is_ours and 2 * sum(m.mail in bodies for m in mails) > len(mails):
            return other
    return None


def _count_votes_seen(data: KafkaData) -> Figure:
    """How many of the proposals accepted since the first mail have a vote in the mails."""
    made = [n for n, e in data.index.items() if e.section == "accepted" and e.created_at and e.created_at >= MAILS_FROM]
    seen = sum(number in data.threads["vote"] for number in made)
    return Figure(name="accepted since 2023: vote seen", right=seen, total=len(made))


def _report(numbers: tuple[int, ...]) -> str:
    return f" ({', '.join(map(str, numbers[:MAX_SHOWN]))})" if numbers else ""


# -- as the wiki changed -----------------------------------------------------------------------------
def check_changes(seen: Replayed) -> Section:
    """States that changed after the index was read: reported as drift, never followed."""
    data, newest = seen.data, {c.entry.number: c for c in seen.data.changes}
    counted, same = Counted(), "the newest state agrees"
    hidden: list[int] = []
    moved: list[int] = []
    for number, change in sorted(newest.items()):
        decision, before = seen.later[number], seen.with_index.get(number)
        if before is not None and before.history != decision.history:
            moved.append(number)
        if change.entry.section not in STATES:
            continue
        word, agreeing = STATES[change.entry.section]
        if counted.count(same, decision.stage in agreeing):
            continue
        counted.classify(f"changes/{_find_change_class(number, seen)}", word, decision.stage, number)
        shows_drift = any(drift.side == "index" for drift in decision.drift)
        if SECTION_OF_STAGE[decision.stage] != change.entry.section and not shows_drift:
            hidden.append(number)
    return Section(
        title="States that changed later",
        about=f"{len(data.changes)} changes of {len(newest)} proposals' states, January to April 2026, as wiki rows",
        figures=(counted.figure(same),),
        demands=(
            Demand(name=f"no later word of the wiki moves a stage{_report(tuple(moved))}", met=not moved),
            Demand(name=f"every contradiction is reported as drift{_report(tuple(hidden))}", met=not hidden),
        ),
        disagreements=counted.disagreements,
    )


def _find_change_class(number: int, seen: Replayed) -> str:
    data = seen.data
    change = [c for c in data.changes if c.entry.number == number][-1]
    entry = data.index.get(number)
    if entry is None:
        return "row-after-its-baseline"
    if change.saved_at < INDEX_AT and change.saved_at != entry.changed_at:
        return "another-page-of-that-number"
    if change.entry.section == "accepted":
        return "accepted-with-vote" if number in data.threads["vote"] else "accepted-after-the-mails-end"
    return "taken-back" if entry.section == "accepted" else "rejected-by-the-page"
