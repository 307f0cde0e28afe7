"""Subjects taken apart: reply marks, tags, proposal numbers, rounds, and the topic that is left."""

from __future__ import annotations

import re
from dataclasses import replace
from functools import cache, lru_cache

from kipflow.domain.facts import MailKind, SubjectReading
from kipflow.domain.policy import OwnTags
from kipflow.domain.proposals import NUMBER_ENDS, find_references, is_disguised
from kipflow.mail import limits
from kipflow.mail.announcements.tokens import WIDE, join_words
from kipflow.mail.endmarks import EndMark, find_end_mark
from kipflow.mail.relevance import fold_case, has_any
from kipflow.mail.roundmarks import strip_round
from kipflow.mail.trackers import is_from_program, parse_mirrored

MAX_SUBJECT = limits.SUBJECT.size

_REPLY = re.compile(
    rf"^\s*(?:{join_words('reply')})\s?(?:\[\d{{1,3}}\]|\(\d{{1,3}}\)|\^\d{{1,3}})?\s?[:：]\s*", re.IGNORECASE
)
_FORWARD = re.compile(rf"^\s*(?:{join_words('forward')})\s?(?:\[\d{{1,3}}\])?\s?[:：]\s*", re.IGNORECASE)
_TAG = re.compile(r"^\s*[\[【{<(]\s*([^\[\]【】{}<>()]{1,80}?)\s*[\]】}>)]\s*[:：\-–—]?\s*")
_BARE_TAG = re.compile(
    r"^\s*((?:call\s+for\s+)?(?:vote|voting|results?|discuss(?:ion)?|cancel(?:l?ed)?)"
    r"(?:\s+(?:results?|thread|passed|failed|closed|cancell?ed|round\s+\d{1,2}))?)\s*[:：\-–—]\s*",
    re.IGNORECASE,
)
# "VOTE KIP-12 …" without any mark: only in capitals, or the word order of an announcement
_BARE_CAPITALS = re.compile(r"^\s*(VOTE|RESULTS?|DISCUSS|CANCELL?ED)\s+(?=\S)")
_WAS = re.compile(r"[\[(]?\s*\bwas\s?:.*$|[\[(]\s*was\b.*$", re.IGNORECASE)

_FORMER = re.compile(r"\bwas\s?:\s*(.{3,300}?)\s*[\])]?\s*$", re.IGNORECASE)
# "Gone fishing: Re: [VOTE] …": a reply, whatever comes first
_REPLY_WITHIN = re.compile(r"(?:^|[\s:])(?:re|aw|sv|antw)\s?:\s*\[", re.IGNORECASE)
_SPACES = re.compile(r"\s+")
# a reminder, or a longer period, continues its thread
_CONTINUES = re.compile(rf"\b(?:{join_words('continues')})")


@lru_cache(maxsize=8192)
def parse_subject(subject: str, prefix: str, ended: bool | None = None, own: OwnTags = ()) -> SubjectReading:
    """Parse a subject; `ended`: whether the end that it may show is real, if the mail's text shows that.

    `own` are the community's own words of tags.

    `numbers` are the proposals that the mail is about: those named first, not ones that a title merely
    mentions ("KIP-2: Extend KIP-1") and not those of a former subject ("was: …"). A tracker's own
    notifications are about nobody's proposal.
    """
    text = _even_out_keys(" ".join(subject[:MAX_SUBJECT].split()), prefix)
    if is_from_program(text):
        return SubjectReading(
            kind=MailKind.OTHER, is_reply=False, is_forward=False, numbers=(), round=None, topic=text.lower()
        )
    mirrored = parse_mirrored(text)
    if mirrored is not None:
        text = ("" if mirrored.opens else "Re: ") + mirrored.subject
    current = _WAS.sub("", text).strip()
    current = current if current.strip("[]() ") else text
    tags, rest, is_reply, is_forward = _strip_marks(current)
    numbers = _find_subjects(rest, prefix) or _find_subjects(" ".join(tags), prefix)
    is_reply = is_reply or _REPLY_WITHIN.search(rest) is not None
    mark = find_end_mark(rest, make_key_pattern(prefix))
    if mark is not None and ended is not None:
        mark = replace(mark, sure=ended)
    kind = _find_kind(tags, rest, numbers, mark, own)
    former = _FORMER.search(text) if kind in {MailKind.RESULT, MailKind.CANCEL} and not numbers else None
    if former is not None:
        # "[RESULT] Quotas accepted (was: [VOTE] KIP-7: Quotas)" is about what it was
        rest = _strip_marks(former[1])[1]
        numbers = _find_subjects(rest, prefix) or _find_subjects(former[1], prefix)
    elif mark is not None and kind is mark.kind:
        rest = mark.title
    rest, round_number = strip_round(rest, tags, prefix)
    return SubjectReading(
        kind=kind,
        is_reply=is_reply or any(_CONTINUES.search(t) for t in tags),
        is_forward=is_forward,
        numbers=numbers,
        round=round_number,
        topic=_make_topic(rest),
    )


