"""What a written value means: the first rule of the table that takes it decides, and names its reason.

Order: what is no vote at all, then what somebody else or another time said, then what makes a vote doubtful,
then what casts. A value that no rule takes for a vote is asked about where it looks like one.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum

from kipflow.domain.votes import Choice
from kipflow.mail.announcements.names import find_names, is_own
from kipflow.mail.votes import technical
from kipflow.mail.votes.answers import TAKES_UP, is_inline_answer, says_what_will_be_done
from kipflow.mail.votes.lexicon import drop, find_words, fold, has, leaves_only
from kipflow.mail.votes.mentions import Mention


class Verdict(StrEnum):
    """What a rule makes of a mention."""

    CAST = "cast"
    ASK = "ask"
    IGNORE = "ignore"


@dataclass(frozen=True, slots=True)
class Rule:
    """One row: `takes` are texts that the rule must decide."""

    name: str
    when: Callable[[Mention], bool]
    verdict: Verdict
    why: str
    takes: tuple[str, ...]
    #: what is made of it where the value is the writer's own
    mine: Verdict | None = None
    #: it may be the vote, beside another one
    rivals: bool = False


_COUNTED_BEFORE = re.compile(
    r"(?:(?<![\w.-])(?:\d{1,3}|{Q})\s+(?:more\s+)?(?:of\s+)?(?:the\s+)?(?:\(?(?:non-?)?binding\)?\s+)?(?:votes?\s+(?:of\s+)?)?|"
    r"\b(?:the|these|those)\s+(?:(?:\(?(?:non-?)?binding\)?|other|last|first|earlier|remaining)\s+)?)$".replace(
        "{Q}",
        "one|two|three|four|five|six|seven|more|another|second|third|fourth|final|last|enough|few|several|some|any|"
        "each|every|single|many|additional|extra|required|needed|missing|other|un|uno|une|ein|zwei|drei|otro|outro|"
        "altro|um|mais um|ещё один|еще один|jeden|giving a|a single",
    ),
    re.I,
)
_TALK_BEHIND = re.compile(
    r"^\s*(?:['’]?s\b|votes\b|votes?\s+(?:is|are|was|were|so far|needed|missing|required)\b|"
    r"(?:is|was|are|were|isn['’]t|wasn['’]t|has been|needs|came|counts?|goes|would|should|must|más|mais|mehr|altro|"
    r"więcej|vardır?|puuttuu)\b|票|が|は(?!い)|を|개|표|つ)",
    re.I,
)
_EARLIER_BEHIND = re.compile(
    r"^\s*(?:still |also )?(?:stands|holds|remains|carries|applies|vote stands|from (?:last|yesterday|earlier|"
    r"before|rc))\b",
    re.I,
)
_BACK = re.compile(
    r"(?:\bfrom|\bmy(?: \w+){0,2}|\bearlier|\bprevious|\binstead of|\brather than|\bnot|\bstatt|\bvon|\bdel?|\bda|"
    r"\bdi|\bthe)\s+(?:an? |the )?(?:\w+ )?$",
    re.I,
)


def _is_claimed(m: Mention) -> bool:
    return m.claimed is not None


def _is_measure(m: Mention) -> bool:
    return technical.is_technical(m.lead, m.tail) and not (_is_claimed(m) and m.is_apart) and not m.mine_follows


def _is_in_code(m: Mention) -> bool:
    return technical.is_code(m.sentence.line.text)


def _is_counted(m: Mention) -> bool:
    if (
        m.opens
        or m.mine_follows
        or (re.match(r"(?i)^\W*(?:another|one more|and another)\s*$", m.lead) and not m.rest.strip(" .!)"))
    ):
        return False
    return _COUNTED_BEFORE.search(m.lead) is not None and not re.search(
        r"(?i)\b(?:here is|here's|here comes|my|i am|i'm)\b[^.]{0,20}$", m.lead
    )


def _is_talked_of(m: Mention) -> bool:
    return _TALK_BEHIND.match(m.rest.lstrip(" \"'”’»`*")) is not None and not m.mine_follows and m.rest != ""


def _is_needed(m: Mention) -> bool:
    if m.is_mine or (not m.segment and not m.opens):
        return False
    near = fold(re.split(r"[,.;:!?(]", m.rest)[0])
    return has("need", near) or (not m.opens and has("need", m.segment))


def _is_on_part(m: Mention) -> bool:
    return m.object is not None and m.object[0] == "part"


def _is_on_remark(m: Mention) -> bool:
    return m.object is not None and m.object[0] == "remark"


def _is_on_unknown(m: Mention) -> bool:
    return m.object is not None and m.object[0] == "unknown"


def _is_from_other(m: Mention) -> bool:
    whom = m.whom
    if not whom:
        return False
    words = whom.split()
    if re.match(r"(?i)(?:rc|v)?\d|rc\b|the\b", whom):
        return False
    return not is_own(whom.rstrip(" .!"), m.author) and (
        words[0][:1].isupper() or has("other", fold(words[0])) or words[0][:1] == "@"
    )


def _is_by_other(m: Mention) -> bool:
    return (
        not m.opens
        and has("other", m.segment)
        and not m.mine_follows
        and not re.search(r"(?i)\b(?:you have|you get|has|thank you|thanks to you|gets) (?:an? |my )*$", m.lead)
    )


def _is_named(m: Mention) -> bool:
    if m.rest.lstrip()[:1] in tuple(",.!;，。！") or has("greeting", fold(m.rest)) or not m.rest.isascii():
        return False
    names = find_names(m.rest.strip(" :.!-–—()[]"))
    return bool(names) and (len(names) > 1 or len(names[0].split()) > 1) and not is_own(m.rest, m.author)


def _is_asked(m: Mention) -> bool:
    """A question about voting: "should I +1 this?", "+1?"."""
    if not m.sentence.text.rstrip().endswith("?"):
        return False
    return re.match(r"^\W*(?:\w+\s?){0,2}\?", m.rest) is not None or (
        not m.opens and bool(m.segment) and not m.is_apart
    )


def _is_maybe(m: Mention) -> bool:
    return not m.opens and has("hypothetical", drop("polite", m.clause))


def _is_denied(m: Mention) -> bool:
    return not m.opens and has("negation", drop("undenied", m.clause))


def _is_earlier(m: Mention) -> bool:
    return (not m.opens and has("earlier", m.segment)) or _EARLIER_BEHIND.match(m.rest) is not None


def _is_restated(m: Mention) -> bool:
    near = fold(re.split(r"[,.;:!?(]", m.rest)[0])[:30]
    return (
        (has("restated", near) or (not m.opens and has("restated", m.segment)))
        and not has("negation", near)
        and (m.is_mine or has("mine", fold(m.lead[-30:])))
    )


_LABEL = re.compile(r"^\W*(?P<label>[^\W_][\w .'’/-]{0,30}?)\s?[:=>]\s*[\[(*\"'“]?$")
_IN_BRACKETS = re.compile(r"[^\W\d_][\w.'’-]*\s*\((?:[^()]{0,20}[,;]\s*)?$")


def _is_labelled(m: Mention) -> bool:
    """Behind a short label that is no word for a vote: "Windows: +1", "Nils: +1", "Score: +1"."""
    match = _LABEL.match(m.lead)
    if match is None or m.mine_follows or is_own(match.group("label"), m.author):
        return False
    label = fold(match.group("label"))
    greets = any(g.start() == 0 for g in find_words("greeting", label))
    if has("casts", label) or has("vote_for", label) or has("vote_against", label):
        return False
    return (
        len(label.split()) <= 3
        and not greets
        and bool(
            leaves_only(
                ("own", "filler", "approval", "rejection", "abstention", "no", "yes", "casts", "assent", "whole"), label
            )
        )
    )


def _is_reported(m: Mention) -> bool:
    """Behind what somebody wrote or counted: "Jun wrote: +1", "Three votes: +1", "Jun (+1 binding)"."""
    if m.opens or m.mine_follows:
        return False
    if (
        _IN_BRACKETS.search(m.lead)
        and not has("approval", fold(m.lead).split("(")[0])
        and leaves_only(("whole", "filler", "own", "approval", "assent"), fold(m.lead))
        and re.search(r"[A-Z][\w.'’-]*\s*\([^()]*$", m.lead)
    ):
        return True
    clause = fold(re.split(r"[.!?]\s", m.lead)[-1])
    if has("first_person", clause):
        return False
    return m.lead.rstrip()[-1:] == ":" and _REPORTS.search(clause) is not None


_REPORTS = re.compile(
    r"\b(?:said|says|wrote|writes|voted|commented|replied|answered|posted|votes|tally|results?|count)\b[^:]{0,30}:\s*$"
)
_BARE_COUNT = re.compile(r"^\s*(?:votes?)?\s*(?:[:=]\s*\d|\(\d)", re.I)


def _is_counted_behind(m: Mention) -> bool:
    return _BARE_COUNT.match(m.rest) is not None


def _agrees_with_another(m: Mention) -> bool:
    return (
        not m.opens and not _is_claimed(m) and not m.mine_follows and has("agreeing", fold(m.lead)) and m.object is None
    )


def _is_hedged(m: Mention) -> bool:
    if re.match(r"\s*[+-]\s?[01]", m.rest) or re.search(r"\bin (?:theory|principle|general|part)\b", m.clause):
        return True
    behind = fold((m.tail if "(" in m.tail[:3] and not _is_claimed(m) else m.rest)[:60]).lstrip(" (,-–—…")
    return any(match.start() == 0 for match in find_words("hedge", behind))


def _is_subject(m: Mention) -> bool:
    """ "-1 disables the limit": a number that does something."""
    match = re.match(r"^\s+(?P<verb>[a-z]+s|doesn['’]t|does|can|cannot)\b", m.tail)
    return m.choice is not Choice.FOR and m.opens and match is not None and match.group("verb") not in _SAID_OF_IT


_SAID_OF_IT = frozenset(
    {"breaks", "lacks", "needs", "thanks", "this", "as", "makes", "seems", "adds", "fails", "is", "does"}
)


def _is_answer(m: Mention) -> bool:
    if _is_claimed(m) and m.is_apart:
        return False
    return is_inline_answer(m.sentence.line) or (
        bool(m.sentence.line.answers) and (TAKES_UP.match(m.tail) is not None or says_what_will_be_done(m.tail))
    )


def _opens_clause(m: Mention) -> bool:
    if m.is_result and not m.mine_follows:
        return False
    return m.opens and (m.is_apart or re.match(r"^\s+[^\W\d_]", m.rest) is not None)


def _stands_apart(m: Mention) -> bool:
    return not m.segment and m.is_apart and not m.is_result


def _is_cast(m: Mention) -> bool:
    if m.segment in {"a", "an", "the"} and m.object is not None:
        return False
    return (
        bool(m.segment)
        and not m.unknown
        and (m.is_apart or m.is_mine or _is_claimed(m))
        and (not m.is_result or m.is_mine)
    )


_TALK = ("need", "quantity", "other", "negation", "hypothetical", "earlier", "measure")


def _is_claimed_apart(m: Mention) -> bool:
    """A value with a claim that ends its clause, behind at most four words that deny, count or report nothing."""
    clause = re.split(r"[,;:.!?]", m.lead)[-1]
    strange = re.findall(r"[^\W\d_][\w'-]*", clause)
    names = [w for w in (strange if clause != m.lead else strange[1:]) if w[0].isupper()]
    ends = not m.rest.strip() or m.rest.lstrip()[0] in ",.;:!)。，！—–-"
    told = len(strange) <= 4 and not names and not any(has(name, m.segment) for name in _TALK)
    return _is_claimed(m) and ends and told and not m.is_result


def _is_friendly(m: Mention) -> bool:
    """Unknown words in front, and a claim or "from me" behind."""
    return (
        m.is_apart
        and (_is_claimed(m) or m.mine_follows)
        and not has("need", m.folded)
        and not has("quantity", m.segment)
    )


def _looks_like_vote(m: Mention) -> bool:
    return (
        m.opens
        or _is_claimed(m)
        or ((m.is_mine or _speaks_of_mine(m)) and m.is_apart)
        or (m.is_apart and len(m.segment.split()) <= 5)
    )


def _speaks_of_mine(m: Mention) -> bool:
    return (
        m.mine_follows
        or re.search(r"\b(?:i|i'[a-z]+|my|mine|me)\b", fold(m.lead[-40:])) is not None
        or has("mine", fold(m.lead[-30:]))
    )


R, V = Rule, Verdict
RULES: tuple[Rule, ...] = (
    R("code", _is_in_code, V.IGNORE, "stands in code or a patch", ("@@ -1 +1 @@",)),
    R(
        "measurement",
        _is_measure,
        V.IGNORE,
        "a number like any other",
        ("The offset is -1 then.", "Call +1 408 555 0100"),
    ),
    R(
        "quoted-value",
        lambda m: m.is_quoted and not m.is_mine,
        V.IGNORE,
        "cites a value",
        ('Please write "+1 (binding)" next time.',),
    ),
    R(
        "conditional",
        lambda m: m.is_conditional and _looks_or_mine(m),
        V.ASK,
        "a condition stands with the vote: is it met?",
        ("+1 if renamed", "Once the name is fixed, +1"),
    ),
    R(
        "counted",
        _is_counted,
        V.IGNORE,
        "counts votes, casts none",
        ("We have three +1 now.", "One more +1 would do."),
        mine=V.ASK,
    ),
    R("count", _is_counted_behind, V.IGNORE, "counts votes, casts none", ("+1: 3, -1: 0",)),
    R(
        "needed",
        _is_needed,
        V.IGNORE,
        "speaks of votes that are needed or in",
        ("Falta +1 aquí",),
    ),
    R("talked-of", _is_talked_of, V.IGNORE, "speaks about a vote", ("A +1 was sent on Friday",), mine=V.ASK),
    R(
        "on-a-remark",
        lambda m: _is_on_remark(m) and not _is_claimed(m),
        V.IGNORE,
        "agrees with a remark",
        ("+1 on Jun's comment", "I'm +1 to that suggestion"),
    ),
    R(
        "part",
        lambda m: _is_on_part(m) or _is_on_remark(m),
        V.ASK,
        "on a part of it: is it a vote on the whole?",
        ("+1 (binding) to the renaming",),
    ),
    R(
        "from-another",
        _is_from_other,
        V.ASK,
        "names somebody it is from: whose vote is it?",
        ("+1 (binding) from Jun Okafor",),
    ),
    R("of-another", _is_by_other, V.IGNORE, "speaks of somebody else's vote", ("Jun gave his +1 already",), mine=V.ASK),
    R("reported", _is_reported, V.ASK, "stands behind words about votes: whose is it?", ("The bot commented: +1",)),
    R(
        "labelled",
        _is_labelled,
        V.ASK,
        "stands behind a label: is it a vote on the whole?",
        ("Windows: +1", "Nils: +1"),
    ),
    R("agreeing", _agrees_with_another, V.ASK, "agrees with somebody: is it a vote?", ("Good point Jun, +1",)),
    R("hedged", _is_hedged, V.ASK, "is not said outright: is it a vote?", ("+1 (maybe)", "+1 in principle")),
    R("subject", _is_subject, V.ASK, "a number that does something, or a vote?", ("-1 disables the limit",)),
    R("with-a-name", _is_named, V.ASK, "another person's name stands behind the vote", ("+1 (binding) Jun Okafor",)),
    R(
        "measured",
        lambda m: technical.measures(m.lead) and not (_is_claimed(m) or m.is_mine or m.opens),
        V.ASK,
        "stands behind words of measuring: is it a vote?",
        ("We compare with the sentinel, -1, before the loop",),
    ),
    R("question", _is_asked, V.ASK, "a question: is it a vote?", ("+1?",)),
    R("inline-answer", _is_answer, V.ASK, "answers a quoted remark: a vote, or an answer?", ()),
    R(
        "hypothetical",
        lambda m: _is_maybe(m) and (_speaks_of_mine(m) or m.is_mine or _is_claimed(m)),
        V.ASK,
        "would vote: does it?",
        ("I would give it a +1",),
    ),
    R("denied", _is_denied, V.IGNORE, "says what the vote is not", ("This is not a -1",), mine=V.ASK),
    R("restated", lambda m: _is_restated(m) and not _is_denied(m), V.CAST, "", ("My earlier +1 still stands.",)),
    R("earlier", _is_earlier, V.ASK, "speaks of an earlier vote: does it stand?", ("Voted +1 yesterday already",)),
    R(
        "on-something",
        _is_on_unknown,
        V.ASK,
        "on something that may not be the proposal: is it a vote on it?",
        ("+1 for the new wiring",),
    ),
    R("opening", _opens_clause, V.CAST, "", ("+1", "+1 (binding), thanks!", "-1 breaks the build")),
    R(
        "set-apart",
        _stands_apart,
        V.CAST,
        "",
        ("Took me a while, but here it is: +1 (binding)", "Hei Tuomas, +1 (binding)"),
    ),
    R("told-as-own", _is_cast, V.CAST, "", ("I am +1 on this", "Still +1 from me")),
    R("claimed", _is_claimed_apart, V.CAST, "", ("Ahoj, dávám +1 (binding)",)),
    R(
        "unknown-words",
        lambda m: _is_friendly(m) and not m.is_result,
        V.ASK,
        "words that are not understood stand before the vote: is it one?",
        ("Taking the mumble flurb gronk blarg into account +1 from me",),
        rivals=True,
    ),
    R(
        "not-understood",
        lambda m: _looks_like_vote(m) and (not m.is_result or _speaks_of_mine(m)),
        V.ASK,
        "looks like a vote, in words that are not understood: is it one?",
        ("Windows +1",),
        rivals=True,
    ),
    R(
        "in-mid-sentence",
        lambda m: bool(m.written),
        V.IGNORE,
        "a value in mid-sentence, without a word that casts it",
        ("It shows some kind of +1 row per broker in each rack of the site",),
    ),
)


def _looks_or_mine(m: Mention) -> bool:
    return m.opens or m.is_apart or m.is_mine or _is_claimed(m) or _speaks_of_mine(m)


#: the rules whose questions stand against another vote of the mail
RIVALS = frozenset(rule.name for rule in RULES if rule.rivals)


def judge(mention: Mention) -> tuple[Rule, Verdict]:
    """The first rule that takes the mention, and what is made of it."""
    rule = next(rule for rule in RULES if rule.when(mention))
    return rule, rule.mine if rule.mine is not None and (
        (mention.opens and mention.sentence.starts_line) or _speaks_of_mine(mention)
    ) else rule.verdict


def is_origin(m: Mention) -> bool:
    """Whether the value is the one that a change starts from."""
    return _BACK.search(m.lead[-40:]) is not None
