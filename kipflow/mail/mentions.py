"""One written vote within its sentence: cast, cast with a doubt that a person must settle, or no vote at all."""

from __future__ import annotations

import re
from dataclasses import replace

from kipflow.domain.votes import Expression, Standing
from kipflow.mail import phrases
from kipflow.mail.agreement import AGREED_BEFORE, read_agreement
from kipflow.mail.claims import find_claim, has_claim_word
from kipflow.mail.continuations import find_loose_end
from kipflow.mail.doubts import CARRIED, find_doubt
from kipflow.mail.findings import (
    CORRECTS,
    KEY_ALONE,
    is_cited,
    is_measured,
    is_number,
    is_statistic,
    is_topic,
    is_verdict,
)
from kipflow.mail.others import OTHERS_AFTER, is_from_elsewhere, is_of_others
from kipflow.mail.quoting import OwnLine
from kipflow.mail.sentences import Mention, Sentence
from kipflow.mail.smalltalk import is_smalltalk
from kipflow.mail.values import VALUE_PATTERN, find_values, parse_value, skip_bullet

#: What may stand right before a vote that is cast in the midst of a sentence.
_LEAD_IN = re.compile(
    r"(?:^|\b(?:my|mine|a|an|another|here['’]?s|here is|here goes|consider (?:this|me)(?: as)?|count me(?: in)?(?: "
    r"as)?|give|giving|gets?|"
    r"have|has|cast|casting|voting|vote|(?:put|mark|count|record|note|register) (?:me|us|mine|"
    r"my vote) (?:down )?(?:as|for|with)|i['’]?m|i am|we are|we['’]re|still|again|now|so|also|and|but|from me|strong|"
    r"big|huge|hard|(?:i['’]?m|i am) at|(?:happy|glad|pleased|delighted) to|going (?:for|with)|likewise|ditto|"
    r"accept(?:ed)?|belated|retroactive|conditional|provisional|tentative|cautious|qualified|fwiw|"
    r"imh?o|nb|same here|赞成|贊成|支持|同意|投票|投|賛成(?:です)?|"
    r"full|easy|late|first|quick|happy|warm|reluctant|weary|non-?binding|binding|definite|enthusiastic|solid|clear|"
    r"firm|hearty|resounding|"
    r"\w+ly|sure|of course|thus|hence|then|yes|yep|ok|okay|cool|nice|awesome|lgtm|good|thanks|thank you|as well|"
    r"to add|"
    r"add|adding|overall|me|please|hi|all|hello|hey|anyway|otherwise|is|as|it|its|this|kip|proposal|release|work|"
    r"great|me too|"
    r"initial|own|kudos|congrats|team|folks|everyone|well|agreed?|approved?))"
    r"\s*[:=]?\s*[\"'(]?\s*$|[,;:!.)\]–—-]\s*[\"'(]?\s*$|\.\.\.\s*$",
    re.IGNORECASE,
)
_FIRST_PERSON = re.compile(r"(?:^|\b)(?:i|i['’]m|my|me|we|we['’]re|our|here['’]?s|here is)\b", re.IGNORECASE)
#: "Von mir auch +1", "moi aussi +1", "yo también +1": the same lead-ins in the languages that lists hear most
_LEAD_IN_FOREIGN = re.compile(
    r"(?:^|[\s,])(?:von mir(?: auch| aus)?|von uns|auch|ebenfalls|(?:pour )?moi(?: aussi)?|aussi|de ma part|"
    r"(?:de|por) mi parte|(?:yo )?tambi[eé]n|da parte mia|anch[’']io|(?:da|de) minha parte|tamb[eé]m|тоже|от меня|"
    r"我也?|私も|저도)\s*[:,，]?\s*$",
    re.IGNORECASE,
)
# what may stand before a vote that begins its line: marks, an arrow, an emoji, but no word, number or code
_NOTHING_BEFORE = re.compile(r"^[^\w+=|/\\\[\]{}#$%&@~^]*$")
#: words of another script right before the number: votes, or talk, in a language that is not read here
_FOREIGN_BEFORE = re.compile(r"^[^.!?。！？]{0,30}[^\W\d_a-zA-Z][,，:：、]?\s*$")
_POINTS_AT = re.compile(r"[A-Za-z)!.]\s*(?:=>|→|->)\s*$")
_VOTE_WORDS = re.compile(r"\b(?:vot(?:e|es|ing)|lgtm)\b", re.IGNORECASE)
_MY_VOTE_IS = re.compile(
    r"(?:\b(?:my (?:own |current |personal |final )?(?:vote|position|opinion)|i (?:(?:must|have to|need to|shall|do|"
    r"hereby|therefore|still|also|now|\w+ly) )?vote|i['’]?m voting|i am voting|"
    r"here(?:['’]?s| is) my(?: vote)?)|(?:^|[.,;:!]\s)\W*(?:vot(?:e|ing)|no (?:strong |real )?opinion|neutral|"
    r"abstain\w*|abstention))\W{0,3}(?:is|['’]s|s|=|for|with|would be|of|goes? (?:to|"
    r"for))?\W{0,3}(?:a |an )?[\"'(]?$",
    re.IGNORECASE,
)
_CODE = re.compile(r"[=(){}<>;/\d_]|\b(?:rev|rank|term)\b")
#: "Please +1 if you agree", "feel free to +1": asks others
_ASKS = re.compile(
    r"^\W*(?:so |then |and )?(?:please|kindly|feel free to|just|do|let['’]s|give (?:it|this|us|the "
    r"\w+)?)\b(?!.{0,30}\b(?:my|me)\b)[^.,:;]{0,25}$"
    r"|\byou (?:can|could|may|should|might)\b(?!.{0,30}\b(?:my|me)\b)[^.,:;]{0,30}$",
    re.IGNORECASE,
)
#: "Either +1 or -0, depending on …": whoever says so has not decided
_TORN = re.compile(
    r"^\W*(?:either\s+)?[+-]\s?[01] or (?:an? )?[+-]\s?[01](?![\w.]\w)(?!\s+(?:if|when|for|on|as)\b)", re.IGNORECASE
)
_VOTE_CALL = re.compile(r"\bvot(?:e|es|ing)\b|\[ ?\]|[+-]1|\brelease\b|\b72 hours\b|\bKIP\b", re.IGNORECASE)


