"""What people read in Slack: one builder for each kind of message, within Slack's limits.

Mail and wiki text is hostile: `&`, `<`, `>` are escaped, or a subject could ping `<!channel>`.
Slack: at most 50 blocks a message and 3,000 characters a section.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

from kipflow.domain.clocks import VoteState
from kipflow.domain.decisions import Decision, ReviewItem
from kipflow.domain.events import Stage, Transition
from kipflow.domain.facts import ProposalFacts, SilenceWarning
from kipflow.services.effectrules import EffectRules
from kipflow.services.wording import RULE_WORDS, say_warning

SECTION_LIMIT = 3_000
_ICONS = {
    Stage.DRAFT: ":pencil2:",
    Stage.DISCUSSION: ":speech_balloon:",
    Stage.VOTE: ":ballot_box_with_ballot:",
    Stage.ACCEPTED: ":white_check_mark:",
    Stage.REJECTED: ":x:",
    Stage.DORMANT: ":zzz:",
    Stage.DISCARDED: ":wastebasket:",
}


def escape(text: str) -> str:
    """Text as Slack shows it literally: no mention, link or channel ping can come of it."""
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def read_text(payload: Mapping[str, Any]) -> str:
    """What an effect says as plain text: only a message for Slack is escaped."""
    text = str(payload.get("text") or "")
    if "blocks" not in payload:
        return text
    return text.replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&")


def say_payload(payload: Mapping[str, Any]) -> str:
    """What an effect would say, as far as one line goes."""
    moves = payload.get("moves")
    if isinstance(moves, Sequence) and not isinstance(moves, str):
        told = [f"{move.get('number')} to {move.get('to')}" for move in moves if isinstance(move, Mapping)]
        return f"round-up brought up to date: {', '.join(told) or 'no row moves'}"[:300]
    if text := read_text(payload):
        return " ".join(text.split())[:300]
    for key in ("title", "message", "page_id"):
        if isinstance(payload.get(key), str) and payload[key].strip():
            return " ".join(str(payload[key]).split())[:300]
    return ", ".join(sorted(str(key) for key in payload))[:300]


def quote(text: str, limit: int = 300) -> str:
    """One line of somebody's words, escaped and without Slack's own markup."""
    line = " ".join(text.split())
    cut = line if len(line) <= limit else line[: limit - 1] + "…"
    for mark in "*_~`":
        cut = cut.replace(mark, "\u200b" + mark)
    return escape(cut)


def render_move(key: str, transition: Transition) -> tuple[str, list[str]]:
    """A move from stage to stage: what notifications show of it, and its lines."""
    came_from = f"{transition.source} → " if transition.source else ""
    text = f"{key}: {came_from}{transition.target}"
    because = f", because {RULE_WORDS[transition.rule]}" if transition.rule in RULE_WORDS else ""
    lines = [f"{_ICONS[transition.target]} *{escape(key)}*: {came_from}*{transition.target}*{because}"]
    if transition.source is transition.target:
        # an amendment moves nothing: what is told is what became of it
        happened = RULE_WORDS.get(transition.rule, transition.rule)
        text = f"{key} stays {transition.target}: {happened}"
        lines = [f"{_ICONS[transition.target]} *{escape(key)}* stays *{transition.target}*: {happened}"]
    if transition.note:
        lines.append(quote(transition.note))
    return text, lines


def render_transition(key: str, transition: Transition, decision: Decision, *, links: str = "") -> dict[str, Any]:
    """A move from stage to stage, with its evidence; `links` as `say_links` gives them."""
    text, lines = render_move(key, transition)
    lines.extend(filter(None, [links]))
    lines.extend(f"> {cite(e.line or e.ref, e.url)}" for e in transition.evidence[:6])
    vote = decision.newest_vote
    if vote is not None and transition.target in {Stage.VOTE, Stage.ACCEPTED, Stage.REJECTED}:
        lines.append(_tally(vote))
    if decision.history and transition.id == decision.history[-1].id:
        # what is missing now; a move that others have followed already is owed nothing
        lines.extend(say_missing(decision))
    return build_message(text, lines)


def render_correction(key: str, correction: Transition, decision: Decision, *, links: str = "") -> dict[str, Any]:
    """What was said of a proposal and no longer holds, why, and what holds instead; `links` as `say_links` has them."""
    text = f"{key}: corrected: {correction.source} → {decision.stage}"
    if correction.source is decision.stage:
        text = f"{key}: corrected: {decision.stage} since {decision.since:%Y-%m-%d %H:%M} UTC"
    lines = [
        f":leftwards_arrow_with_hook: *{escape(key)}*: what was said before no longer holds: {quote(correction.note)}",
        f"It is *{decision.stage}* since {decision.since:%Y-%m-%d %H:%M} UTC (was: {correction.source}).",
        *filter(None, [links]),
    ]
    lines.extend(f"> {cite(e.line or e.ref, e.url)}" for e in correction.evidence[:8])
    if decision.newest_vote is not None:
        lines.append(_tally(decision.newest_vote))
    lines.extend(say_missing(decision))
    return build_message(text, lines)


def render_retraction(key: str, correction: Transition, decision: Decision) -> str:
    """What a person releases where only the index tells of it, in one line."""
    why = " ".join(correction.note.split())
    return f"{key}: corrected: {correction.source} → {decision.stage}, its row of the index moves when released: {why}"


def render_review(key: str, item: ReviewItem, *, board: str = "") -> dict[str, Any]:
    """A question for an operator, with what depends on it, and where on the board it is settled."""
    lines = [f":mag: *{escape(key)}* needs a person: {quote(item.question)}"]
    if item.line:
        lines.append(f"> {quote(item.line)}")
    lines.extend(f"• {escape(o)}" for o in item.outcomes)
    if board:
        lines.append(link("Settle it on the board", board))
    return build_message(f"{key} needs a person: {' '.join(item.question.split())}", lines)


def render_warning(key: str, warning: SilenceWarning, author: str | None = None) -> dict[str, Any]:
    """The author is told before silence makes a proposal dormant, and when that will be."""
    who = f" by {quote(author, 100)}" if author else ""
    said = say_warning(warning)
    return build_message(f"{key}: {said}", [f":hourglass: *{escape(key)}*{who}: {said}"])


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
    title = cite(facts.proposal.title, facts.proposal.page_url or "")
    places = {"thread": facts.find_permalink(thread), "board": rules.find_board_page(facts.proposal.number)}
    return " · ".join([*filter(None, [title]), *(link(name, url) for name, url in places.items() if url)])


def say_missing(decision: Decision) -> list[str]:
    """What a proposal still lacks, in lines of Slack's markup; times are each reader's own."""
    return [f"• {_TIME.sub(_as_local_time, escape(missing))}" for missing in decision.missing[:4]]


#: A time as our own sentences tell it.
_TIME = re.compile(r"(?:[A-Z][a-z]{2} )?(\d{4}-\d\d-\d\d \d\d:\d\d) UTC", re.ASCII)


def _as_local_time(found: re.Match[str]) -> str:
    """Slack's markup for a moment: each reader's own time, and what stands here where it is not Slack that shows it."""
    try:
        moment = datetime.strptime(found[1], "%Y-%m-%d %H:%M").replace(tzinfo=UTC)
    except ValueError:
        return found[0]
    return f"<!date^{int(moment.timestamp())}^{{date_short_pretty}} {{time}}|{found[0]}>"


def _tally(state: VoteState) -> str:
    binding, other = state.tally.binding, state.tally.non_binding
    return (
        f"binding +{binding.plus} / {binding.zero} / -{binding.minus}, "
        f"non-binding +{other.plus} / {other.zero} / -{other.minus}"
    )


def build_message(text: str, lines: list[str]) -> dict[str, Any]:
    """A message of one section: `lines` as Slack's markup, cut at its limit; `text` is what notifications show."""
    body = "\n".join(lines)
    if len(body) > SECTION_LIMIT:
        body = body[: SECTION_LIMIT - 1].rsplit("\n", 1)[0] + "\n…"
    return {
        "text": escape(text)[:SECTION_LIMIT],
        "blocks": [{"type": "section", "text": {"type": "mrkdwn", "text": body}}],
    }
