"""Rules for talk about votes: of other times, other people, other things.

Each docstring holds what its rule takes, and what it must leave to others ("not:").
"""

from __future__ import annotations

import re

from kipflow.domain.votes import Choice
from kipflow.mail.announcements.names import find_names, is_own
from kipflow.mail.quotes.headblocks import HEADER_FIRST
from kipflow.mail.votes import generally, people, technical
from kipflow.mail.votes.about import About
from kipflow.mail.votes.conditions import MARK
from kipflow.mail.votes.labelrules import ITEM, PASSED_ON, find_label_rule
from kipflow.mail.votes.lexicon import begins, drop, ends, find_words, fold, has, leaves_only
from kipflow.mail.votes.mentions import Mention
from kipflow.mail.votes.verdicts import Table, Verdict

ASK, IGNORE = Verdict.ASK, Verdict.IGNORE
rule = Table()


@rule(IGNORE, "speaks of several votes")
def several(m: Mention) -> bool:
    """The +1 votes carry over if all agree | Once more +1 votes come in | not: I repeat my +1 votes | not: +1 votes"""
    return people.is_of_several(m)


@rule(IGNORE, "is others', or speaks of voting in general")
def of_others(m: Mention) -> bool:
    """All who voted +1 know why | There is little precedent in people voting -1 | not: You have my +1"""
    return generally.is_of_others(m)


@rule(ASK, "a condition stands with the vote: is it met?")
def conditional(m: Mention) -> bool:
    """+1 if renamed | Once the name is fixed, +1 | Happy to +1 if needed | not: +1, even if it takes another release"""
    is_talk = people.YOURS.search(m.lead) or generally.is_of_third(m) or generally.invites(m) or generally.is_of_any(m)
    if is_talk or (m.choice is Choice.ABSTAIN and m.opens and _DONT_CARE.fullmatch(m.rest) is not None):
        return False
    return m.is_conditional or begins("offered", fold(m.rest).lstrip(" ,("))


#: "+0, don't care where it lives as long as somebody writes it", "-0, won't object if the others want it"
_DONT_CARE = re.compile(
    r"\W*(?:(?:but|and) )?(?:i )?(?:(?:do not|don['’]t) (?:care|mind)\b|(?:will not|won['’]t) (?:object|stand in)\b"
    r"[^,;.]* if (?:the )?(?:others?|everybody|everyone|majority|rest|community)\b)"
    r"(?!.*(?:\b(?:otherwise|else|unless|against|which case|for it|if not)\b|[+-]\s?[01])).*",
    re.I,
)
_NUMBER = re.compile(r"(?<![\w.-])(?:\d{1,3}|the|these|those|no)\b")
_ARTICLE = re.compile(r"\b(?:the|an?)\s*$")
#: "2 binding (Jun, Mara) + 1 non-binding": adds up
_ADDS_UP = re.compile(r"(?<![\w.-])\d{1,2}(?: x)? (?:(?:non-?)?binding|votes?|\()[^.;:!?]{0,80}$", re.IGNORECASE)
#: "+2 binding, +1 non-binding"
_SUM = re.compile(r"(?<![\w.])[+-]\s?(?:[2-9]|\d\d)\s*\(?(?:non-?\s?)?binding", re.IGNORECASE)
#: "2 x +1 binding"
_TIMES = re.compile(r"(?<![\w.])(?:[2-9]|\d\d) ?[x×*] ?$", re.IGNORECASE)
#: "+1 x2 and -1 x1", "+1 binding 2 (Jun, Ola), -1 none"
_TIMES_BEHIND = re.compile(
    r"\s*(?:[x×] ?\d{1,2}\b|\d{1,2} \((?-i:[A-Z@])|(?:none|nobody)\W*$"
    r"|[一二两三四五六七八九十\d]{1,2}\s?[票표])",
    re.IGNORECASE,
)


@rule(IGNORE, "counts votes, casts none", mine=ASK, standalone=ASK)
def counted(m: Mention) -> bool:
    """2 binding + 1 non-binding | We have three +1 now. | One more +1 would do. | not: Another +1 (binding) for you"""
    if _SUM.search(m.sentence.text):
        return True
    if (" " in m.written and _ADDS_UP.search(m.lead)) or people.is_counted_in_brackets(m) or _TIMES.search(m.lead):
        return True
    if not (m.opens and m.sentence.starts_line) and _TIMES_BEHIND.match(m.rest):
        return True
    is_another = people.is_one_more(m) and not begins("discussed", fold(m.rest))
    if is_another or (m.is_claimed and m.clause.endswith("another")):
        return False
    if m.opens or m.mine_follows or technical.is_number_before(m.lead, m.tail):
        return False
    numbers = [*find_words("quantity", m.clause), *_NUMBER.finditer(m.clause)]
    counting = (n for n in numbers if not leaves_only(("vote_words",), m.clause[n.end() :]))
    return any(not ends("presents", _ARTICLE.sub("", m.clause[: n.start()])) for n in counting)


