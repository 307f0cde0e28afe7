"""Whether the words before a value, up to a colon, introduce its writer's own vote: "Windows: +1" does not."""

from __future__ import annotations

import re

from kipflow.domain.votes import Choice
from kipflow.mail.announcements.names import find_names
from kipflow.mail.votes.conditions import UNDERSTOOD, find_unknown
from kipflow.mail.votes.incomplete import BE, NAME, is_incomplete
from kipflow.mail.votes.label import Label, LabelRule
from kipflow.mail.votes.lexicon import begins, drop, ends, has, leaves_only

ITEM = re.compile(r"\A\s*(?:[-*•·]|\(?(?:\d{1,2}|[a-h])[.)])\s")
_WRITER = re.compile(r"\b(?:i|we|(?<!and )me(?! and)|in my (?:opinion|view|eyes))\b")
_OWN_CLAUSE = re.compile(r"\W*(?:(?:so|and|but|hence|still|now)\W+)*(?:i|we)\b(?:(?!\b(?:it|him|his|hers?|them)\b).)*")
#: "我现在也看完了", "私も"; with a claim to bind
_WRITER_WIDE = re.compile(
    r"^\W*(?:(?:这个|這個)?(?:我|本人)(?:也|现在|現在|已经|已經|刚|剛|都|看|读|讀|测|測|试|試)|(?:私|저)(?:は|も|는|도))"
)
#: the end of words about somebody else's act, or about something to be done
_POINTS = re.compile(r"\b(?:(?<!nothing )to \w+|on|for|from|at|is|are|be|means?)$|\b(?:by|who|doubt)\b")
#: "Late to the party (and my train has no wifi)"
_ASIDE = re.compile(r"\s*\((?:and|sorry|since|because|i|my|we|i['’]m)\b[^()]{0,80}\)", re.IGNORECASE)
_CLAIM_BEHIND = re.compile(r"\s*\((?:non-?)?binding\)$", re.IGNORECASE)
#: "I speak for Jun", "Let me put the vote of Jun here", "Jun's vote"
_FOR_NAME = re.compile(r"\b(?:for|from|votes? of)\s+[A-Z][a-z]|\b(?!Let\b)[A-Z]\w+['’]s vote\b|['’]s proxy\b")
_LABELS_ANOTHER = re.compile(r"\w\s?(?:->|=>|→|[:=])\s?[+-]\s?[01]\b")
_CASTING = re.compile(r"\W*voting (?:before|from|late|early|again|now|today|while|just|quickly|already)\b")
#: "#4711: +1" is on something else
_TICKET = re.compile(r"#\d+\s*$")
#: the label contradicts the vote: "Against: +1"
_OPPOSITE = {
    Choice.FOR: ("no", "vote_against", "rejection", "abstention"),
    Choice.AGAINST: ("yes", "vote_for", "approval", "assent", "abstention"),
}
#: "so I'll stay", "we are"
_OF_SELF = re.compile(
    r"^\W*(?:(?:so|and|but|hence|then|still|now|therefore)\W+)*(?:i|we)(?:['’](?:m|ll|re)| am| are| will| must)?"
    r"(?: (?:stay|remain|keep|vote))?\b"
)
#: the label says the same as the vote: "I stay neutral: 0"
_SIDES = {
    Choice.FOR: ("vote_for", "approval"),
    Choice.AGAINST: ("vote_against", "rejection"),
    Choice.ABSTAIN: ("abstention",),
}
#: one of these introduces the own vote
_LEADS = (
    *("leads_in", "sums_up", "own", "my_vote", "from_me", "voted_on", "vote_for", "vote_against", "approval", "praise"),
    *("rejection", "abstention", "assent", "yes", "no", "change", "changed_mind", "no_condition", "correction"),
)
#: a label with one of these passes on votes; a label of few words may also say what is missing or requested
PASSED_ON = ("relays", "reports", "source")
_NOT_NOW = ("other", "earlier", "demand", "group")
_LACKING = ("need", "quantity")
_UNSURE = ("hypothetical", "hedging", "hedge", "part", "measure", "in_part")
#: a sentence, not the name of a thing
_SAYS = re.compile(
    r"^\W*(?:(?:so|and|but|now|still|well|then|to me|for me|for us|imo|imho|in my (?:view|opinion|book)|\w+ly)\W+)*"
    r"(?:it|(?:this|that)(?: one| kip)?|these|those|there|all|everything|nothing|mine|i|we"
    r"|tests?|people|everybody)(?: of (?:it|this|that|them|these))?(?:['’](?:s|re|ve|ll|m)\b"
    rf"| (?:\w+ly )?(?:{BE}|has|have|will|does|do|looks?|seems?|sounds?|feels?|reads?|makes?|works?)\b)"
)
#: somebody or something else does something
_STATES = re.compile(rf"\b(?:{BE}|has|have|had|will|did|does|wants?|says?|needs?)\b|^\W*(?:as|one|half|what)\b")
#: with a claim to bind: "In this case, my very first vote on an Apache list", "Hi Jun, my vote is binding and clear"
_NAMES_VOTE = re.compile(
    r"\W*(?:(?:hi|hello|hey|dear|thanks|thank you)\b[^,]{0,30}, )?(?:in (?:this|that) case, )?(?:(?:and|so|then) )?"
    r"(?:with (?:great |much )?pleasure,? )?my (?:(?:very )?first vote(?: ever)?"
    r" (?:ever|(?:on|in) (?:an?|any) (?:[\w-]+ ){1,3}(?:list|project|community))"
    r"|vote is(?: (?:an?|and|(?:non-?)?binding|positive|negative|clear))*)"
)
#: the same: "I'm siding with him", "As said in the call"
_REFERS = re.compile(
    rf"(?i:(?:i(?:['’]m| am)? |we(?:['’]re| are)? )?(?:sid|vot)ing with) (?:{NAME}|(?i:him|her|them|you))"
    r"|(?i:as (?:said|promised|announced|mentioned) (?:in|on|at) the (?:\w+ )?(?:call|chat|meeting|review))"
)
#: "Same as Jun and Ola", "Same vote as last week"
_GOES_ALONG = re.compile(
    r"(?i:(?:(?:the )?same (?:vote |answer )?)?(?:as|like) (?:before|said|last \w+|in the (?:first|last|previous) \w+))"
    rf"|(?i:same (?:here )?as|like|(?:i )?agree(?:d|ing)? with|echoing|seconding) {NAME}(?:(?:,| and| &) {NAME}){{0,3}}"
)
_MANY = 4
#: a name: a capital within it, or an actor at its start: "Jun is away", "Babcia was right", not "It is ready"
_NAMES_ONE = re.compile(
    rf"\w\W+(?!I\b){NAME}|^\W*(?!(?:It|This|That|There|All|Everything|Nothing|No|Mine|What|I|[A-Z][a-z]+ing)\b)"
    rf"{NAME}(?:['’]s)? (?:{BE}|has|have|had|will|does|do|did|(?!this|his)\w+(?:s|ed))\b"
)


