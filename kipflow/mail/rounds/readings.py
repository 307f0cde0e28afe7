"""What each mail of a round says of its author's vote, given the mails that it answers."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace

from kipflow.domain.facts import MailKind, Message
from kipflow.domain.votes import Expression, Standing
from kipflow.mail.announcements.names import is_same_person
from kipflow.mail.votes.answers import read_short_answer
from kipflow.mail.votes.conditions import SENTENCES
from kipflow.mail.votes.doubts import says_it_stands
from kipflow.mail.votes.findings import find
from kipflow.mail.votes.lexicon import fold, has, leaves_only
from kipflow.mail.votes.shapes import find_box, find_checked_words
from kipflow.mail.votes.values import skip_bullet

#: Most mails that one is compared with, and most of its lines that are compared at once.
_MOST_ABOVE, _MOST_LINES = 8, 60
#: Fewest words of the lines beside a vote that show that all of them are copied: "+1 Release it" alone is a vote.
_FEWEST_COPIED = 4
#: Fewest words of a vote's line that two people hardly write alike.
_LONG = 9
#: a ballot's box
_BOX = re.compile(r"\[[^\[\]]{0,5}\]")
#: "Mara Lind said:"
_LEADS_IN = re.compile(
    r"\b(?:said|says|wrote|writes|schrieb|schreibt|écrit|écrivait|escribió|escreveu|scritto|написал\w*)\s*:\s*$"
)


def read_mails(mails: list[Message], call: Message | None) -> dict[str, tuple[Expression, ...]]:
    """The expressions of a round's mails by their ids; `call` is the mail that called for votes, if it is held."""
    known = {message.message_id: message for message in mails}
    return {m.message_id: _read(m, known, call) for m in mails if m.reading.kind is not MailKind.CANCEL}


def _read(message: Message, known: Mapping[str, Message], call: Message | None) -> tuple[Expression, ...]:
    named = [message.in_reply_to or "", *reversed(message.references)]
    above = [known[name] for name in dict.fromkeys(named) if name in known and name != message.message_id]
    said = _drop_copied(message, [mail for mail in above if mail.author_address != message.author_address])
    said = tuple(e for e in said if e.choice is not None or e.standing is not Standing.QUOTED or _offers(call, e.line))
    answered = known.get(_find_answered(message))
    if said and answered is not None and answered not in (message, call) and _asks_for_hands(answered.own_text):
        said = tuple(map(_ask_of_side_poll, said))
    return _add_short_answer(message, said, call)


def _find_answered(message: Message) -> str:
    """The id of the mail that this one answers; "": none."""
    return message.in_reply_to or next(reversed(message.references), "")


def settle_crossed_box(said: Expression, message: Message, call: Message | None) -> Expression:
    """What is `said` in a quotation is its writer's vote if it is a crossed box that is empty in the call, and the
    mail says no more than whether it binds."""
    if said.choice is None or not _offers(call, said.line):
        return said
    own = (x for x in message.own_text.split("\n") if not is_same_person(x.strip(" ,-~"), message.author_name))
    says_more = leaves_only(("filler",), fold(" ".join(own)))
    return said if says_more else replace(said, standing=Standing.CLEAR, why="")


def _offers(call: Message | None, line: str) -> bool:
    """Whether a line is a box that stands in the call, empty; one without a value only if all boxes there have none."""
    box = _BOX.match(line)
    if box is None or call is None:
        return False
    empty = re.compile(rf"\[[ _]*\] ?{re.escape(_even(line[box.end() :]))}")
    offered = call.own_text.split("\n")
    is_other = find_box(line) is None and any(map(find_box, offered))
    return not is_other and any(empty.fullmatch(_even(x)) for x in offered)


def _add_short_answer(message: Message, said: tuple[Expression, ...], call: Message | None) -> tuple[Expression, ...]:
    """A few words that answer the call, and are not understood, may be a vote in any words."""
    if call is None or _find_answered(message) != call.message_id or message.author_address == call.author_address:
        return said
    says_more = any(e.standing not in {Standing.LEANING, Standing.DOUBT} for e in said)
    ends = message.declared is not None and not message.declared.only_denies
    if says_more or ends or message.cancels is not None:
        return said
    if any(map(says_it_stands, SENTENCES.split(message.own_text))):
        return said
    short = read_short_answer(message.own_text, message.author_name)
    box = find_checked_words(message.own_text.split("\n"))
    if box is not None and _offers(call, box):
        why = "a box without a value is crossed: which vote?"
        short = find("checked-words", Standing.HINT, why, line=box).expression
    return said if short is None else (*said, short)


def _asks_for_hands(text: str) -> bool:
    return any(has("side_poll", sentence) and "?" in sentence for sentence in SENTENCES.split(fold(text)))


def _ask_of_side_poll(said: Expression) -> Expression:
    """In answer to somebody who asks for hands on something else, a vote without a claim to bind is a question."""
    is_vote = said.standing is Standing.CLEAR and said.claimed_binding is None
    return said.as_question("side-poll", "answers a poll on something else: is it a vote?") if is_vote else said


def _drop_copied(message: Message, above: Sequence[Message]) -> tuple[Expression, ...]:
    """The expressions without those in lines that somebody's mail above has, and that nothing marks as a quote; a long
    line that is written again is a question."""
    said, lines = message.expressions, message.own_text.split("\n")
    if said and _may_quote(lines):
        texts = [mail.own_text for mail in above][:_MOST_ABOVE]
        said = tuple(e for e in said if not (e.value and any(_is_copied(lines, e.line, text) for text in texts)))
    long = {e for e in said if e.value and len(e.line.split()) >= _LONG}
    if not long:
        return said
    written = {_even(line) for mail in above if mail.expressions for line in mail.own_text.split("\n")}
    why = "repeats a line of the mail that it answers: whose words?"
    return tuple(e.as_question("copied", why) if e in long and _even(e.line) in written else e for e in said)


def _even(line: str) -> str:
    """A line without its bullet, its blanks evened out."""
    return " ".join(line[skip_bullet(line) :].split())


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