#: "+1 needed from two more committers"
_IS_NEEDED = re.compile(
    r"\s*(?:votes? )?(?:(?:is|are|still|now) )*(?:needed|required|missing|wanted|lacking|outstanding)"
    r"(?=\W*$|\s+(?:from|by|for|before|until|to|here|in)\b)",
    re.IGNORECASE,
)


@rule(IGNORE, "speaks of votes that are needed or in", standalone=ASK)
def needed(m: Mention) -> bool:
    """Falta +1 aquí | +1: 3, -1: 0 | not: +1 (binding), only one more needed | not: +1 (binding) - we need it"""
    if re.match(
        r"\s*(?:votes?)?\s*(?:(?:[:=]|\.{2,}|…)\s*\d+\s*(?:$|[,;.(/]|(?:non-?)?binding|votes?|pmc|committer|people|member|(?-i:[A-Z]))|\(\d)",
        m.rest,
        re.I,
    ):
        return True
    if generally.invites(m):
        return True
    if m.opens or m.choice is Choice.AGAINST:
        return _IS_NEEDED.match(m.rest) is not None  # not "-1 missing NOTICE file", "+1 we need it"
    return bool(m.segment) and not m.is_mine and (has("need", m.near) or has("need", m.segment))


#: "register your vote so, e.g." and "+1 jo (PMC)" below it
_EXAMPLE = re.compile(
    r"\b(?:vot\w*|repl\w+|answer\w*|writ\w+|register\w*)\b[^.!?]*"
    r"\b(?:e\. ?g\.|i\. ?e\.|for (?:example|instance))[,:]?\s*$",
    re.IGNORECASE,
)


@rule(ASK, "stands in a quotation that goes on below: whose words?")
def cited(m: Mention) -> bool:
    """Jun writes: "-1 (binding) for now | not: Jun, "names", +1 (binding)"""
    above = m.sentence.preceding.rstrip()
    # "Just reply with", and "and it is counted" after it
    goes_on = not m.rest.strip(" .!") and above[-1:].isalnum() and m.sentence.following[:1].islower()
    if m.opens and (goes_on or _EXAMPLE.search(above) or any(map(_heads_mail, above.split("\n")))):
        return True
    opened = m.lead.lstrip()[:1] if m.sentence.preceding.rstrip().endswith((":", "：")) else m.lead[-1:]
    closing = {'"': '"', "“": "”", "«": "»", "„": "“"}.get(opened)
    return closing is not None and m.sentence.text.count(closing) < (2 if closing == opened else 1)


def _heads_mail(line: str) -> bool:
    """Whether a line is the header of a mail that is passed on: "From: Jun Okafor <jun@okafor.example>"."""
    header = HEADER_FIRST.match(line)
    return header is not None and bool(find_names(line[header.end() :].partition("<")[0].strip()))


#: "My own +1 is non-binding.", "My +1 is in."
_SAYS_IF_BINDING = re.compile(
    r"\s*is (?:(?:not |non-?)?binding\b|unconditional\b|(?:in|included|cast|given|here)\s*[.!])"
    r"|\s*goes (?:to|with) (?:it|(?:this|the) (?:kip|proposal|plan|design|release))\b",
    re.IGNORECASE,
)
_IS_SAID_OF_IT = re.compile(
    r"\b(?:is|was|has|had|got)\b|^\W*(?:(?:do|does|did|can|could|would|should|may|might|must|will)(?:n['’]t|not)?|cannot|won['’]t)\b"
    r"|^\W*(?:will (?:follow|come|arrive|be (?:there|sent|cast))|comes (?:later|soon|tomorrow|on|next|when|once))\b"
)


_IS_PAST = re.compile(
    r"\b(?:(?:is|has been|was) (?:now )?(?:resolved|fixed|addressed|settled|moot|obsolete)|was for)\b"
)


@rule(IGNORE, "speaks about a vote", mine=ASK)
def talked_of(m: Mention) -> bool:
    """A +1 was sent on Friday | Jun's vote, +1, was late | not: +1, is there a ticket?"""
    if generally.is_of_any(m) or (not m.opens and re.match(r"\s*,\s*(?:was|were|had|came|counts)\b", m.rest)):
        return True
    if m.segment.endswith(("my", "my own")):
        if _SAYS_IF_BINDING.match(m.rest) or (has("restated", m.near) and not has("part", m.near)):
            return False
        if (not m.ends_clause and _IS_SAID_OF_IT.search(m.near) is not None) or _IS_PAST.search(m.near) is not None:
            return True  # "My -1 from RC1 is a veto", "My -1 on RC1 is resolved"
    behind = fold(m.rest.lstrip(" \"'”’»`*"))
    if behind.startswith("is what ") and not m.opens:
        return False
    return begins("discussed", behind) and (behind.startswith("here") or not m.mine_follows)


