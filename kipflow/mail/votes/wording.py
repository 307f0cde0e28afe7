"""A vote cast in words alone: "I vote against", "yes from me, binding", "LGTM (binding)"."""

from __future__ import annotations

import re
from dataclasses import replace

from kipflow.domain.votes import Choice, Standing
from kipflow.mail.announcements.names import find_names
from kipflow.mail.votes.claims import find_claim
from kipflow.mail.votes.conditions import MARK, has_condition
from kipflow.mail.votes.findings import Finding, Role, find
from kipflow.mail.votes.lexicon import begins, drop, ends, find_words, fold, has, leaves_only
from kipflow.mail.votes.values import find_values

_CLAIM = re.compile(r"(?:[(\[,–—-]\s*|\b)(?:non?e?[- ]{0,2})?(?:b[a-z]{4,8}|nb)\b", re.I)
#: "Binding: yes": says whether the vote above binds
_SAYS_IF_BINDING = re.compile(r"\W*(?:non-?)?binding\s*[:=?]\s*\w+\W*", re.IGNORECASE)
#: a vote that is quoted, and votes that are counted: "3 票赞成、0 票反对"
_CITES = re.compile(r"[\"“«][^\"”»]{0,40}\b(?:vote|voto|stimme)\b|\d ?[票표]")
_NAMED = {"vote_for": Choice.FOR, "vote_against": Choice.AGAINST}
_APPROVALS = {"approval": Choice.FOR, "rejection": Choice.AGAINST, "abstention": Choice.ABSTAIN}
_EMOJI = re.compile(r"(?:^|[.!?]\s)\W*(?::[+-]1:|:thumbs|[👍👎])|(?::[+-]1:|[👍👎])\W*$")
#: "(Binding, neutral, and tired.)"
_ASIDE = re.compile(r"\s*\([^()]*\)\W*")
_LONGEST, _FEW = 400, 12  # characters of a sentence, and words that speak of the own vote
_FEW_IN_CLAUSE = 5  # words of a clause that only takes a side: "Sou contra esta proposta"
#: one of several that are voted on: "version 2", not "version 2.0" or "version 2 of the KIP"
_OPTION = re.compile(r"\bfor (?:the )?(?:version|draft)\s*#?\d{1,2}\b(?!\.?\d| of)")
#: "Opposed (binding)", "Nope, sorry (binding)": a vote, or the answer to a question
_REFUSES = re.compile(r"\W*[a-z][a-z ,]{1,30}\W*\((?:non-?)?binding\)\W*")
_FOR = re.compile(r"\W*for\s*[,(–—-]\s*(?:non\W?)?binding\b")
#: "Abstaining, I wrote most of it"
_ABSTAINS = re.compile(r"\W*(?:i['’]m )?abstain(?:ing)?\s*[,;:(–—-]")
#: a zero, or no vote at all?
_FROM_VOTING = re.compile(r"\babstain(?:ing)? from (?:voting|(?:the|this) vote)\b")
#: votes that are counted: "9 abstaining"
_COUNTED = re.compile(r"(?:^|(?<=[,;:.()] )|\bwith )\d+ +(?:abstain|abstention|approv)|\bvoters (?:approv|abstain)")
_SUPPORTS = re.compile(
    r"\b(?:i|we)\b[\w '’]{0,20}\b(?:support|oppose|approve|endorse)s? (?:the |this |your )?(?P<what>\w+)"
)
_LEADS_TO_NAMES = re.compile(r"\b(?:with|by|from|of)\s|:\s", re.I)


