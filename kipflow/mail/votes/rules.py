"""Rules for written values that are not just talk: what makes a vote doubtful, what casts it.

A value that no rule takes for a vote becomes a question if it looks like one. Each docstring holds what its rule takes,
and what it must leave to others ("not:").
"""

from __future__ import annotations

import re

from kipflow.domain.votes import Choice
from kipflow.mail.announcements.names import can_be_listed
from kipflow.mail.votes import people, technical
from kipflow.mail.votes.about import About
from kipflow.mail.votes.conditions import MARK, is_unsure
from kipflow.mail.votes.labelrules import begins_with_ground
from kipflow.mail.votes.lexicon import begins, drop, fold, has
from kipflow.mail.votes.mentions import Mention
from kipflow.mail.votes.retractions import is_retracted
from kipflow.mail.votes.values import speaks_of_itself
from kipflow.mail.votes.verdicts import Table, Verdict

CAST, ASK, IGNORE = Verdict.CAST, Verdict.ASK, Verdict.IGNORE
rule = Table()


#: "+0 / +1", "0 to +1", "+1 -1", "-1 -> 0"
_ANOTHER = re.compile(r"\s*(?:(?:/|to|or|\.{2,3})?\s*(?=[+-])|(?:-+>|=+>|→)\s*)(?P<other>[+-]?\s?[01])\b(?![.\d])")
_BEHIND_ANOTHER = re.compile(r"(?<![\w.+-])(?<!from )(?P<other>[+-]?\s?[01])\s*(?:/|to|or|\.{2,3})\s*$")
#: "0 instead of the -1"
_INSTEAD_OF_VALUE = re.compile(r"instead of (?:the|my)(?: \w+)? (?:[+-]?\s?[01]|minus|zero|veto|no)(?=\s*(?:[.,;!]|$))")


@rule(ASK, "is not said outright: is it a vote?")
def hedged(m: Mention) -> bool:
    """+1 (maybe) | +1 the config | -1 it is. | not: +1, with a nicer name later | not: +1 without reservation"""
    behind = fold((m.tail if "(" in m.tail[:3] and not m.is_claimed else m.rest)[:60])
    behind = drop("not_negation", behind).lstrip(" (,.-–—…")
    is_verb = m.opens and m.choice is Choice.FOR and re.match(r"\s+(?:the|an?)\s+\w", m.tail)
    beside = (_ANOTHER.match(m.rest), _BEHIND_ANOTHER.search(m.lead))
    is_between = any(found["other"] != m.value for found in beside if found)
    is_robot = m.choice is Choice.AGAINST and not m.is_claimed and behind.startswith("overall")  # Yetus
    return bool(
        is_robot
        or is_verb
        or is_between
        or (begins("hedge", behind) and not _INSTEAD_OF_VALUE.match(behind))
        or is_unsure(m.rest)
        or has("in_part", m.clause)
        or (m.opens and m.choice is not Choice.FOR and m.near.strip() == "it is" and not m.is_claimed)
    )


@rule(ASK, "a number that does or measures something, or a vote?")
def subject(m: Mention) -> bool:
    """-1 disables the limit | With the sentinel, -1, first | not: -1, it breaks the build"""
    if technical.measures(m.lead) and not (m.label or m.is_claimed or m.is_mine or m.opens):
        return True
    is_setting = m.choice is not Choice.FOR and m.opens and technical.find_meaning(m.rest)
    if is_setting or re.match(r"\s*\([^()]{1,40}\)\s+[a-z]+(?:ed|s)\b", m.rest):
        return True
    verb = re.match(r"\s+(?:[a-z]+s|doesn['’]t|can|cannot)\b", m.tail)
    return m.choice is not Choice.FOR and m.opens and verb is not None and not begins("said_of_it", fold(m.tail))


@rule(ASK, "a question: is it a vote?")
def question(m: Mention) -> bool:
    """+1? | Shouldn't that be -1? | not: +1. Which release is it for?"""
    if not m.sentence.text.rstrip(" !").endswith("?"):
        return False
    asks = not m.opens and (begins("asks", m.clause) or (bool(m.segment) and not m.ends_clause))
    return asks or re.match(r"\W*(?:\w+\s?){0,2}\?", m.rest) is not None


@rule(ASK, "would vote, or did not: does it?")
def hypothetical(m: Mention) -> bool:
    """I would give it a +1 | I did not vote: -1 | not: I would like to vote: +1 | not: I won't approve it: -0"""
    label = fold(MARK.split(m.label)[-1]).strip()
    # "As it does not", "No problems in our cluster"
    is_ground = begins_with_ground(label) or (m.is_claimed and label.startswith(("no ", "nothing ")))
    # "I won't block it, nor approve it: -0" denies nothing
    denies = not is_ground and has("negation", m.lead_in) and m.choice is not Choice.ABSTAIN
    abstains = m.choice is Choice.ABSTAIN and has("abstention", fold(m.label))  # "I'd rather abstain: 0"
    if (has("hypothetical", m.lead_in) and not abstains) or denies:
        return True
    is_maybe = not m.opens and has("hypothetical", drop("polite", m.clause))
    return is_maybe and (m.speaks_of_mine or m.is_mine or m.is_claimed)


