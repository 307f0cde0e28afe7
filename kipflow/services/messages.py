"""What people read in Slack: one builder for each kind of message, within Slack's limits.

Mail and wiki text is hostile: `&`, `<`, `>` are escaped, or a subject could ping `<!channel>`.
Slack: at most 50 blocks a message and 3,000 characters a section.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from typing import Any

from kipflow.domain.clocks import VoteState
from kipflow.domain.decisions import Decision, Drift, ReviewItem
from kipflow.domain.events import Stage, Transition
from kipflow.domain.facts import ProposalFacts, SilenceWarning
from kipflow.domain.messagekinds import ICONS, MESSAGE_KINDS
from kipflow.domain.tally import Outcome
from kipflow.services.effectrules import EffectRules
from kipflow.services.ports import OutboxRow
from kipflow.services.wording import RULE_WORDS, say_payload, say_warning

SECTION_LIMIT = 3_000
#: Commands that one message shows, and how long one may be: an id from a mail can be any length.
_MOST_COMMANDS, _LONGEST_COMMAND = 3, 500


def escape(text: str) -> str:
    """Text as Slack shows it literally: no mention, link or channel ping can come of it."""
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def quote(text: str, limit: int = 300) -> str:
    """One line of somebody's words, escaped and without Slack's own markup."""
    line = " ".join(text.split())
    cut = line if len(line) <= limit else line[: limit - 1] + "…"
    for mark in "*_~`":
        cut = cut.replace(mark, "\u200b" + mark)
    return escape(cut)


def render_move(key: str, transition: Transition) -> tuple[str, list[str]]:
    """A move from stage to stage: what notifications show of it, and its lines."""
    source, target, icon = transition.source, transition.target, ICONS[transition.target]
    if source is target:
        # an amendment moves nothing: what is announced is what became of it
        happened = RULE_WORDS.get(transition.rule, transition.rule)
        text, lead = f"{key} stays {target}: {happened}", f"{icon} *{escape(key)}* stays *{target}*: {happened}"
    else:
        came_from = f"{source} → " if source else ""
        because = f", because {RULE_WORDS[transition.rule]}" if transition.rule in RULE_WORDS else ""
        text, lead = f"{key}: {came_from}{target}", f"{icon} *{escape(key)}*: {came_from}*{target}*{because}"
    return text, [lead, *([quote(transition.note)] if transition.note else [])]


def render_transition(key: str, transition: Transition, decision: Decision, *, links: str = "") -> dict[str, Any]:
    """A move from stage to stage, with its evidence; `links` as `say_links` gives them."""
    text, lines = render_move(key, transition)
    lines.append(links)
    lines.extend(f"> {cite(e.line or e.ref, e.url)}" for e in transition.evidence[:6])
    vote = decision.newest_vote
    if vote is not None and transition.target in {Stage.VOTE, Stage.ACCEPTED, Stage.REJECTED}:
        lines.append(say_tally(vote))
    if decision.history and transition.id == decision.history[-1].id:
        # what is missing now; a move that others have followed already needs no notice
        lines.extend(say_missing(decision))
    return build_message(text, lines)


def render_correction(key: str, correction: Transition, decision: Decision, *, links: str = "") -> dict[str, Any]:
    """What was said of a proposal and no longer holds, why, and what holds instead; `links` as `say_links` has them."""
    text = f"{key}: corrected: {correction.source} → {decision.stage}"
    if correction.source is decision.stage:
        text = f"{key}: corrected: {decision.stage} since {decision.since:%Y-%m-%d %H:%M} UTC"
    lines = [
        f"{_icon('correction')} *{escape(key)}*: what was said before no longer holds: {quote(correction.note)}",
        f"It is *{decision.stage}* since {decision.since:%Y-%m-%d %H:%M} UTC (was: {correction.source}).",
        links,
    ]
    lines.extend(f"> {cite(e.line or e.ref, e.url)}" for e in correction.evidence[:8])
    if decision.newest_vote is not None:
        lines.append(say_tally(decision.newest_vote))
    lines.extend(say_missing(decision))
    return build_message(text, lines)


def render_retraction(key: str, correction: Transition, decision: Decision) -> str:
    """What a person releases where only the index shows it, in one line."""
    why = " ".join(correction.note.split())
    return f"{key}: corrected: {correction.source} → {decision.stage}, its row of the index moves when released: {why}"


def render_period_over(
    key: str, state: VoteState, decision: Decision, *, links: str = "", program: str = "kipflow"
) -> dict[str, Any]:
    """A voting period that is over while the vote is not decided: what it has come to, and what it still waits for."""
    said = f"the voting period is over: {state.outcome}"
    lines = [f"{_icon('period-over')} *{escape(key)}*: {said}", links, say_tally(state), *say_missing(decision)]
    if state.outcome is Outcome.PASSED:
        lines.append(
            f"The caller can announce it; `{program} result {escape(key)}` drafts the mail, so does the board."
        )
    return build_message(f"{key}: {said}", lines)


def render_review(
    key: str, item: ReviewItem, *, links: str = "", settle: Sequence[str] = (), board: str = ""
) -> dict[str, Any]:
    """A question for an operator, with what depends on it, where on the board it is settled, and by which commands."""
    icon = _icon("page-changed" if item.kind == "page" else "question")
    lines = [f"{icon} *{escape(key)}* needs a person: {quote(item.question)}", links]
    if item.line:
        lines.append(f"> {quote(item.line)}")
    lines.extend(f"• {escape(o)}" for o in item.outcomes)
    if board:
        lines.append(link("Settle it on the board", board))
    lines.extend(_command(each) for each in settle[:_MOST_COMMANDS])
    return build_message(f"{key} needs a person: {' '.join(item.question.split())}", lines)


def render_drift(key: str, drift: Drift, *, links: str = "", settle: Sequence[str] = ()) -> dict[str, Any]:
    """What a side says against what the facts come to, and the edit that would settle it."""
    said = f"the {drift.side} says “{drift.says}”, the facts say {drift.derived}"
    lines = [
        f"{_icon('drift')} *{escape(key)}*: {quote(said)}",
        links,
        f"> {quote(drift.evidence)}",
        f"• {quote(drift.fix)}",
    ]
    lines.extend(_command(each) for each in settle)
    return build_message(f"{key}: {' '.join(said.split())}", lines)


def render_warning(key: str, warning: SilenceWarning, author: str | None = None, *, links: str = "") -> dict[str, Any]:
    """The author is notified before silence makes a proposal dormant, and when that will be."""
    who = f" by {quote(author, 100)}" if author else ""
    said = say_warning(warning)
    return build_message(f"{key}: {said}", [f"{_icon('dormancy')} *{escape(key)}*{who}: {localise(said)}", links])


def render_approval(row: OutboxRow, *, board: str = "", settle: Sequence[str] = ()) -> dict[str, Any]:
    """An effect that waits for a person: what it would say or change, and how it is let go."""
    said = say_payload(row.payload)
    text = f"{row.channel}: an effect waits for approval: {said}"
    lines = [f"{_icon('approval')} {escape(row.channel)}: this waits for approval: *{quote(said)}*"]
    if board:
        lines.append(link("Look at it on the board", board))
    return build_message(text, [*lines, *map(_command, settle)])


def _icon(kind: str) -> str:
    return MESSAGE_KINDS[kind].icon


def _command(text: str) -> str:
    """A command to copy, whole or not at all: the ids in it come from mails."""
    fits = len(text) <= _LONGEST_COMMAND and text.isprintable() and "`" not in text
    return f"`{escape(text)}`" if fits else ""


def cite(text: str, url: str) -> str:
    """Somebody's words, as a link to where they stand."""
    return link(quote(text), url)


