"""The text of Slack messages: one builder for each kind, within Slack's limits.

Mail and wiki text is hostile: `&`, `<`, `>` are escaped, or a subject could ping `<!channel>`.
Slack: at most 50 blocks a message and 3,000 characters a section.
"""

from __future__ import annotations

import html
import re
from collections.abc import Iterable, Sequence
from typing import Any

from kipflow.domain.clocks import VoteState
from kipflow.domain.decisions import Decision, Drift, ReviewItem
from kipflow.domain.events import Stage, Transition
from kipflow.domain.facts import ProposalFacts, SilenceWarning
from kipflow.domain.messagekinds import ICONS, MESSAGE_KINDS
from kipflow.domain.tally import Outcome
from kipflow.domain.texts import cut, is_web_address
from kipflow.domain.times import parse_moment, say_moment
from kipflow.services.effectrules import EffectRules
from kipflow.services.ports import OutboxRow
from kipflow.services.wording import RULE_WORDS, say_payload, say_rule, say_warning

SECTION_LIMIT = 3_000
#: The most commands in a message, and the most characters of one: ids from mails can be of any length.
_MOST_COMMANDS, _LONGEST_COMMAND = 3, 500


def escape(text: str) -> str:
    """The text escaped for Slack, so that it holds no mention, link or channel ping."""
    return html.escape(text, quote=False)


def quote(text: str, limit: int = 300) -> str:
    """Somebody's words as one line, escaped and with Slack's markup disabled."""
    line = cut(" ".join(text.split()), limit)
    for mark in "*_~`":
        line = line.replace(mark, "\u200b" + mark)
    return escape(line)


def render_move(key: str, transition: Transition) -> tuple[str, list[str]]:
    """A move: its text in notifications, and its lines."""
    source, target, icon = transition.source, transition.target, ICONS[transition.target]
    if source is target:
        # an amendment moves nothing: its outcome is announced
        happened = say_rule(transition.rule)
        text, lead = f"{key} stays {target}: {happened}", f"{icon} *{escape(key)}* stays *{target}*: {happened}"
    else:
        came_from = f"{source} → " if source else ""
        because = f", because {RULE_WORDS[transition.rule]}" if transition.rule in RULE_WORDS else ""
        text, lead = f"{key}: {came_from}{target}", f"{icon} *{escape(key)}*: {came_from}*{target}*{because}"
    return text, [lead, *([quote(transition.note)] if transition.note else [])]


def render_transition(key: str, transition: Transition, decision: Decision, *, links: str = "") -> dict[str, Any]:
    """The message of a move, with its evidence; `links` from `say_links`."""
    text, lines = render_move(key, transition)
    lines.append(links)
    lines.extend(f"> {cite(e.line or e.ref, e.url)}" for e in transition.evidence[:6])
    vote = decision.newest_vote
    if vote is not None and transition.target in {Stage.VOTE, Stage.ACCEPTED, Stage.REJECTED}:
        lines.append(say_tally(vote))
    if decision.history and transition.id == decision.history[-1].id:
        # only for the newest move: what is missing now
        lines.extend(say_missing(decision))
    return build_message(text, lines)


def render_correction(key: str, correction: Transition, decision: Decision, *, links: str) -> dict[str, Any]:
    """The message of a correction: what no longer holds, why, and the present stage; `links` from `say_links`."""
    text = f"{key}: corrected: {correction.source} → {decision.stage}"
    if correction.source is decision.stage:
        text = f"{key}: corrected: {decision.stage} since {say_moment(decision.since)}"
    lines = [
        f"{_icon('correction')} *{escape(key)}*: what was said before no longer holds: {quote(correction.note)}",
        f"It is *{decision.stage}* since {say_moment(decision.since)} (was: {correction.source}).",
        links,
    ]
    lines.extend(f"> {cite(e.line or e.ref, e.url)}" for e in correction.evidence[:8])
    if decision.newest_vote is not None:
        lines.append(say_tally(decision.newest_vote))
    lines.extend(say_missing(decision))
    return build_message(text, lines)


def render_retraction(key: str, correction: Transition, decision: Decision) -> str:
    """The text of a retraction that only the index shows, in one line."""
    why = " ".join(correction.note.split())
    return f"{key}: corrected: {correction.source} → {decision.stage}, its row of the index moves when released: {why}"


