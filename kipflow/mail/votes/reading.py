"""One mail's own words → at most one expression: structure first, then each sentence by the rules, then a verdict.

own lines → boxes, legends and lists (`structure`) → sentences → values with their words (`mentions`) → the table
(`rules`), changes and words without a value (`changes`, `wording`) → one verdict for the mail.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from kipflow.domain.votes import Choice, Expression, Standing
from kipflow.mail.content.text import plain
from kipflow.mail.quoting import OwnLine, Words
from kipflow.mail.votes.about import read_title
from kipflow.mail.votes.boxes import read_quoted_boxes
from kipflow.mail.votes.changes import is_origin, read_change
from kipflow.mail.votes.claims import find_claim
from kipflow.mail.votes.conditions import has_condition
from kipflow.mail.votes.doubts import OWN_VOTE, STANCE, drop_denied, find_doubt_rule, says_it_stands
from kipflow.mail.votes.findings import Finding, Role, find, resolve, weigh_with_the_rest
from kipflow.mail.votes.generally import is_of_any
from kipflow.mail.votes.judging import judge, turns_against
from kipflow.mail.votes.leftovers import SHORT, ask_about_the_rest, read_own_entry
from kipflow.mail.votes.lexicon import begins, drop, ends, fold, has, speaks_of_votes
from kipflow.mail.votes.mentions import Mention
from kipflow.mail.votes.people import ANOTHERS
from kipflow.mail.votes.relayed import part_relayed
from kipflow.mail.votes.sentences import Sentence, spell_out_lines, split_sentences
from kipflow.mail.votes.shapes import CHECKED, ON_PARTS, Shapes, find_box
from kipflow.mail.votes.structure import classify_lines
from kipflow.mail.votes.technical import counts_something, is_code
from kipflow.mail.votes.values import find_values, parse_value, spell_out
from kipflow.mail.votes.verdicts import Verdict
from kipflow.mail.votes.wording import read_words

MAX_LINE_SHOWN = 300
MAX_VALUES = 12  # most values read in one sentence: more are no vote and only cost time
_VALUES = re.compile(r"[+\-\u2212]\s?[01]")
_REASON = re.compile(r"\b(?:because|since)\b")
_FIGURES = "01+\u2212\uff11\uff10"


@dataclass(frozen=True, slots=True, kw_only=True)
class Reason:
    """Why a line with a value, or with words about a vote, was read as it was."""

    line: str
    rule: str
    why: str


def read_expressions(
    words: Words, *, author: str = "", is_result: bool = False, topic: str = ""
) -> tuple[Expression, ...]:
    """The vote that these words cast, withdraw or leave unclear: one expression, or none.

    `is_result` says that the mail announces a result: then only words in the first person count. `topic` is the
    vote's title.
    """
    return explain(words, author=author, is_result=is_result, topic=topic)[0]


def explain(
    words: Words, *, author: str = "", is_result: bool = False, topic: str = ""
) -> tuple[tuple[Expression, ...], tuple[Reason, ...]]:
    """The same, and the named reason for every line that could have been a vote and is none."""
    if not may_vote(words):
        return (), ()
    values = {"".join(value.split()) for line in words.own for value in _VALUES.findall(line.text)}
    title = read_title(topic) if len(values) == 1 else frozenset()  # of several values each may be on a part
    mail = _Mail(author, is_result, title, [])
    found = list(mail.read(words.own))
    if words.doubtful and all(f.expression.standing.is_tentative for f in found):
        below = mail.read([OwnLine(text) for text in words.doubtful])
        why = "stands where a quote or a signature may stand: whose words?"
        found = [
            Finding(f.expression.as_question("below-unmarked-quote", why))
            for f in below
            if f.expression.choice is not None and not f.expression.standing.is_tentative
        ] or found
    text = "\n".join(spell_out(line.text) for line in words.own)
    left = drop_denied(found, text.replace("\n", " "))
    if left is None:
        return (), tuple(mail.reasons)
    vote = resolve(left)
    if vote is not None and vote.standing is not Standing.DOUBT:
        beside = [line.text for line in words.own if find_box(plain(line.text)) is None]
        relayed, rest_of_mail = part_relayed(vote, "\n".join(beside))
        vote = weigh_with_the_rest(vote, left, rest_of_mail, author)
        if relayed is not None:  # "+1. Kim asked me to pass on her +1 as well."
            return (vote, relayed), tuple(mail.reasons)
    else:
        rest = (read_own_entry if is_result else ask_about_the_rest)(words.own, author)
        leans = not is_result and all(f.role is Role.LEANS for f in left)
        if leans and (rest is None or rest.standing is Standing.LEANING or _only_claims(rest)):
            rest = read_quoted_boxes(words.quoted_boxes, author, rest)
        if vote is None or rest is None or rest.standing is Standing.LEANING:
            vote = vote or rest
        else:
            vote = resolve([*left, Finding(rest)])  # a doubt is a question only for a voter with a vote
    return () if vote is None else (vote,), tuple(mail.reasons)


def _only_claims(said: Expression) -> bool:
    return said.standing.is_tentative and not said.value and said.claimed_binding is not None


def may_vote(words: Words) -> bool:
    """Whether a closer look could find a vote in these words; False is certain."""
    text = "\n".join([*(line.text for line in words.own), *words.doubtful])
    folded = fold(text)
    return (
        len(text.strip()) <= SHORT
        or bool(words.quoted_boxes)
        or any(c in text for c in _FIGURES)
        or "plus" in folded
        or "minus" in folded
        or speaks_of_votes(folded)
    )


@dataclass(frozen=True, slots=True)
class _Mail:
    """The mail that is read, and the reasons why its lines are no votes."""

    author: str
    is_result: bool
    title: frozenset[str]
    reasons: list[Reason]

    def read(self, written: Sequence[OwnLine]) -> Iterator[Finding]:
        """The findings in the lines, each with its line as a person sees it."""
        lines = spell_out_lines(written)
        apart = {i for i, x in enumerate(lines) if x.answers and (not i or lines[i - 1].answers != x.answers)}
        shapes = classify_lines([line.text for line in lines], self.author, apart)
        if not self.is_result:
            yield from self._read_shapes(shapes, written)
        free = [line if index not in shapes else OwnLine("") for index, line in enumerate(lines)]
        shown = {line.text: x.text.strip()[:MAX_LINE_SHOWN] for line, x in zip(lines, written, strict=True)}
        for sentence in split_sentences(free):
            for found in self._read_sentence(sentence):
                yield replace(found, expression=replace(found.expression, line=shown[sentence.line.text]))

    def _read_shapes(self, shapes: Shapes, lines: Sequence[OwnLine]) -> Iterator[Finding]:
        for index, (shape, value) in shapes.items():
            line = lines[index].text.strip()[:MAX_LINE_SHOWN]
            if shape.verdict is Verdict.IGNORE:
                self.reasons.append(Reason(line=line, rule=shape.name, why=shape.why))
                continue
            (choice, written), rule, why = parse_value(value), shape.name, shape.why
            said = _REASON.split(line)[0] if choice is Choice.AGAINST else line
            if shape is CHECKED and has_condition(said):
                rule, why = "conditional", "a condition stands with the vote: is it met?"
            yield find(
                rule,
                Standing.UNCLEAR if why else Standing.CLEAR,
                why,
                choice=None if shape is ON_PARTS else choice,
                value=written,
                claimed=find_claim("", line),
                role=Role.PLAIN if why else Role.WHOLE,
                line=line,
            )

    def _read_sentence(self, sentence: Sentence) -> Iterator[Finding]:
        text = sentence.text
        mentions = find_mentions(sentence, author=self.author, is_result=self.is_result, title=self.title)
        if not (mentions or speaks_of_votes(fold(text))):
            return
        if not self.is_result:
            numbers = is_code(sentence.line.text)
            changed = read_change(
                text, [m for m in mentions if not (numbers or counts_something(m.tail) or is_of_any(m))]
            )
            if changed is not None:
                yield changed
                others = [m for m in mentions if m.value != changed.expression.value]
                yield from self._read_vote_instead(others) if changed.role is Role.TAKES_BACK else ()
                return
        judged = list(self._judge(mentions))
        yield from _settle(judged)
        if not judged and not self.is_result:
            yield from _read_without_value(text, sentence.line.answers, has_value=bool(mentions))

    def _read_vote_instead(self, mentions: Sequence[Mention]) -> Iterator[Finding]:
        """The vote after one that is taken back: "I withdraw the -1; here's my +1 instead"."""
        for _, said in self._judge(mentions):
            is_clear = said.expression.standing is Standing.CLEAR
            yield replace(said, role=Role.CHANGE) if is_clear else said

    def _judge(self, mentions: Sequence[Mention]) -> Iterator[tuple[Mention, Finding]]:
        for m in mentions:
            rule, verdict = judge(m)
            if verdict is Verdict.IGNORE or (self.is_result and verdict is Verdict.ASK and not m.is_mine):
                line = m.sentence.text.strip()[:MAX_LINE_SHOWN]
                self.reasons.append(Reason(line=line, rule=rule.name, why=rule.why))
                if rule.denies and ANOTHERS.search(m.sentence.text) is None:
                    yield m, find(rule.name, Standing.DOUBT, f"{rule.why}: has it changed?")
                continue
            asks = verdict is Verdict.ASK
            standing = Standing.UNCLEAR if asks else Standing.CLEAR
            role = Role.RIVAL if rule.rivals and (m.is_claimed or m.label) else Role.PLAIN
            if not asks and ends("sums_up", fold(m.lead)):
                role = Role.WHOLE
            choice = None if asks and turns_against(m, rule) else m.choice
            if asks and m.choice is Choice.AGAINST and has("we_are", m.clause):
                role = Role.OBJECTS
            said = find(rule.name, standing, rule.why, choice=choice, value=m.value, claimed=m.claimed, role=role)
            yield m, said


def find_mentions(
    sentence: Sentence, *, author: str, is_result: bool, title: frozenset[str] = frozenset()
) -> list[Mention]:
    """The written values of a sentence, left to right."""
    found = find_values(sentence.text)[:MAX_VALUES]
    return [Mention(sentence, m["value"], *m.span("value"), author, is_result, title) for m in found]


def _read_without_value(text: str, answers: str, *, has_value: bool) -> Iterator[Finding]:
    """The votes and doubts in a sentence's words; beside a value that is no vote, the words cast no vote either."""
    said = None if has_value else read_words(text, answers=answers)
    if says_it_stands(text):
        return
    doubt = find_doubt_rule(text)
    folded = fold(text)
    if doubt is None and said is None and not has_value:
        doubt = next((rule for rule in (STANCE, OWN_VOTE) if rule.when(drop("no_retraction", folded))), None)
    if said is not None:
        if doubt is None or said.expression.standing is Standing.CLEAR or said.expression.choice is None:
            yield said
        elif said.role is Role.OBJECTS and doubt.role is not Role.TAKES_BACK:
            yield replace(said, expression=replace(said.expression, standing=Standing.HINT))
    if doubt is not None:  # "why I am in favour": from somebody with that vote it is nothing new
        agrees = doubt is STANCE and has("approval", folded) and not has("negation", drop("not_negation", folded))
        yield find(doubt.name, Standing.DOUBT, doubt.why, choice=Choice.FOR if agrees else None, role=doubt.role)


def _settle(judged: Sequence[tuple[Mention, Finding]]) -> list[Finding]:
    """The votes of one sentence: a summary outweighs the parts, an origin ("from -1") is none."""
    clear = [(m, f) for m, f in judged if f.expression.standing is Standing.CLEAR]
    if not clear:
        return [f for _, f in judged]
    summing = [f for _, f in clear if f.role is Role.WHOLE]
    if len(as_it_is := [f for m, f in clear if begins("as_it_is", fold(m.rest))]) == 1:
        return as_it_is  # "-1 as written, +1 to the version without it"
    rivals = [f for _, f in judged if f.role is Role.RIVAL]
    return summing[-1:] or [*([f for m, f in clear if not is_origin(m)] or [f for _, f in clear]), *rivals]
