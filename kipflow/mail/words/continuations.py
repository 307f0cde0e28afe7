"""How a line goes on right behind a written vote: words that go with a vote, or words that make it something else.

What may follow a number is open: "-1 offset", "-1 gets logged", "+1 by Friday", "+1 with Kim". So the words
known to go with a vote are listed by their kind (thanks, checks, reasons, the first person), and everything
else is put to a person. A stop, a comma, a dash or a claim to bind ends the search: there a vote is whole.
"""

from __future__ import annotations

import re

from kipflow.mail.words.conditions import CONDITION_AFTER

_I = re.IGNORECASE

#: what may stand between a vote and the words that matter: "(binding)", "from me", "as well", "again"
_ASIDE = re.compile(
    r"\s*(?:[(\[{]\s*(?:non|not\W{0,2}b|un|nb|bind|bid|pmc|committer|contributor|user|b\b)[^()\[\]{}]{0,20}[)\]}]|"
    r"(?:non[- ]?)?binding\b|"
    r"(?:from|for|by) (?:me|us|myself|my (?:side|part|end)|our side)\b(?: (?:and|to)\b)?|"
    r"von (?:mir|uns)\b|de (?:mi|ma) part\w*|da parte mia|da minha parte|here\b|too\b(?=\s*(?:$|[^\w\s]))|"
    r"as well\b|also\b|again\b|still\b|overall\b|of course\b|then again\b|vote\b(?=\s*[(,.!:]))",
    _I,
)
_MOST_ASIDES = 4
#: where a clause may begin that says whether the vote is meant: at once, behind a mark, in brackets
_AT_ONCE = r"^\W{0,4}(?:but |and |only |though |so |just |still |well |it['’]s |this is |(?:a |my )?vote is ){0,2}"
_HEDGED = re.compile(
    _AT_ONCE + r"(?:tentativ\w*|provisional\w*|preliminar\w*|maybe|perhaps|possibly|probably|almost|nearly|tb[cd]\b|"
    r"to be (?:confirmed|decided|verified|determined)|not (?:sure|certain|final|decided)\b|undecided|"
    r"partial\w*|partly|in (?:part|principle|theory|spirit|general)\b|conceptually\b|on paper\b|half\b|both\b|"
    r"later\b|soon\b|tomorrow\b|tonight\b|hold on|wait\b|"
    r"on hold|i (?:guess|think|suppose|believe)\s*\?|(?:right|correct|no|ok|okay)\s*\?|"
    r"(?:subject|depending|dependent|hinging|hinges|contingent|conditioned)\b|"
    r"in (?:exchange|return) for\b|in the (?:event|case) (?:that|of)\b|"
    r"(?:with|in|on) (?:the |an? )?(?:\w+ )?(?:expectation|hope|understanding|promise|requirement|"
    r"belief)s? (?:that|of)\b|"
    r"whenever\b|wherever\b|where\b(?! (?:i|we) )|by the time\b|the (?:moment|minute|day|second)\b|upon\b|"
    r"(?:should|were|had) (?!n['’]t|not|have|be|fun|no\b|some\b)\w+|as far as\b|insofar\b|inasmuch\b|"
    r"so far as\b|following (?:the|a|your)\b|minus (?:the|my|one|a)\b|sans\b|mod (?:the|my|one|a)\b|"
    r"given (?!that|how|the|this|these|those|it|its|all|what|my|our|your|we|i\b|there)\w+)",
    _I,
)
#: "+1 (not yet)"; "-1: not yet" says why
_NOT_YET = re.compile(r"^\W{0,4}not yet\b", _I)
#: a part of what is voted on: "+1 to most of it", "+1 for everything except …"
_PART = re.compile(
    r"^\W{0,4}(?:on|to|for|with)?\s*(?:the )?(?:most|much|some|half|part|parts|bits|the rest|everything|all|"
    r"anything)\b"
    r"[^.,;:!?]{0,30}?\b(?:except|but|apart from|other than|besides|of (?:it|this|them|the (?:kip|proposal)))\b"
    r"(?<!all of it)(?<!all of this)(?<!all of the kip)(?<!all of the proposal)(?<!all of them)",
    _I,
)
#: "+1 but fix the NOTICE", "+1, please add a test before merging"
_DEMANDED = re.compile(
    r"^\W{0,4}(?:but|though|just)\b[^.;!?]{0,40}?\b(?:fix|hold|wait|address|resolve|rename|remove|needs? "
    r"(?:to be |fixing|changing|work|an? (?:update|fix|rebase))|must|has to|have to|required?)\b|"
    r"^[^.;!?]{0,90}\b(?:please|pls|must|needs? to|ha(?:s|ve) to|should|let['’]s(?! not)|want|(?<!not )wait|"
    r"(?<!not )hold|make sure|"
    r"ensure|fix|add)\b"
    r"[^.;!?]{0,80}\b(?:before|prior to|ahead of)\s+(?:\w+ ){0,2}?"
    r"(?:releas\w*|merg\w*|publish\w*|ship\w*|announc\w*|closing|the vote|cutting|committing|that|then|this|it|"
    r"we|you)\b",
    _I,
)
#: words that open what a voter adds: thanks, approval, the first person, reasons
_OPENS = frozenset(
    re.findall(
        r"\S+",
        """
        i i'm im i've ive i'd i'll we we're we've our my mine this that's thats it it's its the these there there's
        here's you your no not nothing none never all everything everyone a an what
        because since as due given per based despite though although even but and while considering thus so
        on to for with about regarding re from in at after when if unless once until till provided providing assuming
        pending modulo barring presuming except only
        thanks thank thx tks tnx ty many great good nice cool neat sweet awesome excellent fantastic amazing brilliant
        wonderful superb lovely perfect solid fine super very really quite pretty well so much long simple simply
        useful helpful important needed overdue finally definitely absolutely totally completely fully strongly
        wholeheartedly enthusiastically gladly happily certainly surely sure honestly personally obviously
        unconditionally reluctantly conceptually nevertheless nonetheless regardless anyway
        otherwise either whatever whichever whether
        yes yep yeah yay woohoo hooray wow ok okay lgtm ship go let's lets let love like loving agree agreed agreeing
        approve approved accept accepted seconded ditto same likewise congrats congratulations kudos cheers bravo
        best regards sorry apologies hope hopefully hoping happy glad excited pleased delighted looking keep keeping
        welcome clean clear green hello hi dear folks team fwiw imo imho btw nit nits minor small one two just
        tested testing verified verifying checked validated compiled reviewed built build builds ran run read reading
        tried installed deployed upgraded downloaded confirmed examined inspected executed performed skimmed studied
        having seen trusting ignoring wearing minus
        signature signatures checksums hashes sigs tests release releasing rc kip proposal
        see cf details comments comment question questions notes note reason reasons
        now then anyhow myself though mainly primarily
        user pmc committer contributor binding non-binding nb b nonbinding also still again too here overall
        """,
    )
)
#: words of approval that begin a sentence without its subject; of a number they tell what it does
_APPROVES = re.compile(
    r"(?:looks?|sounds?|works?|makes?|feels?|seems?|reads?|solves|simplifies|improves|addresses|helps|passes|passed|"
    r"worked|looked)\s+(?:\w+ly\s+|very\s+|really\s+|quite\s+|pretty\s+|all\s+|so\s+|much\s+|total\s+|perfect\s+|"
    r"a lot (?:of )?\s*|like an? )*"
    r"(?:good|great|fine|nice|well|ok|okay|right|solid|clean|sane|reasonable|useful|excellent|perfect|awesome|"
    r"sense|life|easier|better|for (?:me|us)|on (?:my|our|all)|in (?:my|our)|with (?:my|our)|all|my|our|perfectly|"
    r"flawlessly|nicely|as (?:expected|advertised)|complete|correct|amazing|promising|sensible|"
    r"an? (?:real|long|huge|big|lot))\b",
    _I,
)
_OPENS_ZERO = frozenset({"neutral", "abstain", "abstaining", "abstention", "indifferent", "unfamiliar", "abstained"})
_FAULTS = frozenset(
    re.findall(
        r"\w+",
        "missing broken bad wrong too unfortunately sadly regrettably still don can fails breaking failing "
        "incompatible",
    )
)
_WORD = re.compile(r"\s*[\"'“”‘’*_~]{0,2}(?P<word>[^\W\d_][\w'’-]*)")
#: "+1 * 2", "+1 ... or rather, hmm"
_TWICE = re.compile(r"^\s*(?:x|×|\*)\s?\d")
_SECOND_THOUGHTS = re.compile(
    r"^[\s.,…–—-]{0,6}(?:or(?: rather| maybe| perhaps| not|,? hmm|,? wait)\b|hmm+\b|no,? wait|wait\b|"
    r"actually,? (?:no|not)|scratch)",
    _I,
)
_NOT_AND_NUMBER = re.compile(
    r"^\s*(?:and|or|nor|to|vs|versus|but)\s+(?:not\s+)?(?:an?\s+)?[+\-±]?\s?[01](?![\w.]\w)", _I
)


