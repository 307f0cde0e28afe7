"""Closing announcements: the outcome, counts and names that a mail declares, and mails that call a vote off.

A text that may end a vote but is not understood is declared as `unclear`: it ends nothing and becomes a question.
An announcement can hold a vote of its author only, not of the other people it lists.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import replace
from datetime import datetime
from itertools import dropwhile

from kipflow.domain.facts import MailKind, SubjectReading
from kipflow.domain.votes import Declared, Expression, Standing
from kipflow.mail.announcements.counts import CountReading
from kipflow.mail.announcements.entries import Entry
from kipflow.mail.announcements.headings import find_entries
from kipflow.mail.announcements.legends import write_out_stars
from kipflow.mail.announcements.mailfacts import Mail
from kipflow.mail.announcements.mails import result
from kipflow.mail.announcements.names import are_people, can_be_listed, find_names, is_same_person
from kipflow.mail.announcements.predicates import OVER
from kipflow.mail.announcements.sentences import MAX_LINES, split_sentences
from kipflow.mail.announcements.statements import can_call, may_be_of_vote, read_call, read_ends, read_outcomes
from kipflow.mail.announcements.tallies import parse_tally
from kipflow.mail.announcements.tallywords import BINDING, IN_ALL, NON_BINDING
from kipflow.mail.announcements.tokens import has_parts, has_word, lands
from kipflow.mail.announcements.verdicts import Says
from kipflow.mail.content.text import plain
from kipflow.mail.quoting import Words
from kipflow.mail.relevance import has_any
from kipflow.mail.votes.lexicon import fold, has
from kipflow.mail.votes.people import gives_others, lists_others
from kipflow.mail.votes.shapes import find_box
from kipflow.mail.votes.values import find_values, skip_bullet

_WHOSE = "stands in a mail that counts votes: its writer's own, or one of them?"
_LONGEST_LINE = 300
_SAYS = 4  # words of an entry in small letters that is no name
#: what a row of a list of voters holds besides a name
_ROW_WORDS = re.compile(r"[+-]\s?[01]|\b(?:non-?)?binding\b|\W", re.IGNORECASE)
#: an item of a list that counts: "- 1 non-binding vote (Kim)"
_COUNTED_ITEM = re.compile(r"\s*-\s+[01] (?:non-?)?binding votes?\b", re.IGNORECASE)
_SURE = {Standing.CLEAR, Standing.WITHDRAWAL}
#: "extending this", "keep the vote open"; not "I leave the PR open until the vote is done"
_EXTENDS = re.compile(
    r"\b(?:(?:extend|prolong)\w* (?:the|this) (?:vot\w+|period|deadline)|(?:extend|prolong)(?:ing)? (?:it|this)"
    r"|(?:keep|leav)\w* (?:(?:the|this) vot\w+|it|this) open\b(?! for the (?:full|usual|whole|entire) (?:time|72))"
    r"|giv\w+ (?:it|this|the vote) (?:another|some|a few))\b",
    re.IGNORECASE,
)
#: A reply under a vote's subject is read as an announcement only if it holds one of these.
_ENDING = (
    *("success", "failure", "close", "needed", "correct", "cancel", "result", "thanks", "reopens", "outdated"),
    *("retracts", "disregard", "extend", "runs_on", "keep", "other_language"),
)


def read_declared(
    words: Words, reading: SubjectReading, *, by: str, message_id: str, at: datetime | None, subject: str = ""
) -> Declared | None:
    """What a mail announces about the result of a vote; None if it announces nothing.

    A tagged announcement needs no wording; a plain reply must state an outcome of the vote, or close it and show
    counts. One that only seems to, or perhaps calls the vote off, is `unclear`. If the words show no outcome,
    that of the `subject` ("[VOTE PASSED] …") counts.
    """
    if not _can_announce(words, reading):
        return None
    written = [line.text for line in words.own[:MAX_LINES]]  # boxes are choices, not the votes cast
    lines, counted = (
        ["" if find_box(line) else line for line in map(plain, texts)] for texts in (written, write_out_stars(written))
    )
    mail = Mail(lines, reading, subject or reading.topic, counted)
    rule, evidence = result.find(mail)
    if rule.says is Says.NOTHING:
        return None
    denies = rule.says is Says.AGAINST
    kinds = mail.ends.keys() & {Says.VOIDED, Says.CORRECTED, Says.EXTENDED}
    reopened = rule.says is Says.ASK and (kinds == {Says.VOIDED} or (Says.EXTENDED in kinds and len(kinds) > 1))
    counts = CountReading() if denies or reopened else mail.counts  # "taken back: with 2 binding +1 it stays open"
    unclear = evidence[:_LONGEST_LINE] if denies or rule.says is Says.ASK else ""
    outcome = str(rule.says) if rule.says in {Says.FAILED, Says.PASSED} else None
    corrects = denies or bool(kinds - {Says.EXTENDED})
    if reading.is_reply and not (outcome or unclear or corrects or counts.stated or _lists_somebody(counts, by)):
        return None  # "-1 (binding), I found a bug": a vote below a result
    line = evidence if evidence in mail.sentences else "" if mail.sure is None else mail.sure.sentence
    return Declared(
        by=by,
        message_id=message_id,
        announced_at=at,
        outcome=outcome,
        binding=counts.binding or None,
        non_binding=counts.non_binding or None,
        total=counts.total or None,
        names=counts.names,
        line=(line or counts.line or mail.first_line)[:_LONGEST_LINE],
        contradictions=tuple(_find_contradictions(counts, outcome)),
        unclear=unclear,
        corrects=corrects,
        only_denies=denies,
    )


def _lists_somebody(counts: CountReading, author: str) -> bool:
    """Whether its list can be names: "jun", "Ola Berg"; not "I found a bug", nor only the author below a vote."""
    listed = (name for names in counts.names.values() for name in names if not is_same_person(name, author))
    return any(find_names(name) or len(name.split()) < _SAYS for name in listed)


def _can_announce(words: Words, reading: SubjectReading) -> bool:
    """Whether a closer look is worth it: a tag, or words about votes and about an end."""
    if reading.kind in {MailKind.RESULT, MailKind.CANCEL}:
        return reading.kind is MailKind.RESULT
    text = _even_out(words)
    if reading.kind is MailKind.VOTE:
        return has_word(text, *_ENDING) or lands(text) or has_any("票표", text)
    return has_word(text, "vote") and has_word(text, "success", "failure", "close")


def may_announce(folded: str) -> bool:
    """The same for a reply whose subject has no vote's tag, by lines that include its own words.

    Never a false negative: other lines may be mixed in, so a phrase may be split. `folded`: see `fold_case`.
    """
    return all(has_parts(folded, set(folded.split()), *kinds) for kinds in (("vote",), ("success", "failure", "close")))


def _even_out(words: Words) -> str:
    """A mail's own words on one line, for cheap tests."""
    return " ".join(" ".join([line.text for line in words.own[:MAX_LINES]]).split())