_REASON = re.compile(r"^[^.;!?]{0,40}\b(?:reasons?|concerns?|grounds)\b")

_THAT = re.compile(r"that\s*(?:$|[.,;:!])")


@rule(IGNORE, "agrees with a remark")
def on_a_remark(m: Mention) -> bool:
    """+1 on Jun's comment | I'm +1 to that suggestion | not: +1 on KIP-7, Jun's comment aside"""
    is_on_all = m.is_mine and _THAT.match(m.object) is not None  # "I'm +0 on that."
    gives_reason = m.choice is Choice.AGAINST and _REASON.search(m.object) is not None  # "-1 for the above reasons"
    return m.about is About.REMARK and not (m.is_claimed or is_on_all or gives_reason)


@rule(ASK, "on a part of it: is it a vote on the whole?")
def part(m: Mention) -> bool:
    """+1 (binding) to the renaming | not: +1 (binding) to the proposal"""
    return m.about in {About.PART, About.REMARK}


@rule(ASK, "names somebody, or has come in: whose vote is it?")
def with_a_name(m: Mention) -> bool:
    """+1 (binding) from Jun Okafor | So far: +1 (Jun) | We have a +1 (binding) | not: +1 (binding) from me"""
    has_come_in = ends("in_hand", m.clause.removesuffix(" a")) and not m.mine_follows
    is_relayed = m.is_claimed and has("proxies", fold(m.sentence.text))
    return (
        has_come_in
        or is_relayed
        or people.is_named(m)
        or people.is_of_tally(m)
        or people.KEEPS_TALLY.search(m.lead) is not None
        or people.IN_CHAT.match(m.lead) is not None
    )


@rule(IGNORE, "speaks of somebody else's vote", mine=ASK, standalone=ASK)
def of_another(m: Mention) -> bool:
    """Jun gave his +1 already | So it is a +1 from you, right? | not: Like Jun I am +1"""
    if people.OF_SOMEBODY.match(m.whom) or people.SOMEBODYS.search(m.lead):
        return True
    if generally.is_of_third(m):
        return True
    if not m.mine_follows and (people.YOURS.search(m.lead) or people.ANOTHERS.search(MARK.split(m.lead)[-1])):
        return True  # "I think Ravi's vote should be taken as +0"
    is_given = m.mine_follows or people.is_one_more(m)
    return not m.opens and has("other", m.segment) and not is_given


#: "I'm siding with him": cites nobody
_WITH_WHOM = re.compile(r"ing with (?:him|her|them|you)$")
#: "Abstain: 0" beside "Yes: 3"
_SIDE = re.compile(r"\W*(?:yes|no|for|against|veto(?:es)?|abstain(?:ed)?|abstentions?)\W*", re.IGNORECASE)


@rule(ASK, "stands behind a label or a name: whose, and on what?", rivals=True)
def labelled(m: Mention) -> bool:
    """Windows: +1 | The bot commented: +1 | not: My vote: +1"""
    label = find_label_rule(m.label, m.choice, is_claimed=m.is_claimed) if m.label else None
    if m.mine_follows and not ITEM.match(m.sentence.line.text):  # "- the limits: -1 from me" is on a part
        leads = label.introduces_vote if label is not None else not m.label
        is_writers = has("first_person", fold(m.label)) and not (label is not None and label.of_others)
        return not (leads or is_writers)
    counts = m.written == "0" and _SIDE.fullmatch(m.label) is not None
    heads_list = m.opens and m.rest.strip() == ":" and m.sentence.following.strip()  # "+1 (binding):"
    if counts or heads_list or ends("example", fold(m.lead)):
        return True
    cites = _WITH_WHOM.sub("", drop("leads_in", fold(m.lead.rpartition(": ")[0])))  # "Jun said: I vote +1"
    if any(ends(name, cites) for name in (*PASSED_ON, "other")) and "i" not in cites.split():
        return True
    leads_up = label is not None and label.introduces_vote
    return bool(m.label) and not leads_up and not is_own(m.label, m.author)


@rule(IGNORE, "asks about votes in general")
def asked_of_any(m: Mention) -> bool:
    """Is a +1 from a committer enough? | Do you mean +1 again? | Would you -1 it for that? | not: Is it late? +1"""
    return generally.is_asked(m)
