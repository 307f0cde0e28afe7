"""One written vote within its sentence: cast, cast with a doubt that a person must settle, or no vote at all."""

from __future__ import annotations

import re
from dataclasses import replace

from kipflow.domain.votes import Expression, Standing
from kipflow.mail.words import phrases
from kipflow.mail.words.agreement import AGREED_BEFORE, read_agreement
from kipflow.mail.words.answers import TAKES_UP, is_inline_answer, says_what_will_be_done
from kipflow.mail.words.claims import find_claim, has_claim_word
from kipflow.mail.words.continuations import find_loose_end
from kipflow.mail.words.doubts import find_doubt
from kipflow.mail.words.findings import (
    CORRECTS,
    is_cited,
    is_measured,
    is_number,
    is_statistic,
    is_topic,
)
from kipflow.mail.words.others import OTHERS_AFTER, PASSED_ON, is_from_elsewhere, is_of_others
from kipflow.mail.words.places import FIRST_PERSON, is_apposed, is_sure_place
from kipflow.mail.words.sentences import Mention, Sentence
from kipflow.mail.words.values import VALUE_PATTERN, parse_value, skip_bullet

# what may stand before a vote that begins its line: marks, an arrow, an emoji, but no word, number or code
_NOTHING_BEFORE = re.compile(r"^[^\w+=|/\\\[\]{}#$%&@~^]*$")
_MY_VOTE_IS = re.compile(
    r"(?:\b(?:my (?:own |current |personal |final )?(?:vote|position|opinion)|i (?:(?:must|have to|need to|shall|do|"
    r"hereby|therefore|still|also|now|\w+ly) )?vote|i['’]?m voting|i am voting|"
    r"here(?:['’]?s| is) my(?: vote)?|(?:and |but )?mine)|(?:^|[.,;:!]\s)\W*(?:vot(?:e|ing)|no (?:strong |"
    r"real )?opinion|neutral|"
    r"abstain\w*|abstention))\W{0,3}(?:is|['’]s|s|=|for|with|would be|of|goes? (?:to|"
    r"for))?\W{0,3}(?:a |an )?[\"'(]?$",
    re.IGNORECASE,
)
#: "Either +1 or -0, depending on …": whoever says so has not decided
_TORN = re.compile(
    r"^\W*(?:either\s+)?[+-]\s?[01] or (?:an? )?[+-]\s?[01](?![\w.]\w)(?!\s+(?:if|when|for|on|as)\b)", re.IGNORECASE
)


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
    handed_on = PASSED_ON.search(before[-160:]) is not None
    if is_of_others(mention, author) and not handed_on:
        return None
    if handed_on and not is_result:
        choice, value = parse_value(match.group("value"))
        read = Expression(choice=choice, value=value, claimed_binding=find_claim(before, after), line="", rule="")
        return _doubted(read, "for-another", "cast for somebody else: may it be counted?")
    if is_result and not (FIRST_PERSON.search(before) or phrases.FROM_ME.search(after[:60])):
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


# "the +1 (binding) you see further up was for the first take"
_SPOKEN_OF_BEFORE = re.compile(r"\b(?:the|that) (?:\w+ )?$", re.IGNORECASE)
_SPOKEN_OF_AFTER = re.compile(
    r"^\s*(?:\([^()]{0,20}\)\s*)?(?:votes? )?(?:(?:that |which )?(?:you|i) (?!am\b)\w|(?:that|which) (?:was|"
    r"is|were)\b|was\b|"
    r"in my (?:last|first|earlier|previous|other)\b|from me (?:above|earlier|further|before|in)\b)",
    re.IGNORECASE,
)
_WHICH = "a vote, or agreement with something said?"
_UNDECIDED = ("question", "two numbers in one breath: which is the vote?")


def _doubted(read: Expression, rule: str, why: str) -> Expression:
    return replace(read, rule=rule, standing=Standing.UNCLEAR, why=why)


def _weigh(mention: Mention, read: Expression, author: str) -> Expression | None:
    """The expression as it stands, as one that a person must settle, or None."""

    def doubt(rule: str, why: str) -> Expression:
        return _doubted(read, rule, why)

    if _SPOKEN_OF_BEFORE.search(before := mention.before[-24:]) and _SPOKEN_OF_AFTER.match(mention.after) and before:
        return doubt("spoken-of", "speaks of a vote cast elsewhere: is it cast here?")
    is_sure = is_sure_place(mention, read)
    if is_sure is None:
        return None
    agreement = None if read.claimed_binding is not None else read_agreement(mention.after)
    if agreement is Standing.CLEAR:
        # "I vote +1 to Jun's idea" speaks of voting all the same
        return doubt("object-unclear", _WHICH) if mention.is_vote_word else None
    if CORRECTS.search(mention.before[-60:]):
        return doubt("correction", "corrects an earlier mail: does this vote replace it?")
    if read.claimed_binding is None and AGREED_BEFORE.search(mention.before[-120:]):
        return doubt("object-unclear", _WHICH)
    if is_apposed(mention) and read.claimed_binding is None:
        return doubt("subject-unclear", "a vote, or a number that is spoken of?")
    if read.claimed_binding is None and (is_measured(mention.before) or is_topic(mention.before)):
        return doubt("labelled", "stands behind a label: a vote, or a finding?")
    if mention.leading and read.claimed_binding is None and is_inline_answer(mention.sentence.line):
        if agreement is not None or TAKES_UP.match(mention.after):
            return None  # "+1 for the rename", "+1, that's what we do": below the mail that suggests it
        return doubt("inline-answer", "answers a quoted remark within a discussion: a vote, or agreement?")
    if read.claimed_binding is None and not mention.is_mine and says_what_will_be_done(mention.after):
        return doubt("answered-remark", "answers a remark with what will be done: a vote, or agreement?")
    unclear = find_doubt(mention.sentence, mention.before, mention.after, leading=mention.leading)
    if unclear is not None:
        return doubt(*unclear)
    if agreement is Standing.UNCLEAR or is_from_elsewhere(mention, author):
        return doubt("object-unclear", _WHICH)
    settled = mention.is_mine or mention.is_vote_word or read.claimed_binding is not None
    loose = find_loose_end(read.value, mention.after, claimed=settled)
    if loose is not None:
        return doubt(*loose)
    return read if is_sure else doubt("buried", "is this a vote, or talk about one?")


# "Binding: no", as a form has it
_BINDING_NO = re.compile(r"^\W*binding\s*[:=?]\s*(?:no|none|false|n)\b", re.IGNORECASE)


def _claim_below(after: str, following: str) -> bool | None:
    """A claim on a line of its own below a bare vote."""
    if _BINDING_NO.match(following):
        return False
    if after.strip(" .!,") or len(following) > 40 or not has_claim_word(following):
        return None
    return find_claim("", following)