def link(shown: str, url: str) -> str:
    """`shown`, which is Slack's markup, as a link if `url` is a plain web address."""
    safe = url.startswith(("http://", "https://")) and not any(c in url for c in "<>| \n")
    return f"<{escape(url)}|{shown}>" if safe and shown else shown


def say_links(facts: ProposalFacts | None, rules: EffectRules, *, thread: str = "") -> str:
    """A proposal's title as a link to its page, its thread (of the mail `thread`) and the board; each where known."""
    if facts is None:
        return ""
    thread = thread or next((m.message_id for m in facts.messages if not m.is_reply), "")
    title = cite(facts.proposal.title, facts.proposal.page_url or "")
    places = {"thread": facts.find_permalink(thread), "board": rules.find_board_page(facts.proposal.number)}
    return " · ".join([*filter(None, [title]), *(link(name, url) for name, url in places.items() if url)])


def say_missing(decision: Decision) -> list[str]:
    """What a proposal still lacks, in lines of Slack's markup; times are each reader's own."""
    return [f"• {localise(missing)}" for missing in decision.missing[:4]]


def localise(text: str) -> str:
    """A sentence of our own, its times as each reader's."""
    return _TIME.sub(_as_local_time, escape(text))


#: A time as our own sentences write it.
_TIME = re.compile(r"(?:[A-Z][a-z]{2} )?(\d{4}-\d\d-\d\d \d\d:\d\d) UTC", re.ASCII)


def _as_local_time(found: re.Match[str]) -> str:
    """Slack's markup for a moment: each reader's own time, and what stands here where it is not Slack that shows it."""
    try:
        moment = datetime.strptime(found[1], "%Y-%m-%d %H:%M").replace(tzinfo=UTC)
    except ValueError:
        return found[0]
    return f"<!date^{int(moment.timestamp())}^{{date_short_pretty}} {{time}}|{found[0]}>"


def say_tally(state: VoteState) -> str:
    binding, other = state.tally.binding, state.tally.non_binding
    return (
        f"binding +{binding.plus} / {binding.zero} / -{binding.minus}, "
        f"non-binding +{other.plus} / {other.zero} / -{other.minus}"
    )


def build_message(text: str, lines: Iterable[str], *, sections: int = 1) -> dict[str, Any]:
    """A message of so many sections at most: `lines` as Slack's markup, cut at its limits; empty ones are left out.

    `text` is what notifications show.
    """
    bodies = [""]
    for line in filter(None, lines):
        longer = f"{bodies[-1]}\n{line}".lstrip("\n")
        if len(longer) <= SECTION_LIMIT - 2:  # room for the mark that something is left out
            bodies[-1] = longer
        elif len(bodies) < sections:
            bodies.append(line[: SECTION_LIMIT - 2])
        else:
            bodies[-1] = f"{bodies[-1] or line[: SECTION_LIMIT - 2]}\n…"
            break
    return {
        "text": escape(text)[:SECTION_LIMIT],
        "blocks": [{"type": "section", "text": {"type": "mrkdwn", "text": body}} for body in bodies],
    }