#: most words between a negation and the value with a claim to bind that it denies
_NEAR = 5


@rule(IGNORE, "says what the vote is not", mine=ASK, standalone=ASK, denies=True)
def denied(m: Mention) -> bool:
    """This is not a -1 | not: No doubt, +1 | not: Not my area but +1 | not: No points left, I give a +1 (binding)"""
    words = drop("not_negation", m.clause)
    near = " ".join(words.split()[-_NEAR:]) if m.is_claimed else words
    return not m.opens and bool(m.segment) and has("negation", near)


@rule(ASK, "in words that take it back, change it or leave it out: what is the vote now?", denies=True)
def retracted(m: Mention) -> bool:
    """Please take my -1 out of the count. | I'm flipping my -1 | not: I drop my concern, +1"""
    return not m.opens and m.segment.endswith("my") and is_retracted(drop("no_retraction", fold(m.sentence.text)), m)


#: most characters between a value and the word that says it stands: "My +1 from the last round still holds"
_RESTATED = 45


@rule(CAST, "")
def restated(m: Mention) -> bool:
    """My earlier +1 still stands. | not: My earlier +1 no longer stands."""
    stands = has("restated", m.near[:_RESTATED]) or (not m.opens and has("restated", m.segment))
    if not stands or m.clause.startswith("let") or " until " in m.segment:  # "It stays open until we have a -1"
        return False
    return not has("negation", drop("unbound", m.near[:_RESTATED])) and (m.is_mine or m.speaks_of_mine)


@rule(ASK, "speaks of an earlier vote: does it stand?")
def earlier(m: Mention) -> bool:
    """Voted +1 yesterday already | not: +1, as I said earlier"""
    return (not m.opens and has("earlier", m.segment)) or begins("still_counts", fold(m.rest))


#: "In the tally I'm +1", "I see I'm +1 in your count"
_IN_COUNT = re.compile(
    r"\b(?:in|to|by) (?:(?:the|your) (?:tally|count|results?|spreadsheet|summary|bot)|your (?:list|table|mail))\b"
    r"|\b(?:tally|count|spreadsheet|summary|bot) (?:says?|shows?|has|have|lists?)\b",
    re.IGNORECASE,
)


@rule(ASK, "speaks of a count of votes: is it the vote?")
def in_a_count(m: Mention) -> bool:
    """In the tally I'm +1 (binding) | not: +1 (binding), please add it to the tally"""
    return not m.opens and _IN_COUNT.search(m.sentence.text) is not None


@rule(ASK, "says that it went astray: does it count?")
def misdirected(m: Mention) -> bool:
    """+1 (binding), sorry, wrong thread. | not: Sorry, wrong thread before. +1 (binding)"""
    return has("misdirected", fold(m.rest)[:40])


@rule(ASK, "on something that may not be the proposal: is it a vote on it?")
def on_something(m: Mention) -> bool:
    """+1 for the new wiring | not: +1 for KIP-7"""
    return m.about is About.UNKNOWN


def _heads_prose(m: Mention) -> bool:
    """Whether text follows below it, not a list of names: "+1 (binding)" and then "So the vote passes."."""
    below = m.sentence.following.strip(" \n-*•")
    return below[:1].isalpha() and not can_be_listed(below)


@rule(CAST, "")
def opening(m: Mention) -> bool:
    """+1 | +1 (binding), thanks! | -1 breaks the build | Took me a while, but here it is: +1 (binding) | not: +1?"""
    begins_mail = m.opens and not m.sentence.preceding.strip()  # "+1. It passed", "-0: as its author I am in doubt"
    is_whole = m.rest.strip() in {".", "!"} or (not m.rest.strip() and _heads_prose(m))
    is_own = begins_mail and (is_whole or speaks_of_itself(fold(m.rest)))
    if m.lead.endswith("so ") and m.rest.lstrip().startswith(("from a ", "from an ")):
        return False  # "PPMC votes count, so +1 from a PPMC member"
    may = not m.is_result or m.mine_follows or is_own or has("my_vote", fold(m.lead))
    return may and m.ends_clause and (m.opens or not m.segment)


#: who is, votes or gives something; for a negative number "it's -1" and "I get -1" are too vague
_IS = re.compile(
    r"\b(?:(?:i|we)(?:['’](?:m|re)| am| are)\b(?! for$)|vot|(?:take|count|treat) (?:it|this) as"
    r"|(?:i|we) (?:\w+ ){0,3}(?:stay|remain|give|say|cast)\b)"
)
#: "Good, then please take +1 (binding) from me", not "the bot listed"
_TAKE = re.compile(r"\b(?:take|count|add|put|note|record|file|register|accept)$")
_SAYS_OF_IT = re.compile(r"\b(?:it|that|this|gets?|is)\b")
#: "A -1 (binding) without a reason is no veto"
_SAYS_OF_ANY = re.compile(
    r"[^\W\d][^.;!?]*\b(?:is|isn['’]t|are|was|needs?|means?|counts?|must|should|can|cannot|requires?)\b"
)


