"""Reads an announcement line by line: wrapped lines joined, tables written out, headings applied to what is below."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from kipflow.mail.announcements.entries import Entry, Scope, find_scope, is_uncounted, leads_to_voters
from kipflow.mail.announcements.legends import write_out_roles, write_out_stars
from kipflow.mail.announcements.names import BRACKETS, are_people, is_handle, parse_name
from kipflow.mail.announcements.tables import write_out_tables
from kipflow.mail.announcements.tallies import parse_tally
from kipflow.mail.announcements.tallywords import GROUP, IN_ALL, MAX_LINE, Kind, Word, scan
from kipflow.mail.announcements.tokens import WIDE, join_words
from kipflow.mail.announcements.unsurewords import split_words
from kipflow.mail.relevance import has_any

#: "Mara Lind <mara@lind.example>"
_BEHIND_NAME = re.compile(
    r"(?<=[\w.])\s*<[^<>\s]{1,64}(?:@| at )[^<>\s]{1,120}>|(?<=\w) [\"“][\w -]{1,30}[\"”](?= [A-Z])"
)
#: "-1 -> +1"
_CHANGED = re.compile(r"(?<![\w.])[+-]\s?[01]\s*(?:[-=]+>|→)\s*(?=(?:[+-]\s?[01]|0)\b)")
#: "binding +4/0/-1": all that were cast; "+1/0/-1" are the choices
_ALL_THREE = re.compile(r"(?<=binding[: ])(?: ?)(?!\+1/0/-1\b)\+(\d{1,3})/(\d{1,3})/-(\d{1,3})(?!\w|\.\d)", re.I)
#: "mara@lind.example"
_ADDRESSEE = re.compile(r"(?<![\w<.])([\w.+-]{1,64})@[\w-]+(?:\.[\w-]+){1,6}(?![\w@>])")
_ITEM = re.compile(r"^\s*(?:[-*•·–]\s+|\d{1,2}[.)]\s+)(?P<rest>\S.*)$")
#: where a line goes on in the next one: at these words, at a number before what it counts, and if it is long
_RUNS_ON = re.compile(r"(?:[,(;]|\b(?:and|or|with|from|by|plus))\s*$", re.IGNORECASE)
_ENDS_IN_NUMBER = re.compile(
    rf"(?:(?:,|\b(?:and|with|plus))\s+(?:\d{{1,2}}|{join_words('number')})(?:\s+{GROUP})?|\bno(?:\s+{GROUP})?)\s*$",
    re.IGNORECASE,
)
_COUNTED = re.compile(rf"\s*(?:{GROUP}\b|[+\-]\s?[01](?![\w.]|\s*[:=]))", re.IGNORECASE)
_ENDS = (".", ":", "!", "?", "：")
#: what a line of a list without bullets holds besides one word
_LISTS = re.compile(r"binding|[,@]|\w \w", re.IGNORECASE)
_LEADS = (":", "：", " from", " by")
_NEAR = 120
_LONG, _WIDE = 50, re.compile(rf"[{WIDE}]")
_BEGINS_ROW = re.compile(
    rf"^\s*(?:[+\-−±]\s?[01]\b|0(?=\s*[(:=])|\d{{1,3}}\s+(?:x\s|[+-]|{GROUP})"
    r"|(?!votes?\b)[^\W\d_][\w ,+-]{0,24}(?:\([\w -]{1,20}\))?\s?[:=])"
)
#: "approved by the following votes:" over names
_VOTES_OF = re.compile(r"\b(?:by|with) the (?:following votes|votes (?:of|from))\s*[.:]\s*$", re.IGNORECASE)
_ADDRESS = re.compile(r"^<?[\w.+-]{1,64}@[\w.-]{1,120}>?$")
_SAYS = re.compile(r"\w|[✔✓✅☑]")
#: "Jun Okafor, who asked for docs", "Jun Okafor: needs docs"
_REMARK = re.compile(r"(?:[,:;]| [–—-])\s(?=[a-z])")
_NOBODY = frozenset({Kind.NONE, Kind.GLUE, Kind.OPENS, Kind.CLOSES})
_HEAD = frozenset({Kind.CHOICE, Kind.GROUP, Kind.NUMBER, Kind.VOTES})
_NOT_IN_HEADINGS = frozenset({Kind.WORD, Kind.NONE, Kind.ENDS})
_HEADING_WORDS = re.compile(rf"(?:{join_words('heading')})", re.IGNORECASE)
_MOST_BLANKS = 2
_COUNTS = ("inding", "+1", "-1", "+ 1", "- 1")
#: "3 bindings and 1 non-binding", not "3 bindings (Python, Go)"
_BINDINGS = re.compile(
    r"(?<![\w.+-])(\d{1,3} (?:non-?)?binding)s(?=\s*(?:votes?\b|[+-]1|[:.,;]|and\b|$|\([^()]*\)\s*(?:[.,;]|and\b|$)))",
    re.IGNORECASE,
)


def find_entries(lines: Sequence[str]) -> Iterator[tuple[str, Entry]]:
    """Each entry of an announcement's lines (made plain), with its line."""
    written = write_out_roles([_simplify(line) for line in write_out_stars(lines)])
    joined = list(_join_wrapped(write_out_tables(written)))
    headings = _Headings()
    for at, line in enumerate(joined):
        following = next((below for below in joined[at + 1 : at + 4] if _SAYS.search(below)), "")
        for entry in headings.read(line, following):
            yield line, entry


