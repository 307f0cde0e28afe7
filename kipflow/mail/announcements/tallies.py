"""Reads the votes that a line of an announcement counts or lists: "3 binding +1 (Mara, Jun, Ana), +1 from Kim".

A choice, a group and a number may stand in any order; together they are the head of an entry. Names belong to it in
brackets, behind a colon or "from", or right before it ("Mara, Jun +1"). A colon lends a head to what follows in its
sentence ("binding: +1 x 3, -1 x 1"). A word that fits nowhere ends an entry: what is not complete counts nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from kipflow.mail.announcements.brackets import take_bracket
from kipflow.mail.announcements.entries import Draft, Entry, Scope, mark_entry, mark_names
from kipflow.mail.announcements.names import are_people, parse_name
from kipflow.mail.announcements.tallyphrases import DASHES, find_end_of_run, find_group_of_all
from kipflow.mail.announcements.tallywords import IN_ALL, SHARE, Kind, Word
from kipflow.mail.announcements.unsurewords import split_words
from kipflow.mail.announcements.wholes import drop_wholes

_MAX_ENTRIES = 60
#: what "with" and the like lead in belongs to no list
_WITH = frozenset({"with", "mit", "avec", "con", "com"})
_BEFORE_NAMES = frozenset({Kind.JOINS, Kind.FROM, Kind.ENDS})
#: what may follow a name and its colon: "Mara: +1"
_HEADS = frozenset({None, Kind.CHOICE, Kind.GROUP, Kind.NUMBER, Kind.OPENS})


def parse_tally(line: str, scope: Scope | None = None, *, is_item: bool = False) -> list[Entry]:
    """The entries in a line, left to right. `is_item`: a row of a list, so that logins may stand beside choices."""
    return Parser(line, split_words(line), scope or Scope(), is_item=is_item).read()


class Parser:
    """Goes through the words of a line once; what each kind of word does is in `_STEPS`."""

    def __init__(self, line: str, words: Sequence[Word], scope: Scope, *, is_item: bool, depth: int = 0) -> None:
        self.line, self.words, self.scope, self.is_item, self.depth = line, words, scope, is_item, depth
        self.at = 0
        self.entries: list[Entry] = []
        self.draft, self.begins_whole = Draft(), False  # whether votes follow of which others are part
        self.lent = Scope()  # by the words before a colon, in this sentence
        self.joined: Draft | None = None  # the entry before "and" or a comma
        self.last_choice: str | None = None

    def read(self) -> list[Entry]:
        while self.at < len(self.words) and len(self.entries) < _MAX_ENTRIES:
            word = self.words[self.at]
            self.at += 1
            if (step := _STEPS.get(word.kind)) is not None:
                step(self, word)
        self.end_entry()
        return drop_wholes(self.entries)

    def _before(self) -> Kind | None:
        """The kind of the word before the present one, glue aside."""
        seen = (self.words[at].kind for at in range(self.at - 2, -1, -1))
        return next((kind for kind in seen if kind is not Kind.GLUE), None)

    def _ahead(self) -> Kind | None:
        return self.words[self.at].kind if self.at < len(self.words) else None

    def _ahead_of_glue(self) -> Kind | None:
        return next((word.kind for word in self.words[self.at :] if word.kind is not Kind.GLUE), None)

    def _begin_head(self, word: Word) -> Draft:
        if self.draft.start < 0:
            self.draft.start, self.draft.preceded_by = word.start, self._before()
        self.draft.end = word.end
        return self.draft

    @property
    def choice(self) -> str | None:
        """The choice that applies: of this entry, of the words before a colon, of a heading, or of the last entry."""
        return self.draft.choice or self.lent.choice or self.scope.choice or self.last_choice

    # what the words of a head do

    def _take_number(self, word: Word) -> None:
        draft = self.draft
        if draft.is_part:  # "5 out of 11": the whole
            return
        draft.drop_label()
        if draft.is_full(self.words[self.at - 2].kind, self._before(), self._ahead()):
            self.end_entry()
        self._begin_head(word).number = int(word.value)

    def _take_none(self, word: Word) -> None:
        ends = self.draft.has_head and self.draft.number is None  # "-1: none"
        self._take_number(replace(word, value="0"))
        if ends:
            self.end_entry()

    def take_choice(self, word: Word) -> None:
        draft = self.draft
        if draft.names and draft.choice is None and draft.number is None:  # "Mara, Jun +1", "Binding: Mara +1"
            draft.names_first = True
        elif draft.names or draft.choice is not None:
            self.end_entry()
        elif self.joined is not None and self.joined.number == 0 and not draft.has_head:  # "no 0 or -1", not "no: 1"
            draft.number = 0 if self._ahead_of_glue() not in {Kind.LEADS, Kind.NUMBER} else None
        draft = self._begin_head(word)
        draft.choice, draft.is_side = word.value, word.text[0].isalpha()

    def take_group(self, word: Word) -> None:
        self.draft = Draft() if self.draft.is_labelled and not self.draft.has_head else self.draft
        if self.draft.names and (self.draft.names_first or self._before() is not Kind.JOINS):
            self.draft.mark(word.value)
            return
        if self.draft.names or self.draft.group not in {None, word.value}:
            self.end_entry()
        self.draft.group_first = not self.draft.has_head
        self._begin_head(word).group = word.value

    def _take_all(self, word: Word) -> None:
        if (found := find_group_of_all(self.words, self.at)) is None:
            return self._take_word(word)
        is_apart = self._before() is Kind.JOINS or (self.words[self.at - 2].text in DASHES and word.text != "both")
        self.at, group = found
        return self.mark_all(group, is_of_all=is_apart or not self.draft.names)

    def _take_votes(self, _: Word) -> None:
        self.draft.has_votes = True

    def _take_lead(self, _: Word) -> None:
        draft = self.draft
        if draft.has_head and not draft.names:
            self.lent = Scope(draft.choice, draft.group).within(self.lent)
            draft.is_open = True
        elif draft.names_first and draft.is_labelled:
            draft.drop_label()
            draft.is_open = True
        elif draft.choice is not None or draft.number is not None:
            self.end_entry()
        elif self._ahead() not in _HEADS:  # "Voters: Mara", not "Mara: +1"
            self.draft = Draft()
        else:
            draft.is_labelled = True

    def _take_glue(self, word: Word) -> None:
        self.draft.is_share |= word.value == SHARE and self.draft.choice is None
        if self.depth and word.text in DASHES and self.draft.has_head:  # "4 (1 binding - Ana)"
            self.draft.is_open = True

    def _take_part(self, _: Word) -> None:
        self.draft.is_part = self.draft.number is not None
        self.begins_whole = not self.draft.has_head  # "Of 11 binding votes 5 are -1"

    # what names, and the words around them, do

    def _take_from(self, word: Word) -> None:
        if not self.depth and word.text.lower().startswith("thank"):
            self._take_end(word)
        elif self.draft.names and not self.draft.has_head:
            self._break(None)
        self.draft.is_open = self.draft.is_from = self.draft.is_apart = self.draft.has_head
        if self._ahead_of_glue() is Kind.NUMBER:  # "8 of 10"
            self._take_part(word)

    def _take_word(self, word: Word) -> None:
        before = self._before()
        if self.draft.names_first and before is Kind.CLOSES:  # "Mara: +1 (binding) Jun: +1"
            self.end_entry()
        draft, is_counted = self.draft, self.at > 1 and self.words[self.at - 2].kind is Kind.NUMBER
        self.at = find_end_of_run(self.words, self.at)
        text = self.line[word.start : self.words[self.at - 1].end]
        is_next = before in _BEFORE_NAMES or not (draft.names or is_counted)  # not "5 in our poll"
        name = parse_name(text) if is_next and draft.expects_names else None
        if draft.names and text.lower() in {"mine included", "myself included"}:
            name = "myself"
        is_person = name == "myself" or are_people(text)
        row = self.line[: word.start] if self.is_item else None
        if name and (is_person or draft.may_hold_login(text, row, ahead=self._ahead())):
            draft.names_start = draft.names_start if draft.names else word.start
            draft.names.append((name, IN_ALL))
        elif not (is_next and draft.names and draft.has_head and not draft.is_from):  # "+1: Mara, Jun and some others"
            self._break(before)

    def read_inside(self, inner: Sequence[Word], choice: str | None = None, head: Draft | None = None) -> list[Entry]:
        """The entries in a bracket: of this choice where they name none, the first one with this head."""
        inside = Parser(self.line[: inner[-1].end], inner, Scope(), is_item=head is None, depth=self.depth + 1)
        inside.draft, inside.lent = head or Draft(), Scope(choice)
        return inside.read()

    # where entries end

    def _take_join(self, word: Word) -> None:
        draft = self.draft
        if draft.names_first and self._ahead() is Kind.GROUP:  # "Mara: +1, binding"
            return
        is_apart = bool(draft.names) and word.text.lower() in _WITH
        if (draft.number is not None and not draft.names) or draft.names_first or draft.is_closed or is_apart:
            self.end_entry()
            self.joined = replace(draft, group=draft.group if draft.is_side and word.text.lower() == "and" else None)

    def _take_end(self, word: Word) -> None:
        is_within, draft = word.text in ";；", self.draft
        is_list = draft.is_open and not draft.is_from and bool(draft.names)
        if not (is_within and is_list and self._ahead() is Kind.WORD):  # "+1: Mara L.; Jun O."
            self.end_entry()
        if not is_within:
            self.lent, self.last_choice = Scope(), None

    def _break(self, before: Kind | None) -> None:
        """End an entry at a word that fits nowhere: what is not complete is none."""
        if self.draft.is_complete(before):
            self.end_entry()
        self.draft, self.lent, self.joined = Draft(is_apart=True), Scope(), None

    def mark_all(self, group: str, *, is_of_all: bool) -> None:
        """Give a group to the names of this entry, or to all entries so far: "Mara +1, Jun +1, all binding"."""
        self.draft.names = mark_names(self.draft.names, group)
        if is_of_all and not (self.entries or self.draft.names):
            self.entries = [Entry(group, "")]
        elif is_of_all:
            self.entries = [mark_entry(entry, group) for entry in self.entries]

    def end_entry(self) -> None:
        """Write down the entry that ends here, if it is one."""
        draft, choice, joined = self.draft, self.choice or "+1", self.joined
        self.draft, self.joined = Draft(), None
        goes_on = 0 < self.at < len(self.words) and self.words[self.at - 1].kind in {Kind.WORD, Kind.VOTES}
        if not draft.is_entry(self.line, self.lent, follows=bool(self.entries), goes_on=goes_on):
            return
        lent = self.lent.group or self.scope.group or (joined.group if joined is not None else None)
        group = draft.group or (lent if not draft.is_share else None) or IN_ALL
        marks = (draft.is_one_name, bool(draft.choice or self.lent.choice), draft.is_share, draft.is_apart)
        self.entries.append(Entry(group, choice, draft.number, draft.find_names(), *marks))
        self.draft.is_share, self.begins_whole = self.begins_whole, False
        self.last_choice = choice if draft.number != 0 else None
        if draft.group_first and draft.number is not None:  # "binding 1 x +1, 3 x -1"
            self.lent = replace(self.lent, group=draft.group)


_STEPS: dict[Kind, Callable[[Parser, Word], None]] = {
    Kind.CHOICE: Parser.take_choice,
    Kind.GROUP: Parser.take_group,
    Kind.NUMBER: Parser._take_number,
    Kind.NONE: Parser._take_none,
    Kind.ALL: Parser._take_all,
    Kind.VOTES: Parser._take_votes,
    Kind.PART: Parser._take_part,
    Kind.GLUE: Parser._take_glue,
    Kind.LEADS: Parser._take_lead,
    Kind.FROM: Parser._take_from,
    Kind.WORD: Parser._take_word,
    Kind.OPENS: take_bracket,
    Kind.JOINS: Parser._take_join,
    Kind.ENDS: Parser._take_end,
}