def _says_whose(m: Mention) -> bool:
    if m.is_claimed or m.mine_follows or m.follows_article or has("my_vote", fold(m.lead)):
        return True
    casts = _IS.search(m.segment) is not None or any(has(name, m.segment) for name in ("from_me", "casts"))
    return casts or _SAYS_OF_IT.search(m.segment) is None


@rule(CAST, "")
def stated_as_own(m: Mention) -> bool:
    """I am +1 on this | Still +1 from me | not: Jun is +1 on this | not: I checked the code, it's -1."""
    is_bare = m.segment in {"a", "an", "the"}  # "A -1 with reasons is welcome"
    is_over = not m.rest.strip(" .!") or m.mine_follows or begins("goes_on", fold(m.rest))
    is_over = is_over or (m.is_claimed and _SAYS_OF_ANY.match(m.rest.strip()) is None)
    of_any = is_bare and (m.about is not About.NOTHING or not is_over)
    from_any = m.segment in {"a", "an", "the", "so", "then"} and m.rest.lstrip().startswith(("from a ", "from an "))
    of_others = of_any or from_any or people.is_wanted(m) or has("group", drop("from_me", m.segment))
    is_given = m.is_claimed and m.mine_follows and _TAKE.search(m.segment) is not None
    if not m.segment or (m.unknown and not is_given) or of_others:
        return False
    looks_on = is_bare and not m.is_claimed and m.lead.strip(" ").lower() != m.segment  # "Great, a +1!"
    if looks_on or (m.choice is not Choice.FOR and not _says_whose(m)):
        return False
    return (m.ends_clause or m.is_claimed) and (not m.is_result or m.is_mine)


_TALK = ("need", "quantity", "other", "negation", "hypothetical", "earlier", "measure")
#: most words before a vote with a claim to bind: anybody's, and the writer's
_FEW, _MANY = 4, 15
#: somebody gives a vote, in any other words: "Without any doubt I give to this proposal my binding"
_GIVES = re.compile(
    r"\b(?:i|we|myself)(?:['’](?:m|ll|ve|d))?(?: \w+){0,3}"
    r" (?:giv|cast|fil|add|vot|say|leav|send|record|mean|offer|submit|convey|put)"
    r"|\b(?:file|record|register|note|put|count|enter|list|consider|accept|take)(?: \w+){0,2} (?:my|me|mine)\b"
    r"|\b(?:it|this|you|package|thing|kip|proposal) (?:ha(?:s|ve)|gets?|deserves|earns) my$"
)
#: somebody's, or one of many
_OF_WHOM = re.compile(r"\b(?:my|our|he|she|they|who|an?|the|is|are)\b|['’]s\b")


@rule(CAST, "")
def claimed(m: Mention) -> bool:
    """Ahoj, dávám +1 (binding) | File my vote as -1 (binding) | not: Jun gave +1 (binding)"""
    clause = MARK.split(m.lead)[-1]
    words = re.findall(r"[^\W\d_][\w'-]*", clause)
    capitals = [w for w in (words if clause != m.lead else words[1:]) if w[0].isupper() and w != "I"]
    named = any(not w.startswith("I'") for w in capitals)
    said = drop("leads_in", drop("polite", m.segment))
    casts = has("casts", m.segment)
    talks = said.startswith(("you ", "they ", "got")) and not casts
    talks = talks or any(has(name, said.replace("i mean", "")) for name in (*_TALK, "reports", "cites", "introduces"))
    talks = talks or (bool(m.unknown) and "is" in m.segment.split() and not m.speaks_of_mine)  # "Jun is +1"
    if not m.is_claimed or m.is_result or named or talks or people.is_wanted(m):
        return False
    is_beside = m.tail.lstrip() != m.rest or "bind" in " ".join(m.segment.split()[-2:])
    is_own = casts or _GIVES.search(m.segment) is not None
    if is_own and is_beside and m.ends_clause:
        return len(words) <= _MANY
    if capitals or (m.unknown and _OF_WHOM.search(m.segment)):
        return False
    return len(words) <= _FEW and (not m.rest.strip() or bool(m.place) or m.rest.lstrip()[:1] in ",.;:!)。，！—–-")


@rule(ASK, "looks like a vote, in words that are not understood: is it one?", rivals=True)
def not_understood(m: Mention) -> bool:
    """Windows +1 | Taking the mumble flurb gronk blarg into account +1 | Add a +1 row for the rack | not: +1 from me"""
    return bool(m.written)