def _simplify(line: str) -> str:
    line = _BINDINGS.sub(r"\1", line) if "indings" in line else line
    line = _ALL_THREE.sub(r" +1 x \1, 0 x \2, -1 x \3", _CHANGED.sub("", _BEHIND_NAME.sub("", line)))
    # in columns the width stays
    return _ADDRESSEE.sub(lambda m: m[1].ljust(len(m[0])), line) if has_any(_COUNTS, line) else line


def _join_wrapped(lines: Sequence[str]) -> Iterator[str]:
    """The lines, each joined with the next ones while its sentence goes on: names are often wrapped."""
    text = ""
    for line in lines:
        if _goes_on(text, line) and len(text) + len(line) < MAX_LINE:
            text = f"{text.rstrip()} {line.strip()}"
        else:
            yield text
            text = line
    yield text


def _goes_on(text: str, line: str) -> bool:
    if not (text.strip() and line.strip()) or _ITEM.match(line) or text.rstrip().endswith(_ENDS):
        return False
    end = text[-_NEAR:]
    is_counted = _ENDS_IN_NUMBER.search(end) and _COUNTED.match(line)
    if is_counted or end.count("(") > end.count(")") or _RUNS_ON.search(end):
        return True
    is_long = len(text) + len(_WIDE.findall(text)) >= _LONG
    return (is_long and _BEGINS_ROW.match(line) is None) or _is_torn(text, line)


def _is_torn(text: str, line: str) -> bool:
    """Whether the end of one line and the start of the next are one word of a tally: "no" and "vinculantes"."""
    last, first = text.split()[-1], line.split()[0]
    return scan(f"{last} {first}")[0].end > len(last)


def _is_heading(words: Sequence[Word]) -> bool:
    """Whether a line holds only choices, groups, numbers and the like: what stands below it is theirs."""
    return all(
        word.kind not in _NOT_IN_HEADINGS or (word.kind is Kind.WORD and _HEADING_WORDS.fullmatch(word.text))
        for word in words
    ) and any(word.kind in _HEAD or (word.kind in {Kind.WORD, Kind.GLUE} and len(word.text) > 1) for word in words)


def _can_be_below(line: str) -> bool:
    """Whether a line can stand below a heading: an item, a voter, or counts."""
    item = _ITEM.match(line)
    text = item["rest"] if item is not None else line.strip()
    words = split_words(text)
    is_row = bool(words) and words[0].kind in {Kind.CHOICE, Kind.GROUP, Kind.NUMBER, Kind.NONE, Kind.OPENS}
    return item is not None or is_row or are_people(text) or is_handle(text) or _ADDRESS.match(text) is not None


