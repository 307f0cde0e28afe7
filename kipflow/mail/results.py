"""Closing announcements: the outcome, counts and names that a mail declares, and mails that call a vote off.

What may end a vote and is not understood is declared as `unclear`: it ends nothing, and a person is asked.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from kipflow.domain.facts import Kind, SubjectReading
from kipflow.domain.votes import Declared
from kipflow.mail.announcements.callingoff import Call, can_call, read_call, takes_back_result
from kipflow.mail.announcements.closing import closes_vote, corrects, presents_counts, thanks_all, thanks_voters
from kipflow.mail.announcements.counts import CountReading, read_counts
from kipflow.mail.announcements.layouts import even_out
from kipflow.mail.announcements.outcome import Said, Subject, read_outcomes
from kipflow.mail.announcements.tokens import MAX_LINES, Word, has_parts, has_word, lands, split_sentences, tokenize
from kipflow.mail.content.text import plain
from kipflow.mail.quoting import Words

_LONGEST_LINE = 300
#: What a reply under a vote's subject must hold one of to be looked at.
_ENDING = (Word.SUCCESS, Word.FAILURE, Word.CLOSE, Word.NEEDED, Word.CORRECT, Word.CANCEL, Word.RESULT, Word.THANKS)
_LEADING_VOTE = re.compile(r"^\W{0,3}[+\-]\s?[01](?![\w.]\d|\d)\s*(?:$|[^\d\s:=(]|\(\D)")


@dataclass(frozen=True, slots=True)
class _Told:
    """What a mail's sentences come to: an outcome and its sentence, or the one that a person must explain."""

    outcome: str | None = None
    line: str = ""
    unclear: str = ""


def read_declared(
    words: Words, reading: SubjectReading, *, by: str, message_id: str, at: datetime | None, subject: str = ""
) -> Declared | None:
    """What a mail announces about the result of a vote; None if it announces nothing.

    A tagged announcement needs no wording; a plain reply must say an outcome of the vote, or close it and show
    counts. One that only seems to, or calls the vote off perhaps, is `unclear`. Where the words show no outcome,
    that of the `subject` ("[VOTE PASSED] …") counts.
    """
    if not _can_announce(words, reading):
        return None
    lines = [plain(line.text) for line in words.own[:MAX_LINES]]
    sentences = split_sentences(lines)
    counts = read_counts(even_out(lines))
    correction = next((s for s in sentences if corrects(s)), "")
    if reading.kind is Kind.RESULT:
        told = _read_tagged(sentences, subject or reading.topic)
        announces = counts.any or told.outcome or told.unclear or not reading.is_reply
    else:
        told = _read_plain(lines, sentences, counts, correction)
        discussed = reading.kind is Kind.DISCUSS
        announces = bool(told.outcome and counts.binding) if discussed else bool(told.line)
    revoked = next((s for s in sentences if takes_back_result(s)), "")
    if revoked and not (told.outcome and counts.any):
        told, announces = _Told(line=revoked[:_LONGEST_LINE], unclear=revoked[:_LONGEST_LINE]), True
    if not announces:
        return None
    first = next((part.strip() for part in lines if part.strip()), "")
    return Declared(
        by=by,
        message_id=message_id,
        announced_at=at,
        outcome=told.outcome,
        binding=counts.binding or None,
        non_binding=counts.non_binding or None,
        total=counts.total or None,
        names=counts.names,
        line=(told.line or counts.line or first)[:_LONGEST_LINE],
        contradictions=_find_contradictions(counts, told.outcome),
        unclear=told.unclear,
        corrects=bool(correction or revoked),
    )


def _can_announce(words: Words, reading: SubjectReading) -> bool:
    """Whether a closer look is worth it: a tag, or a reply that speaks of votes and of an end."""
    if reading.kind in {Kind.RESULT, Kind.CANCEL}:
        return reading.kind is Kind.RESULT
    if not (reading.is_reply or reading.kind is Kind.VOTE):
        return False
    text = _even_out(words)
    if reading.kind is Kind.VOTE:
        return has_word(text, *_ENDING) or lands(text)
    return has_word(text, Word.VOTE) and has_word(text, Word.SUCCESS, Word.FAILURE, Word.CLOSE)


def may_announce(lines: Sequence[str]) -> bool:
    """The same of a reply whose subject has no vote's tag, by lines of which its own words are some: never no in vain.

    Lines may be missing between its own words, so a phrase may be torn apart.
    """
    text = " ".join(lines)
    return has_parts(text, Word.VOTE) and has_parts(text, Word.SUCCESS, Word.FAILURE, Word.CLOSE)


def _even_out(words: Words) -> str:
    """A mail's own words on one line, as cheap tests look at them."""
    return " ".join(" ".join([line.text for line in words.own[:MAX_LINES]]).split())


def _read_tagged(sentences: Sequence[str], subject: str) -> _Told:
    told = _weigh(sentences, Subject.NOBODY)
    return told if told.outcome or told.unclear else _Told(_find_outcome_of_subject(subject), told.line)