def _concludes(x: Label) -> bool:
    return begins("concludes", x.last) and not x.has("need") and not find_unknown(x.last)


def _passes_on(x: Label) -> bool:
    before = x.text.removesuffix(x.last).rstrip(" ,")  # "The page says 72 hours, so I am still in time"
    is_own = _OWN_CLAUSE.fullmatch(x.last) is not None and not any(ends(name, before) for name in PASSED_ON)
    said = drop("not_voted", drop("no_condition", drop("leads_in", drop("casts", x.last if is_own else x.text))))
    return any(has(name, said) for name in PASSED_ON) or (has("other", x.told) and "vote" in x.last)


def _says_the_opposite(x: Label) -> bool:
    names = _OPPOSITE.get(x.choice, ())
    return any(has(name, x.last) for name in names) and not leaves_only((*names, "whole"), x.last)


def _agrees(x: Label) -> bool:
    """Whether it only says on which side its writer is, the same as the value."""
    said = _OF_SELF.sub("", x.text)
    is_all = said != x.text and not leaves_only((*_SIDES[x.choice], "filler"), said)
    return is_all and any(has(name, x.text) for name in _SIDES[x.choice]) and not find_names(x.end)


def _is_understood(x: Label) -> bool:
    leads = any(has(name, f"{x.text}:") for name in _LEADS) or not leaves_only(("casts",), f"{x.text}:")
    lacks = x.choice is Choice.FOR and x.has(*_LACKING) and not has("presents", x.text)
    known = (*UNDERSTOOD, *_LEADS, *_LACKING, "whole")
    return leads and not (lacks or x.has(*_NOT_NOW)) and not leaves_only(known, f"{x.last}:")


def _names_another(x: Label) -> bool:
    return _FOR_NAME.search(x.end) is not None or (len(x.end) < len(x.written) and bool(find_names(x.end)))


def _is_lacking(x: Label) -> bool:
    if x.choice is not Choice.FOR or not x.has("need"):
        return False  # nobody collects votes against
    return x.has("quantity") or ends("need", x.told)


def begins_with_ground(clause: str) -> bool:
    """Whether a clause (in lower case) begins as a reason for the vote after it: "but as it does not"."""
    return begins("grounds", clause.removeprefix("but ").removeprefix("and "))


def _gives_grounds(last: str) -> bool:
    """Whether a label's last clause gives the vote's reason or role: "Since it is fixed", "After a long test"."""
    is_after = last.removeprefix("and ").startswith("after ") and begins("no_condition", last.removeprefix("and "))
    is_ground = begins_with_ground(last) or is_after
    return is_ground and not ends("leaves_open", last)


