"""The wording around a vote: what makes it conditional, about others, technical, or agreement with a comment.

Each pattern is tried on one sentence (at most a few hundred characters) and is free of nested
quantifiers, so that no text can make it slow. The name of the rule that fired is the evidence's.
"""

from __future__ import annotations

import re

_I = re.IGNORECASE

# -- numbers that are no vote ----------------------------------------------------------------------
PHONE_AFTER = re.compile(r"^[\s.\-)]{0,3}(?:\(\d{1,4}\)|\d{2,4}[\s.\-]{1,3}\(?\d|\d{7,})")
PHONE_BEFORE = re.compile(
    r"(?<![\w'’])(?:tel|phone|mobile|mob|cell|fax|ph|office|direct|call|whatsapp|telephone|t|m|o|p|"
    r"f)\s*[.:)]{0,2}\s*$",
    _I,
)
TECHNICAL_BEFORE = re.compile(
    r"[+\-±]?\b\d\s*(?:or|and|,|to|through|/)\s*$|[+\-]\d+\s*/?\s*$|\b(?:utc|gmt|cet|cest|est|pst|offsets?|index|"
    r"values?|returns?|"
    r"returned|returning|set|sets|setting|default|"
    r"defaults|"
    r"equals?|equal to|code|exit|status|between|from|by|epoch|term|version|ttl|timeout|size|count|length|id|level|"
    r"depth|"
    r"range|than|minus|plus|port|partition|rc|exponent|power|degree|score|rating|error|number|integer|literal|"
    r"sentinel|"
    r"constant|increment\w*|decrement\w*|bump\w*|config\w*|parameter|property|field|option|flag|means?|"
    r"use|uses|using|use of|sees?|saw|shows?|yields?|prints?|pass|passing|with value|is|was|be|are|to|contains?|x|n|"
    r"i|k|"
    r"[a-z]+[._][a-z._]+)\s*(?:is|of|to|as|=|:|was|be|are|with|by|a|an|the|value)?\s*[\"'(`]?$",
    _I,
)
TECHNICAL_AFTER = re.compile(
    r"^\s*\((?:the |a )?(?:default|unlimited|infinite|disabled|unknown|unset)\b|"
    r"^\s*[\"'`)]?\s*(?:means?\b|(?:dis|en)ables\b|turns\b|selects\b|triggers\b|signals\b|implies\b|prevents\b|"
    r"defaults?\b|sentinels?\b|settings?\b|indicat\w+|denot\w+|represent\w*|signif\w+|stands? for|is (?:the |a |an |"
    r"used|not|"
    r"returned|default|set|"
    r"reserved|valid|invalid|still|also|now|treated|interpreted|special)|as (?:a |an |the )?(?:default|value|"
    r"sentinel|offset|marker|"
    r"placeholder|initial|epoch|special|id|timestamp|position|result|answer|return|index|size|count|limit|code|"
    r"number)|for (?:unlimited|infinite|no |none|unknown|unset|default|all |"
    r"disabled?|"
    r"\"|not )|in (?:the )?(?:code|config|response|request|log|output|field|schema|case)|(?:would|will|should|can|"
    r"could|may|must|shall) "
    r"(?:be|mean|indicate|denote|also|not|have)|=|=>|->|→|\.\.|or [+\-]?\d|(?:offsets?|bytes?|ms|secs?|seconds?|"
    r"minutes?|hours?|days?|"
    r"weeks?|months?|years?|[kmgt]i?b|percent|index|indices|values?|partitions?|replicas?|records?|messages?|"
    r"points?|errors?|lines?|"
    r"files?|more|"
    r"extra|additional|commits?|timestamp|epochs?|brokers?|nodes?|levels?|percent|degrees?|retries|characters?|"
    r"chars?)\b)",
    _I,
)

