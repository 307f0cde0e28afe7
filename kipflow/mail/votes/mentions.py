"""A written value with the words around it: the input of the rules."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property

from kipflow.domain.votes import Choice
from kipflow.mail.announcements.names import find_names
from kipflow.mail.votes.about import About, find_place, read_about, read_object
from kipflow.mail.votes.claims import find_claim, skip_claim
from kipflow.mail.votes.conditions import (
    MARK,
    SENTENCES,
    find_unknown,
    follows_condition,
    has_condition_behind,
    is_condition,
    orders,
)
from kipflow.mail.votes.lexicon import begins, drop, ends, fold, has, is_unspaced, leaves_only
from kipflow.mail.votes.sentences import Sentence
from kipflow.mail.votes.values import VALUE, find_values, is_from_me, parse_value, speaks_of_itself

_CONCLUDES = re.compile(
    r"\b(?:so|hence|therefore|thus) (?=here|i\b|my|it|(?:will|must|have to) (?:go with|vote)\b)|\b(?:but|so)\s*$"
    r"|\b(?=i(?:'m|'ll| am| will| now| hereby| (?:have|need|want) to)* (?:chang|switch|mov)\w* my vote to\s*$)"
    r"|\band (?=(?:(?:stay|remain) at|vote|i'm|i am|i vote|i cast|i give|my vote is|you have my|here(?:'s| is) my)\b)"
    r"|\band (?=my (?:(?:non-)?binding )?$)"
    r"|(?<!in )\bmy (?:(?:non-?)?binding |personal |own |humble |honest )*(?:opinion|verdict|vote)"
    r"(?: after(?: (?!is\b|that\b|of\b)[\w-]+){1,10})? is (?=(?:an? ?)?(?:[\w-]+ ?){0,3}$)"
    r"|\b(?=(?:i am|i'm|i(?: (?:also|must|can|now|hereby|therefore|have to))* (?:give|vote|say|cast)|my vote is|take my"
    r"|worth my)(?:\s+(?:an?|at|now|still|again|also|it|this|you|very much))*\s*$)"
)
_ANOTHER = re.compile(r"(?:,|\b(?:and|but))\s+(?:an? )?[+-]\s?[01]\b")
_LAST = 3  # words before a colon that introduce the text after it
_LEADING = re.compile(r"^(?:[=-]{1,2}>)?[\s*_<>~\"'“”‘’«»()\[\]@•·–—-]*(?:\d{1,2}[.)]\s*)?$")
#: after a value in a script without blanks: the clause is over, or its rest is understood
_GOES_ON = (
    *("goes_on", "from_me", "filler", "own", "approval", "praise", "assent", "casts", "rejection", "abstention"),
)
_DOUBTING = ("condition", "hypothetical", "retraction", "other", "unsure")
_DENYING = ("negation", "need", "contrast")
_BALLOTS = re.compile(r"\s*[票표]\w")
_VOTE_IN_CHINESE = re.compile(r"\s*[票표](?=\W|$)")
_FRAME = " *-•_\"'“”‘’`~"
#: the end of a quoted remark, not of the clause around it: 'I take your "+!" as +1'
_QUOTED_MARK = re.compile(r"[.,!?](?=[\"”’'] +as\b)")
#: "three (3) binding": a number, and the same in figures
_TWICE = re.compile(r" ?\((?:\d{1,3}|one|two|three|four|five|six|seven|eight|nine|ten)\)(?= )", re.IGNORECASE)
#: "we have one (non-binding) +1", "Your (binding) -1": the clause goes on behind the brackets
_CLAIM_BEFORE = re.compile(
    r"(?P<said>\b(?:(?:we|there)\b[^(),]{0,20}\b(?:one|an?)|your|\w+['’]s) )\((?P<claim>(?:non\W?)?binding)\)\s*$",
    re.IGNORECASE,
)
_NAME_BEFORE = re.compile(r"[A-Z][\w.'’-]*\s*(?=\([^()]*$)")
_DASH = re.compile(r"\w\s*[–—-]\W*$")
#: values of a list share the label in front of the first
_LISTED = re.compile(r"(?<=[:：])\s*(?:[+-]\s?[01]\b(?:[ \w]{0,20}|\s*\([^()]{0,30}\))\s*(?:[,;/&+]|\band\b)\s*)+$")
_FROM = re.compile(
    r"^\W{0,3}(?:votes? |also |too |as well |auch |ebenfalls |anche |aussi )?"
    r"(?:from|by|de la part de|de parte de|da parte di|(?:of|von|från)(?=\s(?-i:[A-Z@])))\s+(?P<whom>\S.*)$",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class Mention:
    """One written value, by a mail's `author`; `title` are the stems of its vote's title (see `read_title`)."""

    sentence: Sentence
    written: str
    start: int
    end: int
    author: str
    is_result: bool
    title: frozenset[str] = frozenset()

    @cached_property
    def lead(self) -> str:
        return self.sentence.text[: self.start]

    @cached_property
    def tail(self) -> str:
        return self.sentence.text[self.end :]

    @cached_property
    def choice(self) -> Choice:
        return parse_value(self.written)[0]

    @cached_property
    def value(self) -> str:
        return parse_value(self.written)[1]

    @cached_property
    def claimed(self) -> bool | None:
        return find_claim(self.lead, VALUE.split(self.tail)[0])  # not that of another value after it

    @cached_property
    def is_claimed(self) -> bool:
        return self.claimed is not None

    @cached_property
    def opens(self) -> bool:
        """Whether only bullets and brackets come before it."""
        return _LEADING.match(self.lead) is not None

    @cached_property
    def clause(self) -> str:
        """The lead after its last mark, in lower case."""
        lead = _CLAIM_BEFORE.sub(r"\g<said>\g<claim> ", _QUOTED_MARK.sub("", _TWICE.sub("", self.lead)))
        return fold(MARK.split(lead)[-1]).strip(_FRAME)

    @cached_property
    def label(self) -> str:
        """The words before a colon right before it, or a name before its bracket: "Windows:", "Jun (+1)"."""
        if (named := _NAME_BEFORE.search(self.lead)) is not None and leaves_only(("yes", "no"), fold(named.group())):
            return SENTENCES.split(self.lead[: named.end()])[-1].strip()
        before = (self.sentence.preceding if self.opens else self.lead).rstrip(f" {_FRAME}([")
        before = _LISTED.sub("", before)
        said = SENTENCES.split(before)[-1].rstrip(" :：=>-")
        is_label = before.endswith((":", "：", "=", ">")) or (_DASH.search(self.lead) and find_names(said))
        return said if is_label else ""

    @cached_property
    def lead_in(self) -> str:
        """The last words of its label, in lower case: "my vote would have been"."""
        said = fold(MARK.split(self.label)[-1])
        for name in ("abstention", "vote_against", "no_condition", "not_negation", "polite", "filler"):
            said = drop(name, said)
        words = said.split()[-_LAST:]
        return " ".join(words) if len(words) > 1 else ""  # "NO: -1"

    @cached_property
    def segment(self) -> str:
        """The end of the clause: what must be understood for the value to count."""
        parts = _CONCLUDES.split(self.clause)
        # "I wonder if | I'm +1" says more than its end
        hidden = any(ends("introduces", part) for part in parts[:-1])
        return (self.clause if hidden else parts[-1]).strip(_FRAME)

    @cached_property
    def follows_article(self) -> bool:
        """ "this is a +1": a noun that it belongs to may follow."""
        return self.segment.endswith((" a", " an"))

    @cached_property
    def unknown(self) -> str:
        """The words of the segment in no class that is known around votes."""
        return find_unknown(self.segment)

    @cached_property
    def rest(self) -> str:
        """The tail after a claim to bind."""
        return skip_claim(self.tail)

    @cached_property
    def near(self) -> str:
        """The rest up to its first mark, in lower case."""
        return fold(MARK.split(self.rest)[0])

    @cached_property
    def mine_follows(self) -> bool:
        behind = fold(self.rest[:60]).lstrip(" ,.;:!()–—-*\"'”’")
        is_somewhere = behind.startswith("here") and has("measure", self.segment)  # "the client returns -1 here"
        return is_from_me(behind) and not is_somewhere

    @cached_property
    def is_mine(self) -> bool:
        """Whether the segment or what follows says that the vote is the writer's."""
        return self.mine_follows or has("own", self.segment) or has("from_me", self.segment)

    @cached_property
    def speaks_of_mine(self) -> bool:
        """Whether the words near it are in the first person at all."""
        near = fold(self.lead[-40:])
        return (
            self.mine_follows
            or has("mine", near)
            or has("my_vote", near)
            or speaks_of_itself(near)
            or begins("leaves_out_i", fold(self.sentence.text))
        )

    @cached_property
    def in_first_person(self) -> bool:
        return has("first_person", fold(self.sentence.text))

    @cached_property
    def ends_clause(self) -> bool:
        """Whether the value and its claim end a clause: a mark, the end, "from me", "to KIP-7" or "thanks" follows."""
        first = self.rest.lstrip()[:1]
        if not first or self.mine_follows or self.about is About.WHOLE or (self.is_claimed and self.place):
            return True
        if begins("no_object", self.object):
            return True  # "-1 for now": "for" leads to nothing that is voted on
        if self.is_claimed and self.near.lstrip().startswith("instead"):
            return True
        if is_unspaced(first):
            if _BALLOTS.match(self.rest):
                return False  # "+1 票太少了"
            is_known = _VOTE_IN_CHINESE.match(self.rest) or any(begins(name, self.near) for name in _GOES_ON)
            doubting = _DOUBTING if self.choice is Choice.AGAINST else (*_DOUBTING, *_DENYING)
            is_good = self.choice is Choice.FOR and has("approval", self.near)
            return bool(is_known) or (self.opens and (is_good or not any(has(x, self.near) for x in doubting)))
        if first.isalnum():
            starts = self.opens or (self.is_claimed and not self.segment)  # "Hei Tuomas, +1 (binding) herfra"
            return (starts and first.isalpha()) or begins("goes_on", fold(self.rest))
        return first not in "=^%+#&" and not (first in "*/" and self.rest[0].isspace())

    @cached_property
    def about(self) -> About:
        """What the value is on, if it says so."""
        rest = _ANOTHER.split(self.rest)[0]  # "+1 on the KIP and -1 on the wording"
        return read_about(self.lead, "" if self.mine_follows else rest, self.title)

    @cached_property
    def object(self) -> str:
        """The words after "on", "for", "to" or "with" that follow the value, in lower case."""
        return read_object(self.rest)

    @cached_property
    def whom(self) -> str:
        """The words after "from": who cast it, unless it says "me"."""
        match = _FROM.match(self.rest)
        return match.group("whom") if match is not None and not self.mine_follows else ""

    @cached_property
    def place(self) -> str:
        """Where it comes from, if that is one word and may be a place: "+1 (binding) from Accra"."""
        # "binding +1 from Jun, -1 from Ola" lists voters
        is_listed = self.rest == self.tail.lstrip() or len(find_values(self.sentence.text)) > 1
        return "" if is_listed else find_place(self.rest)

    @cached_property
    def is_conditional(self) -> bool:
        """Whether a condition follows it, or opens a clause before it."""
        above, against = self.sentence.preceding, self.choice is Choice.AGAINST
        return (
            has_condition_behind(self.tail)
            or is_condition(self.sentence.following, against=against)
            or (orders(above) and self.opens and self.near.lstrip().startswith("then"))
            or follows_condition(self.lead, above, opens=self.opens, against=against)
        )