def render_period_over(key: str, state: VoteState, decision: Decision, *, links: str, program: str) -> dict[str, Any]:
    """The message that a voting period is over and the vote not decided: its outcome so far, and what is missing."""
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
    """The message of a question: its outcomes, a link to the board, and the commands that settle it."""
    icon = _icon("page-changed" if item.kind == "page" else "question")
    lines = [f"{icon} *{escape(key)}* needs a person: {quote(item.question)}", links]
    if item.line:
        lines.append(f"> {quote(item.line)}")
    lines.extend(f"• {escape(o)}" for o in item.outcomes)
    if board:
        lines.append(link("Settle it on the board", board))
    lines.extend(_command(each) for each in settle[:_MOST_COMMANDS])
    return build_message(f"{key} needs a person: {' '.join(item.question.split())}", lines)


def render_drift(key: str, drift: Drift, *, links: str, settle: Sequence[str]) -> dict[str, Any]:
    """The message of a drift: what the side says, what the facts say, and the edit that settles it."""
    said = f"the {drift.side} says “{drift.says}”, the facts say {drift.derived}"
    lines = [
        f"{_icon('drift')} *{escape(key)}*: {quote(said)}",
        links,
        f"> {quote(drift.evidence)}",
        f"• {quote(drift.fix)}",
    ]
    lines.extend(_command(each) for each in settle)
    return build_message(f"{key}: {' '.join(said.split())}", lines)


def render_warning(key: str, warning: SilenceWarning, author: str | None, *, links: str = "") -> dict[str, Any]:
    """The message that warns an author of dormancy, with its date."""
    who = f" by {quote(author, 100)}" if author else ""
    said = say_warning(warning)
    return build_message(f"{key}: {said}", [f"{_icon('dormancy')} *{escape(key)}*{who}: {localise(said)}", links])


def render_approval(row: OutboxRow, *, board: str, settle: Sequence[str]) -> dict[str, Any]:
    """The message that an effect waits for approval: what it would say or change, and how to release it."""
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
    """Somebody's words, quoted, as a link to their source."""
    return link(quote(text), url)


def link(shown: str, url: str) -> str:
    """`shown`, which is Slack's markup, as a link if `url` is a plain web address."""
    safe = is_web_address(url) and not any(c in url for c in "<>| \n")
    return f"<{escape(url)}|{shown}>" if safe and shown else shown


def say_links(facts: ProposalFacts | None, rules: EffectRules, *, thread: str = "") -> str:
    """A proposal's title linked to its page, and links to its thread (of the mail `thread`) and the board, if known."""
    if facts is None:
        return ""
    thread = thread or next((m.message_id for m in facts.messages if not m.is_reply), "")
    title = cite(facts.proposal.title, facts.proposal.page_url or "")
    places = {"thread": facts.find_permalink(thread), "board": rules.find_board_page(facts.proposal.number)}
    return " · ".join([*filter(None, [title]), *(link(name, url) for name, url in places.items() if url)])


def say_missing(decision: Decision) -> list[str]:
    """What a proposal still lacks, in lines of Slack's markup, with times in each reader's zone."""
    return [f"• {localise(missing)}" for missing in decision.missing[:4]]


def localise(text: str) -> str:
    """A sentence of kipflow's as Slack markup, with times in each reader's zone."""
    return _TIME.sub(_as_local_time, escape(text))


#: A time in kipflow's own sentences.
_TIME = re.compile(r"(?:[A-Z][a-z]{2} )?(\d{4}-\d\d-\d\d \d\d:\d\d UTC)", re.ASCII)


def _as_local_time(found: re.Match[str]) -> str:
    """Slack's markup for a moment, shown in each reader's zone; other programs show the original text."""
    try:
        moment = parse_moment(found[1])
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
    """A message of at most so many sections: `lines` in Slack's markup, cut at its limits; empty lines are left out.

    `text` is what notifications show.
    """
    bodies = [""]
    for line in filter(None, lines):
        longer = f"{bodies[-1]}\n{line}".lstrip("\n")
        if len(longer) <= SECTION_LIMIT - 2:  # room for the mark of omission
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