def strip_asides(after: str) -> str:
    """What follows a vote, without the claim to bind and the words that say nothing: "from me", "as well"."""
    start = 0
    for _ in range(_MOST_ASIDES):
        match = _ASIDE.match(after, start)
        if match is None or match.end() == start:
            break
        start = match.end()
    return after[start:]


def find_loose_end(value: str, after: str, *, claimed: bool) -> tuple[str, str] | None:
    """Why the words right behind a leading vote leave it open: rule name and question; None where it is whole.

    Args:
        value: the vote as written, "+1".
        after: the rest of its sentence.
        claimed: whether it claims to bind or not to: then a word that is not known does no harm.
    """
    tail = strip_asides(after)
    if CONDITION_AFTER.search(tail):
        return "conditional", "a condition stands with the vote: is it met?"
    if _NOT_YET.match(tail) and not value.startswith("-"):
        return "conditional", "said to be not yet so: does it count?"
    if _HEDGED.match(tail) or _HEDGED.match(after) or _DEMANDED.match(tail) or _PART.match(tail):
        return "conditional", "a condition, a part or a hedge stands with the vote: does it count?"
    if _NOT_AND_NUMBER.match(tail) or _TWICE.match(tail) or _SECOND_THOUGHTS.match(after):
        return "question", "two numbers in one breath: which is the vote?"
    if claimed or _goes_with_a_vote(value, tail):
        return None
    return "goes-on", "goes on with words that seldom follow a vote: a vote, or a number that is spoken of?"


def _goes_with_a_vote(value: str, tail: str) -> bool:
    match = _WORD.match(tail)
    if match is None:
        return True  # a mark, a number, the end
    written = match.group("word").replace("’", "'").rstrip("'-")
    word = written.lower()
    if not written.isascii() or word in _OPENS:
        return True
    if value.startswith("-") or value.strip("+-") in {"0", "0.0"}:
        return word in _FAULTS or word in _OPENS_ZERO or _is_name_or_start(written)
    return _is_name_or_start(written) or word.endswith("ly") or _APPROVES.match(tail.lstrip()) is not None


def _is_name_or_start(word: str) -> bool:
    """Whether a word in the midst of a line begins with a capital: a name, or the next sentence without its stop."""
    return word[0].isupper()