def read_value(sentence: Sentence, match: re.Match[str], *, author: str, is_result: bool) -> Expression | None:
    """What one written value in a sentence says; None if it is no vote of the author's."""
    text = sentence.text
    before, after = text[: match.start("value")], text[match.end("value") :]
    opens = _NOTHING_BEFORE.match(before.replace("=>", "")) is not None
    leading = opens and match.start("value") <= skip_bullet(text) + 5
    mention = Mention(
        sentence=sentence,
        before=before,
        after=after,
        leading=leading,
        is_mine=phrases.FROM_ME.search(after[:60]) is not None or phrases.MINE_BEFORE.search(before[-40:]) is not None,
        is_vote_word=_MY_VOTE_IS.search(before) is not None or (not opens and match.re is not VALUE_PATTERN),
    )
    if (
        leading
        and after.strip().startswith("overall")
        and sentence.following.lstrip().startswith("Here are the results")
    ):
        return None  # a patch testing bot
    if _TORN.match(text):
        choice, value = parse_value(match.group("value"))
        return _doubted(Expression(choice=choice, value=value, claimed_binding=None, line="", rule=""), *_UNDECIDED)
    if is_number(before, after, leading=leading, told=mention.is_vote_word):
        return None
    if is_statistic(match.group("value"), after) or (
        is_cited(before, after, text) and not (mention.is_mine or mention.is_vote_word)
    ):
        return None
    if is_of_others(mention, author):
        return None
    if is_result and not (_FIRST_PERSON.search(before) or phrases.FROM_ME.search(after[:60])):
        return None
    choice, value = parse_value(match.group("value"))
    claimed = find_claim(before, after)
    if claimed is None or _BINDING_NO.match(sentence.following):
        claimed = _claim_below(after, sentence.following)
    rule = "leading" if leading else "in-sentence"
    read = Expression(choice=choice, value=value, claimed_binding=claimed, line="", rule=rule)
    return _weigh(mention, read, author)


_TURNS = re.compile(
    r"(?:[,;:.!…)–—-]|\b(?:rather|better|actually|but|and|though|although|however|that|it|or|while|"
    r"yet)\b)\s*(?:(?:a|an|my|strong|weak|"
    r"mild) ){0,2}[\"'(]?$",
    re.IGNORECASE,
)