def _read_plain(lines: Sequence[str], sentences: Sequence[str], counts: CountReading, correction: str) -> _Told:
    """What a reply without a tag announces. In a ballot only what is said of the vote itself does."""
    closing = next((s for s in sentences if closes_vote(s)), "")
    lists = bool(counts.told) or sum(counts.listed.values()) > 1
    votes = not lists and any(_LEADING_VOTE.match(line) for line in lines)
    told = _weigh(sentences, Subject.VOTE if votes else Subject.NOBODY if closing or counts.any else Subject.THING)
    if told.outcome or told.unclear or votes:
        return told
    thanked = next((s for s in sentences if thanks_voters(s)), "")
    presented = thanked or next((s for s in sentences if counts.any and presents_counts(s)), "")
    if counts.any and not correction and (closing or presented):
        return _Told(line=closing or presented)
    calls_off = next((s for s in sentences if read_call(s) is Call.PERHAPS), "")
    seems = next((s for s in sentences if any(_is_end(said, s) for said in read_outcomes(s))), "")
    unclear = (correction if counts.any else "") or closing or calls_off or seems or thanked
    return _Told(line=unclear[:_LONGEST_LINE], unclear=unclear[:_LONGEST_LINE])


def _is_end(said: Said, sentence: str) -> bool:
    """Whether "it is in, thanks all" may be an end: of a thing that was voted on, or with thanks to everybody."""
    return said.subject >= Subject.THING or thanks_all(tokenize(sentence))


def _weigh(sentences: Sequence[str], floor: Subject) -> _Told:
    """The one outcome that all sentences agree on. What is told of less than `floor` does not count, but may deny."""
    told = [(s, said) for s in sentences for said in read_outcomes(s)]
    heard = [(s, said) for s, said in told if said.subject >= floor]
    sure = [(s, said) for s, said in heard if said.sure]
    if not sure:
        about = next((s for s, said in heard if said.subject >= Subject.THING), "")
        return _Told(line=about[:_LONGEST_LINE], unclear=about[:_LONGEST_LINE])
    line, first = sure[0]
    denials = heard if floor is Subject.VOTE else told
    against = next((s for s, said in denials if said.outcome != first.outcome and said.subject > Subject.NOBODY), "")
    if against:
        return _Told(line=line[:_LONGEST_LINE], unclear=f"{line} / {against}"[:_LONGEST_LINE])
    return _Told(outcome=first.outcome, line=line[:_LONGEST_LINE])


_SUBJECT_FAILED = re.compile(
    r"\b(?:not (?:accepted|adopted|passed|approved)|failed|fails|rejected|did not pass)\b", re.IGNORECASE
)
_SUBJECT_PASSED = re.compile(r"\b(?:passed|passes|accepted|adopted|approved|successful)\b", re.IGNORECASE)


def _find_outcome_of_subject(subject: str) -> str | None:
    """The outcome that a subject tells in its tags or with its last words; a title's own words tell none."""
    tags = " ".join(re.findall(r"\[([^\[\]]{1,80})\]", subject[:300]))
    for text in (tags, " ".join(subject.split()[-2:])):
        if _SUBJECT_FAILED.search(text):
            return "failed"
        if _SUBJECT_PASSED.search(text):
            return "passed"
    return None


def find_cancel(words: Words, reading: SubjectReading) -> str | None:
    """The line that calls the vote off; None if the mail does not. Whether its writer may is told elsewhere."""
    tagged = reading.kind is Kind.CANCEL
    if not tagged and not _can_call_off(words, reading):
        return None
    lines = [plain(line.text) for line in words.own[:MAX_LINES]]
    found = next((s for s in split_sentences(lines) if read_call(s) >= Call.WISHED), None)
    if found is None and tagged and not reading.is_reply:
        found = next((line.strip() for line in lines if line.strip()), reading.topic)
    return found[:_LONGEST_LINE] if found is not None else None


def _can_call_off(words: Words, reading: SubjectReading) -> bool:
    text = _even_out(words)
    return can_call(text) and (reading.kind is Kind.VOTE or has_word(text, Word.VOTE))


def is_wish(line: str) -> bool:
    """Whether a line that calls a vote off ("please ignore this vote") only does so in its caller's mouth."""
    return max((read_call(s) for s in split_sentences([line])), default=Call.NOT) is Call.WISHED


def _find_contradictions(counts: CountReading, outcome: str | None) -> tuple[str, ...]:
    found: list[str] = []
    for group, told in (("binding", counts.binding), ("non-binding", counts.non_binding), ("in all", counts.total)):
        for choice, number in told.items():
            listed = counts.listed.get((group, choice))
            if listed is not None and listed != number:
                found.append(f"the announcement says {number} {group} {choice} but names {listed}")
    for choice, number in counts.total.items():
        parts = [counts.of(g)[choice] for g in ("binding", "non-binding") if (g, choice) in counts.told]
        if len(parts) == 2 and sum(parts) != number:
            found.append(
                f"the announcement says {number} {choice} in all but {parts[0]} binding and {parts[1]} non-binding"
            )
        elif len(parts) == 1 and parts[0] > number:
            found.append(f"the announcement says {number} {choice} in all but {parts[0]} of one kind")
    plus, minus = counts.binding.get("+1"), counts.binding.get("-1", 0)
    if outcome == "passed" and plus is not None and plus <= minus:
        found.append(f"the announcement says passed with {plus} binding +1 against {minus} binding -1")
    return tuple(found)