def _even_out_keys(text: str, prefix: str) -> str:
    """A subject with the usual hyphen in its keys instead of another mark ("KIP_7", "KIP\uff0d7")."""
    if fold_case(prefix) not in fold_case(text):
        return text
    marks = "_\u2010-\u2015\u2212\ufe63\uff0d"
    return re.sub(rf"(?<![A-Za-z0-9])({re.escape(prefix)})[{marks}](?=\d)", r"\1-", text, flags=re.IGNORECASE)


@cache
def make_key_pattern(prefix: str) -> re.Pattern[str]:
    """A pattern of the keys with this prefix, one or several joined."""
    one = rf"(?<![A-Za-z0-9]){re.escape(prefix)}s?\W{{0,3}}\d{{1,5}}"
    return re.compile(rf"{one}(?:\s*[/&,+]\s*\d{{1,5}})*\b", re.IGNORECASE)


def _strip_marks(text: str) -> tuple[list[str], str, bool, bool]:
    """Reply marks and tags off the front, in any order; tags in lower case."""
    tags: list[str] = []
    is_reply = is_forward = False
    while True:  # each mark is taken off a subject of bounded length
        reply, forward = _REPLY.match(text), _FORWARD.match(text)
        tag = _TAG.match(text) or _BARE_TAG.match(text) or _BARE_CAPITALS.match(text)
        if reply is not None:
            is_reply, text = True, text[reply.end() :]
        elif forward is not None:
            # only the outermost mark makes a forward: "Re: Fwd: …" answers one
            is_forward, text = is_forward or not is_reply, text[forward.end() :]
        elif tag is not None:
            tags.append(tag.group(1).lower())
            text = text[tag.end() :]
        else:
            break
    return tags, text.strip(), is_reply, is_forward


def drop_answer_marks(subject: str) -> str:
    """A subject without what answers and forwards put in front of it: "Re: Fwd: [x] Names" as "[x] Names"."""
    while (mark := _REPLY.match(subject) or _FORWARD.match(subject)) is not None:
        subject = subject[mark.end() :]
    return subject


_REPEATED = re.compile(
    rf"{_REPLY.pattern.removeprefix('^')}|{_FORWARD.pattern.removeprefix('^')}|{_TAG.pattern.removeprefix('^')}",
    re.IGNORECASE,
)


def drop_repeated_marks(subject: str) -> str:
    """A subject with each mark in front of it once: "Re: Re: [x] Re: [x] Names" as "Re: [x] Names"."""
    marks: dict[str, str] = {}
    position = 0
    while (mark := _REPEATED.match(subject, position)) is not None:
        marks.setdefault(mark.group().strip().lower(), mark.group())
        position = mark.end()
    return "".join(marks.values()) + subject[position:]


@cache
def _begins(own: OwnTags, *kinds: str) -> re.Pattern[str]:
    """A pattern for tags with words that begin so; in scripts without blanks a word may follow another directly."""
    words = "|".join([join_words(*kinds), *(re.escape(word) for kind, word in own if kind in kinds)])
    return re.compile(rf"(?:\b|(?<=[{WIDE}]))(?:{words})")


#: The kind of a mail by the words of its tag; the first that applies.
_KINDS = (
    (MailKind.CANCEL, ("tag_off",)),
    (MailKind.RESULT, ("tag_result", "tag_ended")),
    (MailKind.DISCUSS, ("tag_discuss",)),
    (MailKind.VOTE, ("tag_vote",)),
)
# "[VOTE] [RFC-12] …" and "[VOTE][PROPOSAL] …" are votes
_PROPOSED = re.compile(r"\bproposal\b|\brfc\b")
_TAIL_TAG = re.compile(r"[\[(]\s*(vote|discuss)\s*[\])]", re.IGNORECASE)
# "Vote on KIP-7: names", "KIP-7 names - vote"
_UNTAGGED_VOTE = re.compile(
    r"^(?:call\s+(?:for\s+)?|please\s+)?vot(?:e|ing)\s+(?:on|for)\b|[-–—:,]\s*(?:call for )?vote\W*$", re.IGNORECASE
)


