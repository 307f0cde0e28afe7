"""Mails whose plain text and HTML say different things: which one the author means becomes a question.

Most programs send both and show one. The plain text is read; the HTML is checked only if it may hold another vote.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator

from kipflow.domain.votes import Expression, Standing, drop_leanings
from kipflow.mail import limits
from kipflow.mail.content.headers import split_mail
from kipflow.mail.content.leaves import Wanted
from kipflow.mail.content.mime import find_texts, want_all
from kipflow.mail.content.text import plain
from kipflow.mail.quoting import Words, find_own_words

Read = Callable[[Words], tuple[Expression, ...]]
_VALUE = re.compile(r"(?<![\w.+-])[+-]\s?[01](?![\w.])")
_LOOKED_AT = 4
_OF_MARKUP = (limits.MARKUP, limits.NODES, limits.NESTING)


def ask_about_alternatives(
    votes: tuple[Expression, ...], words: Words, alternatives: Iterable[bytes], read: Read, note: limits.Note
) -> tuple[Expression, ...]:
    """The votes of the text that was read, or a question if an alternative holds another vote: which one is meant?"""
    said, cast = _find_values(words), drop_leanings(votes)
    for text in read_alternatives(alternatives, note):
        if not cast and _VALUE.search(plain(text)) is None:
            continue
        shown = find_own_words(text)
        values = _find_values(shown) - said
        other = [e for e in read(shown) if e.choice is not None and e.value in values] if values else []
        if other and other[0].choice not in {e.choice for e in cast}:
            return (_ask(votes, other[0]),)
    return votes


def read_alternatives(alternatives: Iterable[bytes], note: limits.Note, is_wanted: Wanted = want_all) -> Iterator[str]:
    """The texts of the alternatives that are checked."""
    for part in list(alternatives)[:_LOOKED_AT]:
        headers, body = split_mail(part)
        if headers.text("content-type").lower().startswith(("text/html", "multipart/")):
            reached: list[limits.Limit | limits.Gap] = []
            text, _ = find_texts(headers, body, reached.append, is_wanted)
            for limit in filter(reached.__contains__, _OF_MARKUP):
                note(limit)
            yield text


def _find_values(words: Words) -> set[str]:
    return {"".join(v.split()) for line in words.own for v in _VALUE.findall(plain(line.text))}


def _ask(votes: tuple[Expression, ...], other: Expression) -> Expression:
    plain_votes = " and ".join(e.value for e in votes if e.value) or "no vote"
    return Expression(
        choice=None,
        value=other.value,
        claimed_binding=None,
        line=other.line,
        rule="two-votes",
        standing=Standing.UNCLEAR,
        why=f"its plain text says {plain_votes} and its HTML {other.value}: which is meant?",
    )