def read_words(text: str, *, answers: str) -> Finding | None:
    """The vote that a sentence without a value casts in words, or may cast; None: it speaks of none."""
    folded = fold(text)
    folded = folded if " still" in folded else drop("says_neither", folded)
    is_asked = folded.rstrip().endswith("?") and _EMOJI.match(text) is None  # ":-1: why bother?"
    if len(folded) > _LONGEST or _SAYS_IF_BINDING.fullmatch(text) or is_asked:
        return None
    claimed = find_claim("", text) if _CLAIM.search(text) else None
    named = _find_named(folded)
    choices = named or _find_approved(folded)
    if claimed is not None and not named and (has("assent", folded) or _FOR.match(folded)):
        choices = choices | {Choice.FOR}
    refuses = not choices and _refuses(folded)
    choices = {Choice.AGAINST} if refuses else choices
    if not choices:
        return _ask_about_own(folded, claimed)
    choice = next(iter(choices)) if len(choices) == 1 else None
    denied = choice is Choice.FOR and has("negation", drop("not_negation", folded))
    abstains_outright = has("abstains", folded) or _ABSTAINS.match(folded) is not None
    outright = abstains_outright or (claimed is not None and _is_short(folded))
    if not named and claimed is None and _COUNTED.search(folded) and not has("first_person", folded):
        return None
    if not named and (not outright or _names_others(text)):
        is_talk = (answers and not (find_values(answers) or _supports_whole(folded))) or (
            denied and _is_denied_itself(folded)
        )
        asked = None if is_talk else _ask(choice, folded, claimed)
        # in answer to a quoted vote: which side?
        return asked and (asked if not answers else replace(asked, expression=replace(asked.expression, choice=None)))
    abstains = choice is Choice.ABSTAIN and not (named or abstains_outright)
    is_aside = abstains and _ASIDE.fullmatch(text) is not None
    if answers and not named and claimed is None:
        rule, why = "inline-answer", "answers a quoted remark within a discussion: a vote, or an answer?"
    elif choice is None or denied or refuses or is_aside or _is_doubted(_find_last(folded) if outright else folded):
        rule, why = "conditional", "words that cast a vote, with a doubt about them: is it cast?"
    else:
        rule, why = "stated-in-words", ""
    return find(rule, Standing.UNCLEAR if why else Standing.CLEAR, why, choice=choice, claimed=claimed)


def _supports_whole(folded: str) -> bool:
    """Whether its writer takes a side on what is voted on, whatever it answers: "I do support the graduation"."""
    found = _SUPPORTS.search(folded)
    return found is not None and begins("whole", found["what"])


def _ask_about_own(folded: str, claimed: bool | None) -> Finding | None:
    """The question about words that speak of their writer's vote, and do not say what it is."""
    is_about_own = any(len(part.split()) <= _FEW and has("own_vote", part) for part in [folded, *MARK.split(folded)])
    is_about_own = is_about_own or (len(folded.split()) <= _FEW and _breaks_off(folded))
    if not is_about_own or has("need", folded):
        return None
    return find("vote-not-understood", Standing.UNCLEAR, "speaks of the own vote: what is it?", claimed=claimed)


def _refuses(folded: str) -> bool:
    """Whether it says no and claims to bind: "Opposed (binding)", not "No concerns (binding)"."""
    said = drop("filler", folded) if _REFUSES.fullmatch(folded) else ""
    return any(has(name, said) for name in ("no", "refusal")) and not leaves_only(("no", "refusal"), said)


def _is_denied_itself(folded: str) -> bool:
    """Whether every clause that approves also denies: not so in "Not a committer, but I'm in favour"."""
    clauses = [drop("not_negation", clause) for clause in MARK.split(folded) if _find_approved(clause)]
    return all(has("negation", clause) for clause in clauses)


def _names_others(text: str) -> bool:
    """Whether people follow the words: "Approved with Jun and Mara (binding)", "In favour, non-binding: Jun"."""
    leads = list(_LEADS_TO_NAMES.finditer(text))
    return any(len(find_names(text[m.end() :])) > (not m.group().startswith(":")) for m in leads)


def _breaks_off(folded: str) -> bool:
    """ "As to my vote, I am": the end is missing."""
    found = (match.group() for match in find_words("my_vote", folded))
    names_it = any(said[-1].isalpha() and "," not in said for said in found)  # not "my questions: 0"
    return names_it and folded.rstrip()[-1:].isalnum()


