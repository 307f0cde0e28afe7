"""What sentences say of a vote beyond a plain value: changed, taken back, gone astray, or cast in words."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from kipflow.domain.votes import Choice, Expression, Standing
from kipflow.mail.votes.claims import find_claim
from kipflow.mail.votes.lexicon import drop, find_words, fold, has, leaves_only
from kipflow.mail.votes.mentions import Mention, has_condition
from kipflow.mail.votes.rules import is_origin

_ARRIVES = re.compile(
    r"(?:\b(?:to|into|becomes?|now|as|reads?|be|been|meant|say|said|at|vote|voting|with|by|on|is|it|that|and|a|an|"
    r"my|zu|auf|in|à|en|para|per|na|naar|для|на|oy|cast|casting)\b|[:,;>→=]|[改为為成投是にをへ로]|^\W*)\s*"
    r"(?:(?:an?|the|now|is|it|vote|voting|i am|i'm|at|of|be|binding|non-?binding|strong|my|to|un|una|um|ein|eine|"
    r"just|only|let us say)\s+){0,4}[\"'“(\[*]?$",
    re.I,
)
_ARROW = re.compile(r"[+\-±]\s?[01](?:\.\d)?\s*(?:->|=>|→|-->|==>)\s*$")
_MY_VOTE = re.compile(
    r"\b(?:my|mine|our)\b[^.!?;]{0,40}(?:\bvotes?\b|\bballot\b|\bveto\b|[+\-±]\s?[01]\b)|"
    r"\b(?:vote|ballot|veto|objection)\b[^.!?;]{0,20}\b(?:of mine|i (?:sent|gave|cast|posted|wrote))\b|"
    r"mein\w* (?:stimme|votum|[+-]\s?[01])|mon (?:vote|[+-]\s?[01])|ma voix|mi (?:voto|[+-]\s?[01])|meu (?:voto|"
    r"[+-]\s?[01])|mio (?:voto|[+-]\s?[01])|"
    r"mijn (?:stem|[+-]\s?[01])|(?:mój|swój|moje|mojego|swoje) (?:głos\w*|[+-]\s?[01])|(?:мой|свой|моё|"
    r"мое) (?:голос|[+-]\s?[01])|oyumu|ääneni|"
    r"我[^,。]{0,8}(?:票|[+-]\s?[01])|(?:投票|票|[+-]\s?[01])を|(?:투표|표|[+-]\s?[01])를",
    re.I,
)
_STARTS = re.compile(
    r"^\W*(?:(?:ok|okay|so|please|well|sorry|and|then|actually|hmm?|oh|thanks|great|hi|hello|all|folks|team|hereby|"
    r"now)\W+){0,4}",
    re.I,
)
_WITHDRAWN = re.compile(r"\W*(?:is |now |hereby )*(?:withdrawn|retracted|revoked|rescinded|lifted)\b", re.I)
_LEFT_HERE = re.compile(r"\bdropp?\w* (?:in )?my [^.!?]{0,25}[+\-]\s?1[^.!?]{0,12}\b(?:here|in)\b", re.I)
_YOURS = re.compile(
    r"\b(?:your|his|her|their|[A-Z][a-z]+['’]s)\s+(?:\w+\s+){0,2}(?:[+\-±]\s?[01]|votes?|veto|objections?|concerns?)\b"
)
_UNREAL = ("hypothetical", "negation")


def speaks_of_own(folded: str) -> bool:
    """Whether the sentence is about its writer: says I or my, or begins with the verb."""
    rest = folded[_STARTS.match(folded).end() :]  # type: ignore[union-attr]  # the pattern matches any text
    opens = min(
        (m.start() for name in ("takeback", "change", "correction", "astray") for m in find_words(name, rest)),
        default=99,
    )
    return opens == 0 or has("first_person", folded)


def read_change(text: str, mentions: Sequence[Mention]) -> Expression | None:
    """The sentence as one that changes, corrects or takes back a vote; None: it does none of these."""
    whole = fold(text)
    folded = drop("polite", drop("undenied", whole))
    takes_back, changes, corrects = (has(name, whole) for name in ("takeback", "change", "correction"))
    moves = any(_ARROW.search(m.lead) for m in mentions)
    if mentions and _WITHDRAWN.match(mentions[0].rest) and (mentions[0].opens or has("own", mentions[0].segment)):
        return _withdraw(mentions[0].value)
    is_own = moves or speaks_of_own(whole) or _MY_VOTE.search(text) is not None
    if not (takes_back or changes or corrects or moves) or not is_own:
        return None
    if takes_back and _LEFT_HERE.search(text):
        takes_back = False
    targets = [
        m
        for m in mentions
        if (_ARROW.search(m.lead) or (_ARRIVES.search(m.lead[-60:]) and not is_origin(m) and not m.opens))
    ]
    targets = [m for m in targets if m.is_apart or m.claimed is not None or re.match(r"^\s*[^\W\d]", m.rest)]
    verbs = [m.start() for name in ("change", "correction", "takeback") for m in find_words(name, whole)]
    targets = [m for m in targets if moves or min(verbs, default=0) < m.start]
    if _YOURS.search(text) or folded.rstrip().endswith("?"):
        return None
    if targets and (len(mentions) > 1 or changes or corrects or moves):
        target = targets[-1]
        before = folded[: target.start]
        if not (takes_back or corrects or moves) and len(mentions) == 1 and not _moves_a_vote(before):
            return None
        if has_condition(text) or any(has(name, _last_clause(before)) for name in _UNREAL):
            return _say(
                target, "conditional", Standing.UNCLEAR, "changes a vote, with a doubt about it: is it changed?"
            )
        return _say(target, "changed", Standing.CLEAR, "")
    if not takes_back:
        return None
    verb = min((m.start() for m in find_words("takeback", whole)), default=0)
    if has_condition(text[verb:]) or any(has(name, folded) for name in _UNREAL):
        return None
    if _MY_VOTE.search(text) or (mentions and verb < mentions[0].start and has("first_person", folded)):
        return _withdraw(mentions[0].value if mentions else "")
    return None


def _withdraw(value: str) -> Expression:
    return replace(say_in_words(None, None, "withdrawn", Standing.WITHDRAWAL, ""), value=value)


def _last_clause(text: str) -> str:
    return re.split(r"[,;:.!?]", text)[-1]


def _moves_a_vote(before: str) -> bool:
    """Whether the words between verb and value are a voter's: "moving up to", "I now vote", "back to"."""
    found = find_words("change", before)
    if not found:
        return False
    between = leaves_only(("own", "filler", "change", "casts", "mine"), before[found[0].end() :])
    front = leaves_only(
        ("own", "filler", "change", "casts", "mine", "takeback", "approval", "assent"),
        _last_clause(before[: found[-1].start()]),
    )
    subject = re.search(
        r"\b(?:i|i'm|i am|i'll|i've|i have|i will|me|my vote|my)\s*(?:now |hereby |therefore |thus |then |also |"
        r"just )*$",
        before[: found[0].start()],
    )
    return (not between and (not front or subject is not None)) or _MY_VOTE.search(before) is not None