def _objects_if_against(x: Label) -> bool:
    """Whether a value below zero, without a claim to bind, has a reason before it: "I looked it up: -1" has none."""
    if x.choice is Choice.FOR or x.is_claimed:
        return True
    return any(has(name, x.text) for name in ("negation", "contrast", "rejection", "refuses", "alarm", "abstention"))


def _is_prose(x: Label) -> bool:
    """Whether it is a sentence, or enough words with a claim to bind: about no other vote, person or part."""
    counts = x.choice is Choice.FOR and (x.has("need") or ends("quantity", x.told)) and not has("presents", x.text)
    if counts or x.has(*_NOT_NOW, *_UNSURE) or "vote" in drop("my_vote", x.told):
        return False
    approves = x.has("approval", "rejection") and not _WRITER.search(x.told)  # "The vendor has approved"
    if approves or (find_names(x.end) and not x.is_adverb) or _NAMES_ONE.search(x.end) is not None:
        return False
    if not _objects_if_against(x):
        return False
    if x.is_adverb or _SAYS.search(x.last) is not None:
        return True
    return x.is_claimed and len(x.written.split()) >= _MANY and _STATES.search(x.last) is None


def _speaks_of_its_writer(x: Label) -> bool:
    """Whether it is not about what somebody else does or should do."""
    if x.is_claimed and _WRITER_WIDE.search(x.text) and not (x.has("negation") or x.has("condition")):
        return True
    if x.text.endswith(" but") and not leaves_only(UNDERSTOOD, x.text):
        return True  # "Late but", not "Jun is away but"
    if x.choice is Choice.ABSTAIN and has("abstains", x.text):
        return True  # "I abstain, as my team wants me to"
    if _POINTS.search(drop("polite", x.told)) is not None or x.has("group") or not _objects_if_against(x):
        return False
    return _WRITER.search(x.text) is not None or any(begins("leaves_out_i", said) for said in (x.text, x.last))


#: the first that takes a label decides; a label that none takes introduces no vote
LABEL_RULES = (
    LabelRule("concludes", True, _concludes, ("The wiki says opt-in, so", "Same result, so again")),
    LabelRule("ticket", False, lambda x: _TICKET.search(x.end) is not None, ("#4711",), of_others=True),
    LabelRule(
        "another value",
        False,
        lambda x: _LABELS_ANOTHER.search(x.written) is not None,
        ("RC1 -> -1, RC2",),
        of_others=True,
    ),
    LabelRule("agrees", True, _agrees, ("I'm all for it",)),
    LabelRule(
        *("refers", True, lambda x: _REFERS.fullmatch(x.written.strip()) is not None),
        ("I'm siding with Jun", "As said in the call"),
        if_claimed=True,
    ),
    LabelRule("passes on", False, _passes_on, ("Jun wrote", "Her vote"), of_others=True),
    LabelRule("lacks its end", False, lambda x: is_incomplete(x.end.strip()), ("I jotted down", "We agreed on")),
    LabelRule("says the opposite", False, _says_the_opposite, ("Against",)),
    LabelRule("greets", True, lambda x: begins("greeting", x.last) and "vote" not in x.last, ("Hi Jun",)),
    LabelRule(
        *("own vote", True, lambda x: has("my_vote", x.last) and ends("need", x.told)),
        ("My own vote is still missing",),
    ),
    LabelRule("understood", True, _is_understood, ("My vote", "Late to the party")),
    LabelRule(
        *("names the vote", True, lambda x: _NAMES_VOTE.fullmatch(x.text.strip()) is not None),
        ("In this case, my very first vote on an Apache list",),
        if_claimed=True,
    ),
    LabelRule("goes along", True, lambda x: _GOES_ALONG.fullmatch(x.end.strip()) is not None, ("Same as Jun",)),
    LabelRule("names another", False, _names_another, ("Sorry, Jun", "I speak for Jun"), of_others=True),
    LabelRule("something lacks", False, _is_lacking, ("We need one more",)),
    LabelRule(
        "gives grounds", True, lambda x: _gives_grounds(x.last) and not find_names(x.written), ("As it is fixed",)
    ),
    LabelRule(
        *("casts", True, lambda x: _CASTING.match(x.last) is not None and not find_names(x.end)),
        ("Voting before the long weekend",),
    ),
    LabelRule("prose", True, _is_prose, ("This will make our life easier",)),
    LabelRule("speaks of its writer", True, _speaks_of_its_writer, ("I could find no bug",)),
)


def find_label_rule(written: str, choice: Choice, *, is_claimed: bool) -> LabelRule | None:
    """The first rule that takes a label."""
    written = written if any(map(find_names, _ASIDE.findall(written))) else _ASIDE.sub("", written)
    label = Label(_CLAIM_BEHIND.sub("", ITEM.sub("", written)), choice, is_claimed)
    return next((row for row in LABEL_RULES if (is_claimed or not row.if_claimed) and row.when(label)), None)
