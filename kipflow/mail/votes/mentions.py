"""A written value with the words around it: what the rules look at."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

from kipflow.domain.votes import Choice
from kipflow.mail.votes.claims import find_claim
from kipflow.mail.votes.lexicon import drop, find_words, fold, has, leaves_only
from kipflow.mail.votes.sentences import Sentence
from kipflow.mail.votes.values import find_values, parse_value

#: Written values looked at in one sentence: more make no vote, only work.
MAX_VALUES = 12
_CLAIM = (
    r"(?:[\[({,/–—-]?\s*(?:non?e?|not|nn)?[\s-]{0,3}\(?(?:b[idn]{1,4}[idng]{1,4}s?|bind|(?:i?p?pmc|"
    r"committer)(?: member)?|nb|b)\b\.?\s*[\])}]?\s*){1,2}"
)
_AFTER_CLAIM = re.compile(
    rf"^\s*(?:{_CLAIM})?\s*(?:[\[(][^\[\]()]{{0,40}}[\])])?\s*(?:votes?\b(?!\s*(?:is|are|was)\b))?\s*", re.I
)
# where a clause ends: a mark, a dash between blanks
_MARK = re.compile(r"[,;:.!?…，、。；：！？\n(]|\s[–—-]{1,2}\s|[–—]|->|=>|→|\)|\]|\U0001f300-\U0001faff")
_CONCLUDES = re.compile(
    r"\b(?:so|hence|therefore|thus) (?=here|i\b|my|it)|\b(?=(?:i am|i'm|i vote|my vote is)\s*(?:an? |at |now )?$)"
)
_LEADING = re.compile(r"^[\s*_>~\"'“”‘’«»()\[\]@•·–—-]*(?:\d{1,2}[.)]\s*)?$")
_MINE_AFTER = re.compile(
    r"^\W{0,3}(?:(?:definitely|also|too|as well|here)\W{1,3})?(?:from|for|by|on) (?:me|my|our|us|here|this side|"
    r"an? \w+)\b|^\s*here\b|"
    r"^\W{0,3}(?:von mir|von uns|von unserer seite|meinerseits|de ma part|de notre part|de mi lado|"
    r"de nuestra parte|por nossa parte|da nossa parte|från mig|fra meg|ode mnie|z naszej strony|de mi parte|"
    r"pour moi|de mi parte|por mi parte|da minha parte|da parte mia|per me|van mij|ode mnie|от меня|с моей стороны|"
    r"benden|minulta)",
    re.I,
)
_FROM = re.compile(r"^\W{0,3}(?:votes? )?(?:from|by)\s+(?P<whom>\S.*)$", re.I)
_OBJECT = re.compile(r"^\s*\(?(?P<how>to|on|for|with|about|für|pour|para|sur|sobre|dla|voor)\s+(?P<what>\S.*)$", re.I)
_KEY = re.compile(r"^(?:the |this |all |both )*(?:[A-Za-z]{2,8}-|rc ?|kip )\d{1,5}\b", re.I)
_NO_OBJECT = re.compile(
    r"^(?:sure|now|certain|real|once|what it|me|(?:the |these |this |that |same )*(?:very )?reasons?\b|that reason|"
    r"a long time|fun)",
    re.I,
)
_VERSION = re.compile(r"^(?:the |this |releas\w+ |version )*(?:[A-Za-z]\w* ){0,2}v?\d+\.\d", re.I)
_THE = re.compile(
    r"^(?:the|this|that|these|those|a|an|your|his|her|their|our|my|all|both|new|updated|latest|proposed|current|"
    r"whole|entire|overall)\s+",
    re.I,
)


_THEN = re.compile(r"(?:^|[\s,;:])(?:and )?then\W*(?:it['’]?s |i['’]?m |i am |you have my |you get my )?(?:a )?$", re.I)
#: "Rename it and I'm +1"
_DO_AND = re.compile(
    r"^\W*(?:please |just |simply )?(?!i\b|we\b|it\b)[a-z]+ (?:it|that|this|the|your)\b[^.;:!?]{0,80}\band (?:then )?"
    r"(?:i['’]m|i am|it['’]s|i['’]ll be|i will be|i['’]d be)\s*(?:an? )?$",
    re.IGNORECASE,
)
_DEMANDED = re.compile(
    r"\b(?:first|please|(?:could|can|would) (?:you|we)|i['’]d like|needs? to|has to|must|should|fix)\b", re.I
)
_SENTENCES = re.compile(r"(?<=[.!?])\s")


@dataclass(frozen=True)
class Mention:
    """One written value: `lead` and `tail` are its sentence before and behind it, `author` who wrote the mail."""

    sentence: Sentence
    written: str
    start: int
    end: int
    author: str
    is_result: bool

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
        return find_claim(self.lead, self.tail)

    @cached_property
    def opens(self) -> bool:
        """Whether nothing but bullets and brackets stands before it."""
        return _LEADING.match(self.lead) is not None

    @cached_property
    def segment(self) -> str:
        """The lead behind its last mark, in lower case: what must be understood for the value to count."""
        return _CONCLUDES.split(self.clause)[-1].strip(" *_\"'“”‘’`~")

    @cached_property
    def clause(self) -> str:
        """All of the lead behind its last mark, in lower case."""
        marks = list(_MARK.finditer(self.lead))
        return fold(self.lead[marks[-1].end() if marks else 0 :]).strip(" *_\"'“”‘’`~")

    @cached_property
    def unknown(self) -> str:
        """The words of the segment that belong to no class in which a vote may stand."""
        return leaves_only(("own", "filler", "approval", "assent", "abstention", "casts", "change"), self.segment)

    @cached_property
    def is_mine(self) -> bool:
        """Whether the segment or what follows says that the vote is the writer's."""
        return self.mine_follows or has("own", self.segment)

    @cached_property
    def mine_follows(self) -> bool:
        return _MINE_AFTER.match(self.rest) is not None

    @cached_property
    def rest(self) -> str:
        """The tail behind a claim to bind."""
        match = _AFTER_CLAIM.match(self.tail)
        return self.tail[match.end() :] if match is not None else self.tail

    @cached_property
    def is_apart(self) -> bool:
        """Whether the value and its claim end a clause: a mark, the end or "from me" follows."""
        rest = self.rest
        return (
            not rest.strip()
            or (not rest[0].isalnum() and not rest[0].isspace() and rest[0] not in "=*/^%+-#")
            or rest[0] in ",;:.!)]}\"'”’»…*_`~/—–，。；！"
            or re.match(r"^\s*[-–—(\[:;!👍🎉🚀✅🙏😀-🙏]", rest) is not None
            or self.mine_follows
            or (self.object is not None and self.object[0] == "whole")
            or (self.opens and re.match(r"^\s*[^\W\d_]", rest) is not None)
            or re.match(
                r"^\s*(?:thanks|thank|thx|cheers|and|but|as|since|because|although|though|again|too|indeed|great|"
                r"nice|good|overall|now|then|also|still|i|we|by|after|based|given)\b",
                rest,
                re.I,
            )
            is not None
        )

    @cached_property
    def object(self) -> tuple[str, str] | None:
        """What the value is on: "whole" (the proposal), "part" or "unknown", and its words; None: it names nothing."""
        match = _OBJECT.match(self.rest)
        if match is None or self.mine_follows:
            return None
        what = match.group("what")
        if _NO_OBJECT.match(what):
            return None
        bare = _THE.sub("", _THE.sub("", what))
        words = fold(bare).split()[:4]
        first = words[0].strip(".,;:!)'\"") if words else ""
        if re.match(r"(?i)an? ", what):
            return "unknown", what
        if _KEY.match(what) or _VERSION.match(what) or (not bare.strip(" .,;!)") and what):
            return "whole", what
        if (
            match.group("how").lower() == "with"
            and (has("part", " ".join(words)) or has("remark", " ".join(words)))
            and not re.match(r"(?i)(?:the|that|this|your|his|her|\w+['’]s)\b", what)
        ):
            return "whole", what
        said = re.split(r"[,.;:!?–—(]", what[:60])[0]
        if match.group("how").lower() == "with":
            return "unknown", what
        if has("remark", fold(said)) or re.search(r"\b[A-Z]\w+['’]s\b", said):
            return "remark", what
        if has("part", fold(said)):
            return "part", what
        if (first and has("whole", first)) or fold(what).startswith(("this ", "the current ", "the latest ")):
            return "whole", what
        return "unknown", what

    @cached_property
    def whom(self) -> str:
        """Behind "from": who cast it, unless the writer says me."""
        match = _FROM.match(self.rest)
        return match.group("whom") if match is not None and not self.mine_follows else ""

    @cached_property
    def folded(self) -> str:
        return fold(self.sentence.text)

    @cached_property
    def is_quoted(self) -> bool:
        """Whether it stands in quotation marks, with words around them."""
        opened = self.lead.rstrip("( ")[-1:] in tuple("\"“'‘«「„")
        closed = re.match(r"[^.!?]{0,25}[\"”'’»」“](?P<after>.*)$", self.tail, re.DOTALL) if opened else None
        return closed is not None and re.search(r"\w", self.lead + closed.group("after")) is not None

    @cached_property
    def is_conditional(self) -> bool:
        """Whether a condition stands behind it, or opens a clause before it."""
        if has_condition(self.tail):
            return True
        if _DO_AND.match(self.lead):
            return True
        if not self.opens and _THEN.search(self.lead) and _DEMANDED.search(f"{self.sentence.preceding} {self.lead}"):
            return True
        if (
            self.opens
            and self.sentence.preceding.rstrip().endswith(":")
            and opens_condition(_SENTENCES.split(self.sentence.preceding)[-1])
        ):
            return True
        behind = fold(self.sentence.following[:80])
        if any(not leaves_only(("filler", "own"), behind[: h.start()]) for h in find_words("hangs", behind)[:1]):
            return True
        return not self.opens and opens_condition(self.lead)


def has_condition(text: str) -> bool:
    folded = fold(text)
    return has("condition", folded) and has("condition", drop("harmless", folded))


def opens_condition(lead: str) -> bool:
    """Whether a clause of `lead` begins with a condition, and no "so" behind it concludes."""
    folded = drop("harmless", fold(lead))
    if re.search(r"\b(?:so|hence|therefore|thus)\b\W*(?:\w+\W+){0,3}$", folded):
        return False
    starts = [0, *(m.end() for m in _MARK.finditer(folded))]
    for at in starts:
        clause = folded[at : at + 60]
        for match in find_words("condition", clause):
            before = clause[: match.start()]
            at_start = at == 0 and not re.search(r"\w", before)
            if at_start or (
                match.group() not in {"after", "when"}
                and not leaves_only(("own", "filler", "approval", "assent", "change"), before)
            ):
                return True
    return False


def find_mentions(sentence: Sentence, *, author: str, is_result: bool) -> Iterator[Mention]:
    """The written values of a sentence, left to right."""
    for match in find_values(sentence.text)[:MAX_VALUES]:
        yield Mention(sentence, match.group("value"), match.start("value"), match.end("value"), author, is_result)
