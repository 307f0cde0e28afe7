"""Lines that introduce a quote ("On Tue, 3 Mar 2026, Mara Lind wrote:") in many languages."""

from __future__ import annotations

import re
from itertools import zip_longest

from kipflow.mail.quotes.headblocks import HAS_DATE, has_time, is_dated_sender, is_sender, is_sender_and_time

_WROTE = (
    r"wrote|writes|quoth|schrieb(?:en)?|geschrieben|a\s+écrit|a\s+ecrit|écrivait|escribió|escribio|escreveu|ha\s+scritto|scrisse|"
    r"schreef|skrev|kirjoitti|napisał(?:\(a\)|a)?|pisze|napsal(?:\(a\)|a)?|írta|yazdı|wrote\s+on|написал(?:\(а\)|а)?|"
    r"пишет|写道|寫道|写到|書きました|のメール|さんは書きました|さんのメッセージ|님이\s*작성|작성|đã\s+viết|menulis|said|commented"
)
#: No program writes longer ones.
MAX_ATTRIBUTION = 600
_LONGEST_LEAD_IN = 120
OPENING = (
    r"on|am|le|el|il|em|op|den|dne|den|på|dnia|w\s+dniu|at|in|from|em|kl|vào|pada|"
    r"mon|tue|wed|thu|fri|sat|sun|mo|di|mi|do|fr|sa|so|lun|mar|mer|jeu|ven|sam|dim"
)
OPENS = re.compile(rf"\s*(?:{OPENING})\b", re.IGNORECASE)
_END = re.compile(rf"(?:\b(?:{_WROTE})|写道|寫道|书きました|書きました|작성)[^\n]{{0,120}}[:：]?\s*$", re.IGNORECASE)
# the longest match of the patterns above, with room for the blanks within its words
_LONGEST_END = 200
_ATTRIBUTION_START = re.compile(
    rf"^\s{{0,3}}(?:{OPENING})\b|^\s{{0,3}}\d{{2,4}}[-/.年]|^.{{0,120}}\b(?:{_WROTE})\b|^.{{0,60}}(?:於|于|在)\s?\d{{4}}",
    re.IGNORECASE,
)

#: A vote at the start of a line (a phone number is none): no signature or attribution holds one.
VOTE_LINE = re.compile(r"^\s*\*{0,2}[+-]\s?[01]\b(?![\s.(-]{0,4}\d)")
#: A vote anywhere in a line; a zone ("UTC +1", "+0100") is none.
VOTE_IN_LINE = re.compile(r"(?:^|(?<!UTC)(?<!GMT)(?<!utc)(?<!gmt)[\s*(])[+\u2212-]\s?[01](?![\d:]|[.,]\d)(?:\W|$)")
_DIGIT = re.compile(r"\d")
_DATE_OPENS = re.compile(r"\s*(?:[在於于]|\d{2,4}[-/.年]\s?\d)")


# whose words these are: "Jun wrote on March 3:", "In reply to Jun's mail:", "Quoting Jun:", "=== Jun, 2026-03-03 ==="
_LEAD_IN = re.compile(
    r"^\s*(?:(?:replying|responding|answering|in (?:reply|response|answer)) to|quoting|citing)\b.{1,60}[:：]\s*$"
    r"|^\s*(?!(?:as\s+)?(?:i|we)\b)[^\W\d_][\w.'’-]{1,30}(?:\s+[^\W\d_][\w.'’-]{0,30}){0,3}\s+"
    rf"(?:{_WROTE}|says|voted|replied|answered)\b.{{0,40}}[:：]\s*$"
    # what a program says: "The test prints:", "[INFO] difference:"
    r"|^.{0,80}\b(?:print(?:s|ed)?|outputs?|show(?:s|ed)|displays?|logs?|logged|returns?|returned|emits?|yields?)"
    r"(?: this| the following)?\s*[:：]\s*$"
    r"|^\s*\[(?:INFO|WARN(?:ING)?|ERROR|DEBUG|TRACE)\].{0,80}$"
    r"|^\s*[=_*~#-]{2,20}\s*[^\W\d_].{2,60}\b(?:19|20)\d\d\b.{0,20}[=_*~#-]{2,20}\s*$",
    re.IGNORECASE,
)
_VOTE_OPENS = re.compile(r"^[\s\"“„«'‘*_]{0,8}[+\u2212-]\s?[01]\b")


def leads_in_vote(line: str, below: str) -> bool:
    """Whether a line mentions somebody's mail and a vote without marks follows: whose vote it is stays open."""
    return len(line) < _LONGEST_LEAD_IN and _VOTE_OPENS.match(below) is not None and _LEAD_IN.match(line) is not None


def ends_attribution(text: str) -> bool:
    """Whether a text ends like an attribution: with a verb such as "wrote", and little after it."""
    return _END.search(text.rstrip()[-_LONGEST_END:]) is not None


def is_attribution(text: str, *, above_quote: bool = False) -> bool:
    """Whether a line, or a few joined, introduces a quote; `above_quote`: a quote follows right below."""
    if len(text) > MAX_ATTRIBUTION:
        return False
    # no verb, but an address, a time and a colon right above a quote: "вт, 3 мар. 2026 г. в 09:14, X <x@y>:"
    if above_quote and (is_sender_and_time(text) or is_sender(text)) and VOTE_IN_LINE.search(text) is None:
        return True
    if _ATTRIBUTION_START.match(text) is None or not ends_attribution(text):
        return False
    # "I meant what I said. +1" right above a quote names nobody: it votes
    return (len(text) < 90 and VOTE_IN_LINE.search(text) is None) or HAS_DATE.search(text) is not None


#: where an attribution may begin within a line: "+1 (binding)On 2 Mar 2026 Jun wrote:"
_WITHIN = re.compile(r"(?<=\S)\s*(?=\bOn\s)")


def split_glued(lines: list[str]) -> list[str]:
    """The lines, with an attribution above a quote apart from a vote before it: some web forms join the two."""
    out: list[str] = []
    for line, below in zip_longest(lines, lines[1:], fillvalue=""):
        is_last = line[-1:] == ":" and line[:1] != ">" == below[:1] and len(line) <= MAX_ATTRIBUTION
        found = _WITHIN.finditer(line) if is_last and ends_attribution(line) else ()
        at = next((m for m in found if HAS_DATE.search(line, m.end()) and VOTE_IN_LINE.search(line[: m.start()])), None)
        out.extend([line] if at is None else [line[: at.start()], line[at.end() :]])
    return out


def begins_attribution(line: str) -> bool:
    """Whether a line may be the first of such lines: it opens with a date, or is a date and a sender."""
    if _DIGIT.search(line) is None:
        return False  # no date, ruled out at once
    opens = OPENS.match(line) or _DATE_OPENS.match(line)
    return (opens is not None and has_time(line[:MAX_ATTRIBUTION])) or is_dated_sender(line)