def _say(m: Mention, rule: str, standing: Standing, why: str) -> Expression:
    return Expression(
        choice=m.choice, value=m.value, claimed_binding=m.claimed, line="", rule=rule, standing=standing, why=why
    )


@dataclass(frozen=True, slots=True)
class Telling:
    """A rule about a sentence without a value. `when` gets it as written and folded; what it takes is a doubt."""

    name: str
    when: Callable[[str, str], bool]
    why: str
    takes: tuple[str, ...]


def _takes_back(text: str, folded: str) -> bool:
    return has("takeback", folded) and has("mine", folded) and _MINOR.search(folded) is None and not _YOURS.search(text)


_MINOR = re.compile(
    r"\b(?:ignore|disregard)\b[^.!?]{0,30}"
    r"\b(?:questions?|comments?|remarks?|nits?|attachment|noise|format\w*)\b"
)


def _gone_astray(text: str, folded: str) -> bool:
    return has("astray", folded) and _MINOR.search(folded) is None and not _YOURS.search(text)


def _turned(text: str, folded: str) -> bool:
    return has("turned", folded) and (has("first_person", folded) or len(folded) < 60) and not _YOURS.search(text)


def _corrects(_text: str, folded: str) -> bool:
    return has("correction", folded) and ("sign" in folded or has("mine", folded))


def _changes(text: str, folded: str) -> bool:
    return has("change", folded) and _MY_VOTE.search(text) is not None and not _YOURS.search(text)


TELLINGS: tuple[Telling, ...] = (
    Telling(
        "taken-back",
        _takes_back,
        "speaks of taking something back: the vote?",
        ("Please drop what I sent an hour ago.",),
    ),
    Telling(
        "astray",
        _gone_astray,
        "says that something went astray: the vote?",
        ("That was meant for the other thread.",),
    ),
    Telling(
        "turned",
        _turned,
        "says that the mind has changed: and the vote?",
        ("My concern has been dealt with.",),
    ),
    Telling("corrected", _corrects, "corrects something: the vote?", ("Wrong sign above.",)),
    Telling(
        "change-without-value",
        _changes,
        "changes a vote, and does not say to what",
        ("I have changed my vote.",),
    ),
)


def _takes_a_stand(_text: str, folded: str) -> bool:
    return has("stance", folded) and has("first_person", folded)


