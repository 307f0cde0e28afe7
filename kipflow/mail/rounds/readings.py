"""What each mail of a round says of its author's vote, given the mails that it answers."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import replace

from kipflow.domain.facts import MailKind, Message
from kipflow.domain.votes import Expression, Standing
from kipflow.mail.votes.answers import read_short_answer
from kipflow.mail.votes.lexicon import fold, has

#: Most mails that one is compared with, and most of its lines that are compared at once.
_MOST_ABOVE, _MOST_LINES = 8, 60
#: Fewest words of the lines beside a vote that show that all of them are copied: "+1 Release it" alone is a vote.
_FEWEST_COPIED = 4
#: Fewest words of a vote's line that two people hardly write alike.
_LONG = 9
#: "Mara Lind said:"
_LEADS_IN = re.compile(
    r"\b(?:said|says|wrote|writes|schrieb|schreibt|écrit|écrivait|escribió|escreveu|scritto|написал\w*)\s*:\s*$"
)


def read_mails(mails: list[Message], call: Message | None) -> dict[str, tuple[Expression, ...]]:
    """The expressions of a round's mails by their ids; `call` is the mail that called for votes, if it is held."""
    known = {message.message_id: message for message in mails}
    return {
        message.message_id: _add_short_answer(message, _ask_of_side_poll(message, known), call)
        for message in mails
        if message.reading.kind is not MailKind.CANCEL
    }


#: a box of a ballot; what is written in it
_BOX = re.compile(r"\[[^\[\]]{0,5}\]")


def settle_crossed_box(said: Expression, call: Message | None) -> Expression:
    """A box that is crossed in a quotation is its writer's vote, if it is empty in the call."""
    box = _BOX.match(said.line)
    if said.standing is not Standing.QUOTED or box is None or call is None:
        return said
    text = " ".join(said.line[box.end() :].split())
    lines = (" ".join(line.split()) for line in call.own_text.split("\n"))
    is_empty = any(re.fullmatch(rf"\[[ _]*\] ?{re.escape(text)}", line) for line in lines)
    return replace(said, standing=Standing.CLEAR, why="") if is_empty else said


def _add_short_answer(message: Message, said: tuple[Expression, ...], call: Message | None) -> tuple[Expression, ...]:
    """A few words that answer the call, and are not understood, may be a vote in any words."""
    above = message.in_reply_to or next(reversed(message.references), "")
    answers = call is not None and above == call.message_id and message.author_address != call.author_address
    says_more = any(e.standing not in {Standing.LEANING, Standing.DOUBT} for e in said)
    if not answers or says_more or message.declared is not None or message.cancels is not None:
        return said
    short = read_short_answer(message.own_text, message.author_name)
    return said if short is None else (*said, short)


def _ask_of_side_poll(message: Message, known: Mapping[str, Message]) -> tuple[Expression, ...]:
    """The expressions; in answer to somebody who asks for hands on something else, as questions without a claim."""
    said = _drop_copied(message, known)
    above = known.get(message.in_reply_to or next(reversed(message.references), ""))
    if (
        above is None
        or not said
        or above.message_id == message.message_id
        or not has("side_poll", fold(above.own_text))
    ):
        return said
    why = "answers a poll on something else: is it a vote?"
    return tuple(
        e.as_question("side-poll", why) if e.standing is Standing.CLEAR and e.claimed_binding is None else e
        for e in said
    )


def _drop_copied(message: Message, known: Mapping[str, Message]) -> tuple[Expression, ...]:
    """The expressions without those in lines that somebody's mail above has, and that nothing marks as a quote; a long
    line that is written again is a question."""
    said, lines = message.expressions, message.own_text.split("\n")
    may_quote, long = _may_quote(lines), [e for e in said if e.value and len(e.line.split()) >= _LONG]
    if not said or not (long or may_quote):
        return said
    named = [message.in_reply_to or "", *reversed(message.references)]
    above = [known[name] for name in dict.fromkeys(named) if name in known and name != message.message_id]
    texts = [mail.own_text for mail in above if mail.author_address != message.author_address][:_MOST_ABOVE]
    if may_quote:
        said = tuple(e for e in said if not (e.value and any(_is_copied(lines, e.line, text) for text in texts)))
    why = "repeats a line of the mail that it answers: whose words?"
    return tuple(e.as_question("copied", why) if e in long and _has_line(texts, e.line) else e for e in said)


def _has_line(texts: Iterable[str], line: str) -> bool:
    return any(" ".join(line.split()).lstrip("-*• ") in " ".join(text.split()) for text in texts)


def _may_quote(lines: list[str]) -> bool:
    """Whether words lead in a quote, or a mail begins within a sentence."""
    first = next((line.strip() for line in lines if line.strip()), "")
    return first[:1].islower() or first[:1].isdigit() or any(_LEADS_IN.search(line) for line in lines)


def _is_copied(lines: list[str], vote: str, text: str) -> bool:
    """Whether the lines around a vote are a mail's text, led in by "Jun said:" or cut out of a line.

    Two voters may write the same sentence beside their votes.
    """
    above = " ".join(text.split())
    at = next((i for i, line in enumerate(lines) if line.strip() and line.strip() in vote), None)
    if at is None or " ".join(lines[at].split()) not in above:
        return False
    start, end, copied = at, at + 1, " ".join(lines[at].split())
    while start > max(0, at - _MOST_LINES) and (longer := " ".join(f"{lines[start - 1]} {copied}".split())) in above:
        start, copied = start - 1, longer
    while end < min(len(lines), at + _MOST_LINES) and (longer := " ".join(f"{copied} {lines[end]}".split())) in above:
        end, copied = end + 1, longer
    first = next(line.strip() for line in lines[start:end] if line.strip())
    leads_in = next((line for line in reversed(lines[:start]) if line.strip()), "")
    is_cut_out = first != lines[at].strip() and not any(x.strip().startswith(first) for x in text.split("\n"))
    beside = len(copied.split()) - len(lines[at].split())
    return beside >= _FEWEST_COPIED and (is_cut_out or _LEADS_IN.search(leads_in) is not None)