def _ask(choice: Choice | None, folded: str, claimed: bool | None) -> Finding | None:
    if choice is Choice.AGAINST and has("first_person", folded):
        why = "objects, and gives no value: is it a vote?"
        return find("objection", Standing.UNCLEAR, why, choice=choice, role=Role.OBJECTS)
    clauses = [clause for clause in MARK.split(folded) if _find_approved(clause)]
    is_short = (
        _is_short(folded)
        or (choice is Choice.ABSTAIN and ends("abstention", folded))  # "…, so it's a zero from me, abstaining."
        or _EMOJI.search(folded) is not None
        or any(has("first_person", clause) for clause in clauses)
        or (clauses[:1] == MARK.split(folded)[:1] and len(clauses[0].split()) <= _FEW_IN_CLAUSE)
        or begins("rejection", folded)
    )
    if claimed is None and (not is_short or (choice is Choice.ABSTAIN and has("part", drop("from_me", folded)))):
        return None
    return find("stated-without-number", Standing.HINT, "approves, and gives no value: is it a vote?", choice=choice)


def _find_approved(folded: str) -> set[Choice]:
    found = {choice for name, choice in _APPROVALS.items() if has(name, folded)}
    before = (MARK.split(folded[: m.start()])[-1] for m in find_words("rejection", folded))
    is_denied = all(has("negation", clause) for clause in before) or not has("rejection", drop("not_negation", folded))
    if Choice.AGAINST in found and is_denied:
        found.remove(Choice.AGAINST)  # "nobody was against it", "I've nothing against it"
    if not found and has("from_me", folded):  # "a resounding yes from me", not "no objection from me"
        found = {Choice.FOR for m in find_words("assent", folded) if not m.group().startswith("no ")}
    return {Choice.AGAINST} if {Choice.AGAINST, Choice.FOR} <= found else found


def _find_named(folded: str) -> set[Choice]:
    """The vote that the words name: "I vote against", "my vote is a clear no", "count me as abstaining"."""
    named = {
        choice  # not "I was sure that I vote for both"
        for name, choice in _NAMED.items()
        if any(not _is_anothers(folded[: m.start()]) for m in find_words(name, folded))
    }
    if named:
        return named
    behind = _behind("own_vote", folded, 30)
    for name, choice in (("yes", Choice.FOR), ("no", Choice.AGAINST)):
        found = [m for m in find_words(name, behind)[:1] if not leaves_only(("filler", "own"), behind[: m.start()])]
        if found and not (found[0].group() == "for" and _names_another(behind[found[0].end() :])):
            named.add(choice)
    behind = _behind("casts", folded, 40)
    # "please vote: yes, no or abstain"
    return named or ({Choice.ABSTAIN} if has("abstention", behind) and " or " not in behind else set())


def _is_anothers(before: str) -> bool:
    """Whether words before a vote in words make it another's, or nobody's: "I was sure that", "I know of nobody"."""
    return ends("introduces", before) or has("negation", drop("not_negation", MARK.split(before)[-1]))


def _names_another(behind: str) -> bool:
    """Whether "for" leads to something other than the proposal: "I vote for more tests"."""
    what = re.sub(r"^\W*(?:(?:the|this|that|your|all|both)\b\W*)*", "", MARK.split(behind)[0])
    return bool(what) and not begins("whole", what)


def _behind(name: str, folded: str, most: int) -> str:
    found = find_words(name, folded)
    return folded[found[0].end() :][:most] if found else ""


def _find_last(folded: str) -> str:
    """The words behind the last "but", if they take the side: "I could vote, but on this I abstain"."""
    last = folded.rpartition(" but ")[2]
    return last if _find_approved(last) else folded


def _is_doubted(folded: str) -> bool:
    is_talk = has("hypothetical", drop("polite", folded)) or has("need", folded) or has("cites", folded)
    is_unclear = any(pattern.search(folded) for pattern in (_CITES, _OPTION, _FROM_VOTING))
    return is_talk or is_unclear or has_condition(folded)


def _is_short(folded: str) -> bool:
    return len(folded.split()) <= 14 or not any("a" <= c <= "z" for c in folded[:20])