def is_contrary(text: str, match: re.Match[str]) -> bool:
    """Whether a value can be a vote of its own beside another in the sentence: "+1 for the KIP, -1 for its name"."""
    before, after = text[: match.start("value")], text[match.end("value") :]
    if _TURNS.search(before[-40:]) is None and before[skip_bullet(before) :].strip():
        return False
    return not (
        is_number(before, after, leading=not before.strip(), told=False)
        or is_cited(before, after, text)
        or OTHERS_AFTER.match(after)
    )


_UNDECIDED = ("question", "two numbers in one breath: which is the vote?")


def _doubted(read: Expression, rule: str, why: str) -> Expression:
    return replace(read, rule=rule, standing=Standing.UNCLEAR, why=why)


def _weigh(mention: Mention, read: Expression, author: str) -> Expression | None:
    """The expression as it stands, as one that a person must settle, or None."""

    def doubt(rule: str, why: str) -> Expression:
        return _doubted(read, rule, why)

    is_sure = _is_sure_place(mention, read)
    if is_sure is None:
        return None
    agreement = None if read.claimed_binding is not None else read_agreement(mention.after)
    if agreement is Standing.CLEAR:
        return None
    if CORRECTS.search(mention.before[-60:]):
        return doubt("correction", "corrects an earlier mail: does this vote replace it?")
    if read.claimed_binding is None and AGREED_BEFORE.search(mention.before[-120:]):
        return doubt("object-unclear", "a vote, or agreement with something said?")
    if read.claimed_binding is None and (is_measured(mention.before) or is_topic(mention.before)):
        return doubt("labelled", "stands behind a label: a vote, or a finding?")
    if mention.leading and read.claimed_binding is None and _is_inline_answer(mention.sentence.line):
        return doubt("inline-answer", "answers a quoted remark within a discussion: a vote, or agreement?")
    if read.claimed_binding is None and not mention.is_mine and _WILL_DO.match(mention.after):
        return doubt("answered-remark", "answers a remark with what will be done: a vote, or agreement?")
    unclear = find_doubt(mention.sentence, mention.before, mention.after, leading=mention.leading)
    if unclear is not None:
        return doubt(*unclear)
    if agreement is Standing.UNCLEAR or is_from_elsewhere(mention, author):
        return doubt("object-unclear", "a vote, or agreement with something said?")
    settled = mention.is_mine or mention.is_vote_word or read.claimed_binding is not None
    loose = find_loose_end(read.value, mention.after, claimed=settled)
    if loose is not None:
        return doubt(*loose)
    return read if is_sure else doubt("buried", "is this a vote, or talk about one?")


_MY_LAST = re.compile(r"^(?P<lead>.*)\bmy\s+(?:(?!vote\b)[\w()-]+\s+){0,2}[\"'(]?$", re.IGNORECASE)
#: what hands over a vote that is called "my": "here's my", "adding my", "I stand by my"
_HANDS_OVER = re.compile(
    r"(?:^|[,;:.!)–—-]|\b(?:here(?:['’]?s| is| goes| comes)|add\w*|cast\w*|giv\w*|given|count\w*|record\w*|"
    r"register\w*|note|"
    r"put\w*|throw\w*|toss\w*|drop\w*|leav\w*|left|keep\w*|kept|maintain\w*|hold\w*|stand\w*|stick\w*|stay\w*|"
    r"have|has|"
    r"got|get|gets|gave|it['’]?s|it is|this is|that['’]?s|that is|this|consider|take|accept|tak\w*|carry\w*|"
    r"carried|recast\w*|renew\w*|"
    r"reiterat\w*|repeat\w*|confirm\w*|reaffirm\w*|affirm\w*|restat\w*|submit\w*|send\w*|sent|post\w*|"
    r"express\w*|offer\w*|"
    r"with|so|and|but|also|still|again|now|then|yes|please|by|to|in|down|over|as|is|be|chang\w*|switch\w*|"
    r"updat\w*|because|since|"
    r"bring\w*|contribut\w*|chim\w*|lend\w*|extend\w*|pledg\w*|state|stating|log|plus|thanks|hi|all|ok|okay|"
    r"deserves|earn\w*))"
    r"\s*[:=]?\s*$",
    re.IGNORECASE,
)