def find_cancel(words: Words, reading: SubjectReading) -> str | None:
    """The line that calls the vote off; None if the mail does not. Whether its writer may is decided elsewhere."""
    tagged, text = reading.kind is MailKind.CANCEL, _even_out(words)
    if not (tagged or (can_call(text) and (reading.kind is MailKind.VOTE or has_word(text, "vote")))):
        return None
    lines = [plain(line.text) for line in words.own[:MAX_LINES]]
    mail = Mail(lines, reading, reading.topic)
    found = next((s for s in mail.sentences if mail.calls_off(s) in {Says.WITHDRAWN, Says.REQUESTED}), None)
    if found is None and tagged and not reading.is_reply:
        found = next((line.strip() for line in lines if line.strip()), reading.topic)
    return found[:_LONGEST_LINE] if found is not None else None


def is_request(line: str) -> bool:
    """Whether a line that calls a vote off ("please ignore this vote") does so only if its caller wrote it."""
    said = {read_call(sentence) for sentence in split_sentences([line])}
    return Says.REQUESTED in said and Says.WITHDRAWN not in said


def is_thought(line: str) -> bool:
    """Whether a line ("we should cancel this vote") may mean the vote's end, if its caller wrote it."""
    return {read_call(sentence) for sentence in split_sentences([line])} == {Says.CONSIDERED}


def extends(line: str) -> bool:
    """Whether a line lets the vote run on for longer, and is no reminder that it is still open."""
    return _EXTENDS.search(line) is not None and any(Says.EXTENDED in read_ends(s) for s in split_sentences([line]))


def may_deny(later: Declared, known: Declared) -> bool:
    """Whether an announcement that is not understood may contradict an earlier one."""
    sentences = split_sentences([later.unclear])
    outcomes = {said.outcome for sentence in sentences for said in read_outcomes(sentence)}
    runs_on = any(Says.EXTENDED in read_ends(sentence) for sentence in sentences)
    # "So that one is in": repeats a passed result, contradicts a failed one
    known_ones = {"", known.outcome, OVER if known.outcome == "passed" else ""}
    may_end = is_thought(later.unclear) and not any(map(may_be_of_vote, sentences))
    return runs_on or may_end or not outcomes <= known_ones


