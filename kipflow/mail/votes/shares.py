"""One mail that votes on several proposals, each by its number: which vote each value belongs to."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

from kipflow.domain.facts import Message
from kipflow.domain.proposals import find_references
from kipflow.domain.votes import Expression, Standing
from kipflow.mail.content.text import plain
from kipflow.mail.quoting import OwnLine, Words
from kipflow.mail.votes.claims import find_claim
from kipflow.mail.votes.findings import find
from kipflow.mail.votes.reading import read_expressions
from kipflow.mail.votes.values import find_values, parse_value, spell_out

RULE = "by-number"
#: "+1 (binding) to both", "+1 for all of them": in a vote on several proposals, on each
_FOR_ALL = re.compile(
    r"^\W*(?P<vote>[+\-]\s?[01]\s*(?:[\[(]?\s*(?:non\W{0,2})?binding\s*[\])]?)?)\s*[,:]?\s*(?:for|to|on)\s+"
    r"(?:both|all(?: (?:two|three|four))?)(?:\s+(?:of (?:them|these|those)|(?:the )?\w{1,12}))?\W*$",
    re.IGNORECASE,
)
#: "+1 for FLIP-609" where KIPs are voted on
_OTHERS = re.compile(r"(?:[+-]\s?[01]|binding\W?)\s+(?:for|on|to)\s+(?P<key>(?P<prefix>[A-Z][A-Za-z]{1,9})-\d{1,5})\b")
#: a smaller number may count anything
_LARGE = 100
_MAX_LINES = 200
_MAX_LINE = 400
_DOUBTED = re.compile(r"\?|\b(?:not|no longer|was|were|would|could|might)\b", re.IGNORECASE)
#: what may join a value to its proposal: "KIP-7: +1", "KIP-7 -> -1", "For 1135 it is -1"
_JOINS = r"(?:[:=,]|->|→|[–—-](?=\s)|is|gets|,?\s*(?:it is|it['’]s|i am|i['’]m)(?: at)?)?"


@dataclass(frozen=True, slots=True)
class _Share:
    """What one line says about the proposals that it names next to a value."""

    numbers: frozenset[int]
    expression: Expression


@lru_cache(maxsize=16)
def _patterns(prefix: str) -> tuple[re.Pattern[str], re.Pattern[str]]:
    key = rf"(?<![A-Za-z0-9]){re.escape(prefix)}s?\W{{0,3}}\d{{1,5}}(?!\w|\.\d)"
    bare = r"[1-9]\d{0,4}(?!\w|\.\d)(?!\s+(?:for|on|to)\b)"
    more = rf"\s*(?:,|&|/|and|,\s*and)\s*(?:{key}|{bare})|\s*\+\s*{key}|\s+\+\s+\d{{2,5}}\b"  # not "KIP-7 +1"
    keys = rf"(?P<keys>{key}(?:{more}){{0,8}})"
    value = r"(?<![\w.+±−–-])(?P<value>0|[+\-±−–]\s?[01](?:\.\d{1,2})?)(?![\w.]\d|\d|\s?%)"
    claim = r"(?P<claim>\s*[\[(]?\s*(?:non\W{0,2})?binding\s*[\])]?)?"
    ahead = rf"{keys}\s*{_JOINS}\s*(?:an?\s+)?{value}{claim}"
    # "+1 (binding) for KIP-7 and KIP-9"
    behind = rf"{value}{claim}\s*(?:votes?\s+)?(?:for|on|to)\s+(?:the\s+|both\s+)?{keys}"
    return re.compile(behind, re.IGNORECASE), re.compile(ahead, re.IGNORECASE)


def read_share(message: Message, number: int | None, siblings: Collection[int], *, prefix: str) -> Message:
    """What of the mail concerns the vote on `number`.

    Args:
        message: a mail of the vote's thread, with what it casts.
        number: the vote's proposal; None for a vote without a number, which takes the mail as it is.
        siblings: all the proposals that the thread's opening mail puts to the vote.
        prefix: of proposal keys.

    If every value in the mail is clearly next to a proposal's number, this proposal's value is the mail's
    vote here. A mail that names only siblings says nothing here; one that names only proposals of other
    threads becomes a question.
    """
    if number is None or not message.expressions:
        return message
    cast = message.expressions[0]
    foreign = _OTHERS.search(cast.line)
    if foreign is not None and foreign["prefix"].upper() != prefix.upper():
        return _ask_about(message, foreign["key"])
    if len(siblings) > 1 and _FOR_ALL.match(cast.line):
        return _read_for_all(message, cast)
    text = _spell_out_keys(message.own_text, siblings, prefix)
    if prefix.lower() not in text.lower():
        return message
    shares = _find_shares(text, prefix)
    if shares is None:
        return message
    own = [s.expression for s in shares if number in s.numbers]
    if own:
        return _settle(message, own, shares, several=len(siblings) > 1)
    named = {n for share in shares for n in share.numbers}
    if named & set(siblings) and number not in find_references(text, prefix):
        return replace(message, expressions=())
    return _ask_about(message, ", ".join(f"{prefix}-{n}" for n in sorted(named)))


def _ask_about(message: Message, names: str) -> Message:
    return put_to_person(message, message.expressions, "names-another", f"names {names}: a vote on this?")


def put_to_person(message: Message, votes: Iterable[Expression], rule: str, why: str) -> Message:
    """The mail with these votes as questions, and no others."""
    return replace(message, expressions=tuple(e.as_question(rule, why) for e in votes))


def _spell_out_keys(text: str, siblings: Collection[int], prefix: str) -> str:
    """The text with the prefix before each number of a vote on several proposals: "For 1134: +1"."""
    bare = "|".join(str(number) for number in sorted(siblings) if number >= _LARGE)
    if len(siblings) < 2 or not bare:
        return text
    return re.sub(rf"(?<![\w.+-])(?:{bare})(?![\w%]|\.\d)", rf"{prefix}-\g<0>", text)


def _read_for_all(message: Message, cast: Expression) -> Message:
    """The mail read as if its "+1 to both" were a plain "+1": what else it says may still leave it unclear."""
    bare = _FOR_ALL.sub(r"\g<vote>", cast.line)
    own = [OwnLine(bare if line.strip() == cast.line else line) for line in message.own_text.split("\n")]
    found = read_expressions(Words(own=tuple(own)), author=message.author_name)
    return replace(message, expressions=tuple(replace(e, line=cast.line) for e in found) or message.expressions)


def _settle(message: Message, own: list[Expression], shares: list[_Share], *, several: bool) -> Message:
    """The mail with this proposal's own value, if the numbers decide more than the usual reading."""
    doubted = next((e for e in own if e.standing is Standing.UNCLEAR), None)
    if doubted is not None:
        return replace(message, expressions=(doubted,)) if several else message
    if len({e.choice for e in own}) > 1:
        return message
    cast = message.expressions[0]
    mixed = cast.choice is not own[0].choice
    hedged_elsewhere = several and any(s.expression.standing is Standing.UNCLEAR for s in shares)
    return replace(message, expressions=(own[0],)) if mixed or hedged_elsewhere else message