def _hands_over(before: str) -> bool:
    """Whether "my" before a vote comes with words that hand it over: "here's my", not "I regret my"."""
    mine = _MY_LAST.match(before[-160:])
    return mine is None or _HANDS_OVER.search(mine.group("lead")) is not None


def _is_sure_place(mention: Mention, read: Expression) -> bool | None:
    """Whether a vote is cast in this place of a sentence: surely, perhaps (False), or not (None)."""
    before, after, text = mention.before, mention.after, mention.sentence.text
    if read.claimed_binding is None and not _hands_over(before):
        return False
    if mention.leading or mention.is_vote_word or mention.is_mine or read.claimed_binding is not None:
        return True
    if _ASKS.search(before):
        return None
    if is_verdict(before, after):
        return True
    if CARRIED.search(after):
        return True
    if phrases.REAFFIRMED_AFTER.search(after) and phrases.MINE_BEFORE.search(before[-20:]):
        return True
    if CORRECTS.search(before[-60:]) or KEY_ALONE.match(before):
        return True
    if is_smalltalk(before) and _ASIDE_BEFORE.search(before) is None:
        return True
    if _LEAD_IN_FOREIGN.search(before[-40:]) and len(before) < 60:
        return True
    if _LEAD_IN.search(before[-60:]):
        near = _FIRST_PERSON.search(before[-60:]) is not None or before.rstrip()[-1:] in ",;:!.-–—"
        return len(before) < 160 or near
    if _FIRST_PERSON.search(before) and (_VOTE_WORDS.search(text) or len(before) < 60):
        return False
    if (_FOREIGN_BEFORE.match(before) and len(text) < 80) or _POINTS_AT.search(before[-20:]):
        return False
    short = (
        len(text) < 50
        and not find_values(before)
        and not after.strip(" .!")
        and re.search(r"[A-Za-z]{3}", before) is not None
    )
    return False if short and _CODE.search(before) is None else None


# "I have the", "we got a": told of having, not of casting
_ASIDE_BEFORE = re.compile(
    r"\b(?:the|any|some|all|more|one|got|get|had|like|in|of|or|than|(?:love|like|going) to)\s*$", re.IGNORECASE
)


# "Binding: no", as a form has it
_BINDING_NO = re.compile(r"^\W*binding\s*[:=?]\s*(?:no|none|false|n)\b", re.IGNORECASE)


def _claim_below(after: str, following: str) -> bool | None:
    """A claim on a line of its own below a bare vote."""
    if _BINDING_NO.match(following):
        return False
    if after.strip(" .!,") or len(following) > 40 or not has_claim_word(following):
        return None
    return find_claim("", following)


# "+1, I will add a section": who answers a remark on the own proposal
_WILL_DO = re.compile(
    r"^\s*[,.;:!-]*\s*(?:(?:i|we)(?:['’]ll| will|['’]ve| have)?|will|done)\s+(?:also |just |then |already )?"
    r"(?:add|fix|change|update|rename|remove|rework|clarify|adjust|amend|correct|do (?:that|this|so)|include|"
    r"incorporate|mention)"
    r"(?:e?d)?\b(?!\s+(?:my|our)\b)",
    re.IGNORECASE,
)
# questions that a vote answers
_OPEN_QUESTION = re.compile(
    r"\b(?:thoughts|wdyt|what do you think|opinions?|objections?|concerns|vote\?|votes\?|ship it|go ahead|proceed|"
    r"(?:release|accept|approve|adopt|merge|graduate) (?:this|it|the)|ready)\b",
    re.IGNORECASE,
)


#: a quoted remark that an agreeing "+1" may answer
_SUGGESTS = re.compile(
    r"\b(?:i['’]d|i would|should|could|maybe|perhaps|let['’]s|suggest\w*|prefer\w*|i think|why not|how about|what if|"
    r"instead|better)\b",
    re.IGNORECASE,
)


def _is_inline_answer(line: OwnLine) -> bool:
    """Whether a line stands right below a quoted remark that is no call for votes, in the midst of quotes."""
    if (
        line.answers
        and line.answers.endswith("?")
        and len(line.answers) < 240
        and not _OPEN_QUESTION.search(line.answers)
    ):
        return True
    if line.answers and len(line.answers) < 240 and _SUGGESTS.search(line.answers):
        return _VOTE_CALL.search(line.answers) is None
    return bool(line.answers) and line.quote_follows and _VOTE_CALL.search(line.answers) is None