@dataclass(slots=True)
class _Headings:
    """What the headings above a line say of it: "Binding" above "+1 Mara Lind", "-1 votes" above "binding: 2"."""

    #: for names, and for counts
    scope: Scope = field(default_factory=Scope)
    lent: Scope = field(default_factory=Scope)
    #: of headings with a choice alone and with a group alone, the kind that came first: it holds over the other
    outer: str = ""
    #: whether names may follow, and what was read below it
    is_open: bool = False
    has_names: bool = False
    has_items: bool = False
    is_spaced: bool = False
    blanks: int = 0
    #: the last line that is no item of a list
    above: str = ""

    def read(self, line: str, following: str) -> list[Entry]:
        """The entries of a line; `following` is the next one that is not blank."""
        if not _SAYS.search(line):
            self._read_blank(line)
            return []
        item = _ITEM.match(line)
        text = item["rest"] if item is not None else line.strip()
        is_apart, self.blanks = self.blanks > 0, 0
        words = split_words(text)
        if _is_heading(words):
            return self._read_heading(text, words, following)
        found = parse_tally(text, self.lent, is_item=True)
        is_voter = item is not None and not found and find_scope(words).group is not None
        if is_voter and not self.is_open and leads_to_voters(self.above):
            self._open(Scope("+1"))  # "* Mara Lind (binding)" below "The vote has passed."
        is_ended = item is None and is_apart and (self.has_items or (self.has_names and not self.is_spaced))
        if not found and self.is_open and not is_ended:  # below a list of names: a signature
            found = self._read_names(text, words, is_joined=item is not None or not is_apart)
            self.is_spaced = is_apart and (self.is_spaced or not self.has_names)
            self.has_names, self.has_items = self.has_names or bool(found), item is not None
        elif any(entry.names and entry.number == len(entry.names) for entry in found):
            self.has_names = True
        if item is None and (not found or any(word.kind is Kind.ENDS for word in words)):
            self._close()
        self._open_list(text, following)
        self.above = self.above if item is not None else text
        return found

    def _read_blank(self, line: str) -> None:
        self.blanks += not line.strip()
        if self.blanks > _MOST_BLANKS or (line.strip() and self.has_names):  # a rule ends a list
            self._close()

    def _close(self) -> None:
        self.scope, self.lent, self.outer = Scope(), Scope(), ""
        self.is_open = self.has_names = self.has_items = self.is_spaced = False

    def _open(self, scope: Scope) -> None:
        self.scope, self.is_open = scope, True
        self.has_names = self.has_items = self.is_spaced = False

    def _read_heading(self, text: str, words: Sequence[Word], following: str) -> list[Entry]:
        """Apply a heading; a number of votes in it is an entry."""
        found, scope = parse_tally(text, self.lent), find_scope(words)
        if found:
            self._open(found[0].scope)
            self.is_open = bool(found[0].number)  # not below "-1: 0"
        elif scope != Scope() and (text.endswith(_LEADS) or _can_be_below(following)):  # not the ballot "+1 (binding)"
            kind = "" if scope.choice and scope.group else "choice" if scope.choice else "group"
            self.outer = (self.outer or kind) if kind and self.is_open else kind
            self.lent = scope.within(self.lent) if kind != self.outer else scope
            self._open(self.lent)
        elif self.scope.group or self.lent.group:  # "Total:", "Others:" below "Binding"
            self.lent = Scope(self.lent.choice)
            self._open(Scope(self.scope.choice))
        return found

    def _open_list(self, text: str, following: str) -> None:
        """ "It was these people:" above a list of names: the line's first choice and group are theirs."""
        is_of_votes = _VOTES_OF.search(text) is not None
        if not (is_of_votes or text.rstrip().endswith(_LEADS)) or is_uncounted(text):
            return
        item = _ITEM.match(following)
        below = item["rest"] if item is not None else following.strip()
        if not (are_people(below) or _ADDRESS.match(below)):
            return
        entry = next((entry for entry in parse_tally(text) if entry.number), None)
        scope = find_scope(split_words(text))
        if entry is not None:
            self._open(entry.scope)
        elif is_of_votes or (scope != Scope() and (item is not None or _LISTS.search(below))):
            self._open(scope)

    def _read_names(self, text: str, words: Sequence[Word], *, is_joined: bool) -> list[Entry]:
        """The names in a line below a heading; empty if it is something else."""
        group, choice = self.scope.group or IN_ALL, self.scope.choice or "+1"
        if all(word.kind in _NOBODY for word in words):
            return [Entry(group, choice, 0)]
        head = _REMARK.split(text.removeprefix("and "), maxsplit=1)[0]
        text = head if are_people(head) and not are_people(text) else text.removeprefix("and ")
        is_person = are_people(text) or parse_name(BRACKETS.sub("", text)) == "myself"
        if not (is_person or _ADDRESS.match(text) or (is_joined and all(map(is_handle, re.split(r",\s*", text))))):
            return []
        return [Entry(group, choice, None, entry.names) for entry in parse_tally(f"{choice}: {text}")]