#: told only where the sentence approves of nothing either
STANCE = Telling(
    "stance",
    _takes_a_stand,
    "says where its author stands: as the vote does?",
    ("I am with the other camp now, I oppose it.",),
)


def find_telling(text: str) -> Telling | None:
    """The first rule about sentences without a value that takes this one."""
    folded = fold(text)
    return next((t for t in TELLINGS if t.when(text, folded)), None)


_CLAIM = re.compile(r"(?:[(\[,–—-]\s*|\b)(?:non?e?[- ]{0,2})?(?:b[a-z]{4,8}|nb)\b", re.I)
_NAMED = {"vote_for": Choice.FOR, "vote_against": Choice.AGAINST}
_CITES = re.compile(r"\b(?:said|wrote|says|writes)\b|[\"“«][^\"”»]{0,40}\b(?:vote|voto|stimme)\b")
_APPROVALS = {"approval": Choice.FOR, "rejection": Choice.AGAINST, "abstention": Choice.ABSTAIN}


def read_words(text: str, *, answers: str) -> Expression | None:
    """The vote that a sentence without a value casts in words, or may cast; None: it speaks of none."""
    folded = fold(text)
    if len(folded) > 400 or folded.rstrip().endswith("?"):
        return None
    casts = has("casts", folded)
    choices = {choice for name, choice in _APPROVALS.items() if has(name, folded)}
    if Choice.AGAINST in choices and Choice.FOR in choices:
        choices = {Choice.AGAINST}
    claimed = find_claim("", text) if _CLAIM.search(text) else None
    named = {choice for name, choice in _NAMED.items() if has(name, folded)}
    if not named:
        named = _behind_own_vote(folded)
    if named:
        choices = named
    elif casts and has("abstention", _behind_casts(folded)):
        choices = named = {Choice.ABSTAIN}
    elif claimed is not None and has("assent", folded):
        choices |= {Choice.FOR}
    if not choices and has("own_vote", folded) and len(folded.split()) <= 12 and not has("need", folded):
        return say_in_words(
            None, claimed, "vote-not-understood", Standing.UNCLEAR, "speaks of the own vote: what is it?"
        )
    if not choices:
        return None
    choice = next(iter(choices)) if len(choices) == 1 else None
    talked = has("hypothetical", drop("polite", folded)) or has("need", folded) or _CITES.search(folded) is not None
    doubted = choice is None or talked or has_condition(text)
    denied = has("negation", drop("undenied", folded)) and choice is Choice.FOR
    said_so = (
        "abstain" in folded
        and re.search(r"\bi(?:'ll| will| hereby| also| have to| must|'m going to| am going to)* abstain\b", folded)
        is not None
    )
    if named or said_so or (claimed is not None and _is_short(folded)):
        if answers and not named and claimed is None:
            return say_in_words(
                choice,
                claimed,
                "inline-answer",
                Standing.UNCLEAR,
                "answers a quoted remark within a discussion: a vote, or an answer?",
            )
        if doubted or denied:
            return say_in_words(
                choice,
                claimed,
                "conditional",
                Standing.UNCLEAR,
                "words that cast a vote, with a doubt about them: is it cast?",
            )
        return say_in_words(choice, claimed, "told-in-words", Standing.CLEAR, "")
    if answers or denied:
        return None
    if choice is Choice.AGAINST and has("first_person", folded):
        return say_in_words(
            choice, claimed, "objection", Standing.UNCLEAR, "objects, and gives no value: is it a vote?"
        )
    return (
        say_in_words(
            choice, claimed, "told-without-number", Standing.HINT, "approves, and gives no value: is it a vote?"
        )
        if _is_short(folded)
        else None
    )


def _behind_own_vote(folded: str) -> set[Choice]:
    """What "my vote is" or "I vote" is followed by at once: yes or no."""
    found = find_words("own_vote", folded)
    rest = folded[found[0].end() :][:30] if found else ""
    said = {name: find_words(name, rest) for name in ("yes", "no")}
    return {
        choice
        for name, choice in (("yes", Choice.FOR), ("no", Choice.AGAINST))
        for m in said[name][:1]
        if not leaves_only(("filler", "own"), rest[: m.start()])
    }


def say_in_words(choice: Choice | None, claimed: bool | None, rule: str, standing: Standing, why: str) -> Expression:
    """What words without a value come to."""
    return Expression(choice=choice, value="", claimed_binding=claimed, line="", rule=rule, standing=standing, why=why)


def _behind_casts(folded: str) -> str:
    found = find_words("casts", folded)
    return folded[found[0].end() :][:40] if found else ""


def _is_short(folded: str) -> bool:
    return len(folded.split()) <= 14 or not any("a" <= c <= "z" for c in folded[:20])