# -- votes of other people -------------------------------------------------------------------------
OTHERS_BEFORE = re.compile(
    r"(?:\b(?:your|his|her|their|its|whose|(?!it|here|that|what|let)[a-z]+['’]s)\s+(?:\w+\s+){0,2}$"
    r"|\b(?:\d{1,3}|one|two|three|four|five|six|seven|eight|nine|ten|more|additional|enough|all|several|many|"
    r"required|needed|no|any|"
    r"few|only|at least|multiple|(?<!\bi )(?<!\bwe )both|these|those|every|each)\s+(?:of the\s+)?(?:non[- "
    r"]?binding\s+|binding\s+|"
    r"pmc\s+|more\s+|explicit\s+)*$"
    r"|\b(?:need (?!this\b|it\b)|needs|needed|require|requires|waiting for (?!this\b|it\b|that\b)|wait for|missing|"
    r"received|receive|collect\w*|got "
    r"(?!it\b)|count(?! "
    r"me)\w*|"
    r"translate|"
    r"interpret|treat|regard|assume|meant|means|reply with|respond with|vote with|write|type|say|says|saying|send|"
    r"asking for|ask for|"
    r"looking for|await\w*|appreciate|love (?=a|another|some|more)|get|gets|getting|"
    r"gather\w*)\b[^.;!?]{0,60}(?<!,)(?<!, )$"
    r"|\b(?:he|she|they|who|nobody|no one|none|anyone|everyone|everybody|people|someone|somebody|others?|members?|"
    r"committers?|voters?|"
    r"you|(?!(?:already|also|just|have|had|has|we|i|previously|initially)\b)[A-Z][a-z]+ (?:voted|gave|said|has|had|"
    r"already))\b[^,.;:!?]{0,60}$)",
    _I,
)
#: "Thanks Jun for the +1"
THANKED_BEFORE = re.compile(
    r"\bthank\w*\b[^.!?;]{0,60}\bfor (?:the|your|his|her|their|all|those|these)\s+(?:(?:non-)?binding |quick |many |"
    r"late |kind |last )?$",
    _I,
)
OTHERS_AFTER = re.compile(
    r"^\s*(?:\((?:non-?)?binding\)\s*)?(?:(?:non-?)?binding\s+)?(?:votes?\b|\(?s\)?\b|from (?!me\b|my\b|us\b|myself|"
    r"our\b|here\b))|^\s*\w{0,12}\s*(?:count|tally)\b",
    _I,
)
FROM_ME = re.compile(
    r"\b(?:from (?:an? (?:\w+ )?(?:user|contributor|committer|developer)|me|my side|my end|us|here|"
    r"myself)|for me|on my (?:part|side)|my side)\b",
    _I,
)
MINE_BEFORE = re.compile(r"\b(?:my|mine)\s+(?:\w+\s+){0,2}$", _I)
NITS = re.compile(
    r"\s*(?:a |some |one |two |few |minor |small |the |no |my ){0,4}(?:\w+ )?"
    r"(?:comments?|nits?|questions?|remarks?|notes?|suggestions?|caveats?|concerns?)\b",
    _I,
)
PAST = re.compile(
    r"\b(?:i|we)(?:['’]ve|\s+have|\s+had)?\s+(?:already\s+|also\s+|previously\s+)*(?:voted|gave|given|said|was|"
    r"were|posted|started(?: out)? (?:with|at|as|from))\b(?:(?!\bbut\b|\bnow\b)[^.;]){0,50}$",
    _I,
)
REAFFIRMED_AFTER = re.compile(
    r"^[^.;]{0,40}\b(?:still\s+(?:stands?|holds?|applies|valid)|stands\b|carr(?:y|ies) over|remains?\b)", _I
)