def _find_kind(tags: list[str], rest: str, numbers: tuple[int, ...], mark: EndMark | None, own: OwnTags) -> MailKind:
    joined = " | ".join(tags + [t.lower() for t in _TAIL_TAG.findall(rest)])
    proposed = MailKind.DISCUSS if _PROPOSED.search(joined) else MailKind.OTHER
    tagged = next((kind for kind, words in _KINDS if _begins(own, *words).search(joined)), proposed)
    if tagged is MailKind.RESULT and not numbers and not _begins(own, "tag_vote", "tag_result").search(joined):
        tagged = MailKind.OTHER  # "[Closed]" alone is some tracker's word
    if tagged not in {MailKind.OTHER, MailKind.VOTE}:
        return tagged
    of_vote = tagged is MailKind.VOTE or "vot" in fold_case(rest) or bool(numbers and not rest.endswith(("?", "？")))
    if mark is not None and mark.sure and of_vote:
        return mark.kind
    return MailKind.VOTE if tagged is MailKind.OTHER and numbers and _UNTAGGED_VOTE.search(rest) else tagged


_JOINER = re.compile(r"^\s*(?:,|&|\+|/|and|und|et)\s*(?:and\s+)?$", re.IGNORECASE)
# "KIP-1: Names and KIP-2: Aliases": a title each
_TITLE_JOINER = re.compile(r"^\s?:.*(?:[,;&+/]|\band|\bund|\bet)\s*$", re.IGNORECASE)


#: "12 and 13", "12/13": bare numbers joined to one after the prefix, up to a colon or the end
_JOINED_NUMBER = re.compile(
    r"\s*(?:,|&|\+|/|\band\b|\bund\b|\bet\b)\s*(?:and\s+)?0{0,4}([1-9][0-9]{0,4})(?![\w.])"
    r"(?=\s*(?:$|[:;,&+/\])–—-]|and\b|und\b|et\b))",
    re.IGNORECASE,
)


def _find_subjects(text: str, prefix: str) -> tuple[int, ...]:
    """The first number named, and those joined to it ("KIP-1 and KIP-2", "KIP-1/2", "KIPs 1 and 2")."""
    text = re.sub(
        rf"(?<![A-Za-z0-9])({re.escape(prefix)})s(?=\s{{0,2}}[-:#]?\s{{0,2}}\d)", r"\1", text, flags=re.IGNORECASE
    )
    if not find_references(text, prefix) or is_disguised(text, prefix):
        return ()
    pattern = re.compile(
        rf"{re.escape(prefix)}[^\w\ufffd]{{0,5}}0{{0,4}}([1-9][0-9]{{0,4}}){NUMBER_ENDS}", re.IGNORECASE
    )
    kept: list[int] = []
    end = 0
    for found in pattern.finditer(text):
        between, is_titled = text[end : found.start()], text[found.end() :].lstrip().startswith(":")
        if kept and not _JOINER.match(between) and not (is_titled and _TITLE_JOINER.match(between)):
            break
        kept.append(int(found.group(1)))
        end = found.end()
        while (joined := _JOINED_NUMBER.match(text, end)) is not None:
            kept.append(int(joined.group(1)))
            end = joined.end()
    return tuple(dict.fromkeys(kept))


_RESULT_WORDS = re.compile(
    r"^(?:the\s+)?(?:results?|outcome)\s+(?:of|for|from)\s+(?:the\s+)?(?:vote\s*(?:on|for|to|:)?\s*)?|"
    r"\s*[-:,]?\s*\bvote\s+"
    r"(?:results?|outcome|passed|failed|closed)\b\s*|^(?:call\s+for\s+)?vot(?:e|ing)\s+(?:on|for)\s+",
    re.IGNORECASE,
)
_BRACKETS = re.compile(r"[\[\](){}<>]")


def _make_topic(rest: str) -> str:
    rest = _TAIL_TAG.sub(" ", rest)
    if has_any(("vot", "result", "outcome"), fold_case(rest)):
        rest = _RESULT_WORDS.sub(" ", rest)
    rest = _BRACKETS.sub(" ", rest)
    return _SPACES.sub(" ", rest).strip(" \t-–—:,.;!?()[]\"'").lower()
