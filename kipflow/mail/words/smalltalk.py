"""Words of greeting, thanks, approval and discourse: where only these stand before a number, the number is a vote.

"Makes sense +1", "In that case +1", "Woohoo +1" are votes; "Checksums +1", "Windows +1" may be findings.
"""

from __future__ import annotations

import re

_WORDS = frozenset(
    re.findall(
        r"[^\s]+",
        """
        a an the this that it its it's is was be am are i i'm i'd i'll we'll we we're me my us our you your to of
        in on for with
        from at as by so and or but then thus hence now still again also too well just only here there there's here's
        goes go going gets get got have has had give giving given do done did all both one any some more much very
        really quite pretty super totally fully completely strongly definitely absolutely certainly surely obviously
        clearly simply truly indeed honestly personally overall otherwise anyway anyhow regardless nevertheless
        finally
        yes yep yeah yup ya yay woohoo whoo hooray hurray wow oh ah aha hm hmm ok okay okey k right alright sure fine
        good great nice cool sweet neat perfect awesome excellent fantastic wonderful amazing brilliant superb solid
        lovely excited happy glad pleased delighted love like agree agreed agreeing concur seconded same ditto
        likewise
        likewise. makes make sense sounds seems looks look works work job stuff thing one. idea news effort write-up
        thanks thank thx tks ty cheers kudos congrats congratulations bravo welcome hi hello hey dear folks team guys
        everyone everybody devs dev community friends list hopefully late later lately better than never sorry delay
        slow being party side end part case mind view opinion perspective pleasure pleasure. remain remaining stay
        staying keep keeping stick sticking stand standing vote votes voting cast casting say saying think feel
        believe
        support supporting endorse approve approved approving lgtm sgtm imo imho fwiw afaic afaict kip proposal
        release
        rc candidate release. fan big huge can safe must comments questions were addressed answered resolved fixed
        guess sigh meh ugh as stated before mentioned promised discussed above
        convinced without doubt hesitation favor favour maybe anyhow no issues issue
        problems problem found
        concerns concern
        objections complaints nothing
        blocking blockers blocker green verified tested checked reviewed
        """,
    )
)
_GREETED = re.compile(
    r"\b(?:(?i:thanks|thank you|hi|hello|hey|dear|kudos to|congrats)|@)[ ,]*(?:[A-Z][\w.-]{1,20}[ ,]*){1,2}"
)
_WORD = re.compile(r"[^\s,;:!.?()\"“”*–—…]+")
_ARROWS = frozenset({"=>", "->", "→", "-->", "==>"})
_MOST = 12


def is_smalltalk(before: str) -> bool:
    """Whether what stands before a number consists of words of approval and the like, and of at least one.

    >>> is_smalltalk("In that case, "), is_smalltalk("Checksums "), is_smalltalk("Thanks Jun ")
    (True, False, True)
    """
    if len(before) > 100 or "?" in before:
        return False
    words = [w.lower().replace("’", "'") for w in _WORD.findall(_GREETED.sub("thanks ", before)) if w not in _ARROWS]
    return 0 < len(words) <= _MOST and all(word in _WORDS for word in words)