def _find_shares(text: str, prefix: str) -> list[_Share] | None:
    """The values in a mail with the proposals they name; None if any value names none, or in doubt."""
    shares: list[_Share] = []
    for raw in text.split("\n")[:_MAX_LINES]:
        line = spell_out(plain(raw))[:_MAX_LINE]
        read = [list(pattern.finditer(line)) for pattern in _patterns(prefix)]
        signed = find_values(line)
        zeros = (m for m in read[-1] if m["value"] == "0" and not line[m.end() :].strip(" .,;"))
        opening = (m for m in zeros if signed or not line[: m.start()].strip(" -*•"))  # not "Blockers for KIP-7: 0"
        values = {m.start("value") for m in (*signed, *opening)}
        if not values:
            continue
        found = next((m for m in read if values <= {x.start("value") for x in m}), None)
        if found is None:
            return None
        shares.extend(_read_line(line, found))
    # zeros alone may count anything: "KIP-7: 0", "KIP-9: 3"
    return shares if any(share.expression.value != "0" for share in shares) else None


def _read_line(line: str, found: Sequence[re.Match[str]]) -> Iterator[_Share]:
    """Each value of a line that was `found` next to numbers; unclear if it is hedged."""
    for index, match in enumerate(found):
        rest = line[match.end() : found[index + 1].start() if index + 1 < len(found) else len(line)]
        before = line[found[index - 1].end() if index else 0 : match.start()]
        choice, value = parse_value(match.group("value"))
        # the text after the key is read as if it followed the value directly
        said = read_expressions(Words(own=(OwnLine(f"{match['value']}{match['claim'] or ''}{rest}"),)))
        is_plain = [e.choice for e in said if e.standing is Standing.CLEAR] == [choice]
        why = "hedged: what is the vote on this one?" if not is_plain or _DOUBTED.search(before) else ""
        cast = find(
            RULE,
            Standing.UNCLEAR if why else Standing.CLEAR,
            why,
            choice=choice,
            value=value,
            claimed=find_claim("", match.group("claim") or ""),
            line=line.strip()[:300],
        )
        numbers = frozenset(int(number) for number in re.findall(r"\d{1,5}", match.group("keys")))
        yield _Share(numbers, cast.expression)