# -- conditions ------------------------------------------------------------------------------------
_HARMLESS_IF_BEFORE = (
    r"(?<!know )(?<!see )(?<!check )(?<!wonder )(?<!wondering )(?<!ask )(?<!asking )(?<!sure )(?<!tell )(?<!verify "
    r")(?<!even )(?<!as )"
    r"(?<!nice )(?<!great )(?<!good )(?<!better )(?<!best )(?<!love )(?<!prefer )(?<!appreciate )(?<!helpful "
    r")(?<!mind )(?<!curious )"
    r"(?<!unsure )(?<!what )(?<!understand )(?<!cool )(?<!awesome )(?<!ideal )(?<!clear )(?<!matter )(?<!it "
    r")(?<!idea )"
)
_HARMLESS_IF_AFTER = (
    r"(?!\s+(?:anyone|anybody|someone|you (?:have|need|want|like|could|can|are|wish)|possible|needed|necessary|it "
    r"matters|that matters|"
    r"i (?:may|understand|recall|remember|read|might|can)|i['’]m not|i am not|not already|at all|so\b|any\b|that "
    r"counts|it counts|"
    r"my vote|nobody|there['’]s time|time permits|memory serves))"
)
CONDITION_AFTER = re.compile(
    rf"{_HARMLESS_IF_BEFORE}\bif\b{_HARMLESS_IF_AFTER}"
    r"|(?<!at )\bonce\b(?! again| more| in a while)|\bprovid(?:ed|ing)\b(?! by| in| the (?:link|details|info)| a | "
    r"an )|\bassuming\b|\bunless\b|"
    r"\buntil\b|\btill\b|\bpending\b|\bmodulo\b|\bcondition(?:al|ally|ed)?\b|\bcontingent\b|\bsubject to\b|\b(?:as|"
    r"so) long as\b|"
    r"\bafter (?!the (?:latest|last|recent|update|new|discussion|change|clarif|explanation))(?:the|that|this|these|"
    r"we|you|it|fixing|renaming|addressing|resolving|updating|removing|adding|merging|"
    r"clarif\w+)\b|"
    r"^\W{0,4}(?:\([^()]{0,20}\)\s*)?when (?:the|we|you|it|that|this|these|all)\b|\bas soon as\b|\bwith the "
    r"(?:caveat|condition|understanding|proviso)\b|"
    r"\bgiven (?:that )?(?:the|that|this|it|we|you|all)\b[^.;]{0,60}\b(?:gets?|will|would|can|(?:is|are) going to)\b|"
    r"\b(?:will|['’]ll|happy to|ready to|going to|glad to) (?:chang\w*|switch|turn|flip|revise|reconsider|withdraw)\b"
    r"[^.;]{0,60}\b(?:when|as soon as)\b|"
    r"\bbarring\b|\bon (?:the )?condition\b|\bin case (?:the|we|you|it)\b|"
    r"^\W{0,4}(?:\([^()]{0,20}\)\s*)?(?:except|with (?:the|one|a|that|this|your|these|those|\w+['’]s)(?: \w+){0,3} "
    r"(?:change|fix|modification|rename|correction|tweak|adjustment|edit|update)s?\b)",
    _I,
)
CONDITION_BEFORE = re.compile(
    r"^\W{0,6}(?:(?:and|but|so|then|well|ok|okay|yes|lgtm|hi|hello|sure|great)\W{1,3}){0,2}(?:if|once|provided|"
    r"providing|assuming|as long as|so long as|unless|"
    r"until|pending|as soon as|after (?:the|that|this|we|you|it|fixing|renaming|addressing|resolving)|when (?:the|we|"
    r"you|that|this|it)|should (?:you|we|the|this)|"
    r"with (?:the|that|this|these|those|your|a)(?: \w+){0,4} (?:fixed|addressed|resolved|changed|renamed|updated|"
    r"removed|added|merged|clarified|"
    r"change|fix|modification|rename|correction)s?)\b",
    _I,
)
CONDITION_WITHIN = re.compile(
    r"\b(?<!at )once (?!again|more)(?:the|this|that|these|it|we|you|all)\b|\b(?:provided|assuming) (?:that|the|we|"
    r"you|this|it)\b|\bas long as\b|\bpending (?:the|a)\b",
    _I,
)
CONDITION_NEXT = re.compile(
    r"^\W{0,4}(?:(?:but|and|though|however|of course|that is)\W{1,2})?(?:only (?:if|when|once|after)|provided|"
    r"providing|assuming|as long as|so long as|"
    r"pending|conditional|contingent|subject to|on (?:the )?condition|modulo|unless|if and only if|if the above|if "
    r"you (?:fix|rename|change|address|remove|add))\b",
    _I,
)
HYPOTHETICAL_BEFORE = re.compile(
    r"(?:\b(?:would(?! like to| love to| also like to)|could|might|may|should|going to|gonna|plan(?:ning)? to|about "
    r"to|intend\w*|lean\w*|"
    r"tend\w*|inclined|tempted|consider(?:ing)?|almost|nearly|close to|tentative\w*|probably|likely|perhaps|maybe|"
    r"conditional\w*|provisional\w*|soft|"
    r"weak|slight\w*|mild|initially|originally|previously|wanted to|was|were|ready to|able to|unable to|hope to|"
    r"hoping to|hesitant|"
    r"not|never|cannot|can['’]?t|won['’]?t|don['’]?t|didn['’]?t|isn['’]?t|wouldn['’]?t|haven['’]?t|no longer|neither|"
    r"nor|without|instead of|rather than)\b"
    r"|\b(?:i|we|it|that)['’]d(?! like to| love to| also like to))[^,;:()!?]{0,50}$",
    _I,
)
LATER_AFTER = re.compile(r"\b(?:tomorrow|later|next week|then\b|soon|when i|after i|once i)\b", _I)
NOT_SERIOUS = re.compile(r"\b(?:just kidding|joking|jk|not a vote|don['’]?t count)\b", _I)