def _find_contradictions(counts: CountReading, outcome: str | None) -> Iterable[str]:
    for group in (BINDING, NON_BINDING, IN_ALL):
        for choice, number in counts.of(group).items():
            listed = counts.listed.get((group, choice))
            if listed is not None and listed != number:
                yield f"the announcement says {number} {group} {choice} but names {listed}"
    totals = {choice: number for choice, number in counts.total.items() if (IN_ALL, choice) in counts.stated}
    for choice, number in totals.items():
        says = f"the announcement says {number} {choice} in all but"
        parts = [counts.of(g)[choice] for g in (BINDING, NON_BINDING) if (g, choice) in counts.stated]
        if len(parts) == 2 and sum(parts) != number:
            yield f"{says} {parts[0]} binding and {parts[1]} non-binding"
        elif len(parts) == 1 and parts[0] > number:
            yield f"{says} {parts[0]} of one kind"
    plus, minus = counts.binding.get("+1"), counts.binding.get("-1", 0)
    if outcome == "passed" and plus is not None and plus <= minus:
        yield f"the announcement says passed with {plus} binding +1 against {minus} binding -1"


def weigh_in_result(votes: Iterable[Expression], author: str) -> Iterator[Expression]:
    """The sure votes of the mail, and as hints those that may be its author's."""
    for vote in votes:
        if vote.standing in _SURE or not lists_others(vote.line, ""):
            yield vote
        elif not lists_others(vote.line, author):
            yield replace(vote, standing=Standing.HINT)


def ask_beside_result(votes: Iterable[Expression], words: Words, author: str) -> Iterator[Expression]:
    """As hints, votes that would count without the result in their mail: questions if the author has no other vote."""
    votes = [vote for vote in votes if not vote.standing.is_tentative]
    found = find_entries([plain(own.text) for own in words.own]) if votes else ()
    listed = (_find_others(entry, author) for _, entry in found if entry.number is None)
    rows = {others[0] for others in listed if len(others) == 1 and " " in others[0] and are_people(others[0])}
    for vote in votes:
        valued = [x for x in split_sentences([vote.line]) if find_values(x)]
        is_listed = len(rows) > 1 and any(_is_row(vote.line, name) for name in rows)
        counts = (
            is_listed or _COUNTED_ITEM.match(vote.line) is not None or all(_counts_others(x, author) for x in valued)
        )
        of_others = counts or lists_others(vote.line, "") or gives_others(vote.line, author)
        if not (of_others or _heads_names(vote.line, words, author)):
            yield replace(vote.as_question("beside-a-result", _WHOSE), standing=Standing.HINT)


def ask_of_counts(votes: Iterable[Expression], author: str) -> Iterator[Expression]:
    """The votes of a mail that announces nothing outright, as questions if they are of its counts: "binding: +1: 4"."""
    for vote in votes:
        opens = bool(find_values(vote.line[skip_bullet(vote.line) :][:3]))
        said = [x for x in split_sentences([vote.line]) if find_values(x)] or [vote.line]
        asks = vote.standing is Standing.CLEAR and not opens and all(_counts_others(x, author) for x in said)
        yield vote.as_question("beside-a-result", _WHOSE) if asks else vote


def _counts_others(sentence: str, author: str) -> bool:
    """Whether a sentence counts votes, or names several voters beside the author."""
    if has("first_person", fold(sentence)):
        return False
    return any(x.number is not None or len(_find_others(x, author)) > 1 for x in parse_tally(sentence))


def _is_row(line: str, name: str) -> bool:
    """Whether a line holds a name and a vote, and nothing else."""
    return name in line and not _ROW_WORDS.sub("", line.replace(name, "", 1))


def _find_others(entry: Entry, author: str) -> list[str]:
    return [name for name, _ in entry.names if name != "myself" and not is_same_person(name, author)]


def _heads_names(line: str, words: Words, author: str) -> bool:
    """Whether others' names follow below a line: "+1 (binding)" and then "- Jun Okafor"."""
    texts = dropwhile(lambda text: text != line, (own.text.strip() for own in words.own))
    below = next((text.strip("-*• ") for text in list(texts)[1:] if text), "")
    return can_be_listed(below) and not is_same_person(below, author)
