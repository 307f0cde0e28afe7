"""The wording around a written value that makes it a technical number or the voter's own word.

Each pattern is tried on one sentence (at most a few hundred characters) and is free of nested
quantifiers, so that no text can make it slow.
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
    r"^\s*(?:utc|gmt|hours?|h|hrs?|mins?|s|days?|weeks?)\b|^\s*(?:<=|>=|<\s+[\w-])|"
    r"^\s*[:=]\s*(?:the |an? |no )?(?:default|unlimited|unbounded|infinit\w+|disabled|enabled|off|on|unknown|"
    r"unset|null|"
    r"limit|auto)\b|"
    r"^\s+(?:unlimited|unbounded|infinite)\b|"
    r"^\s*\((?:the |a )?(?:default|unlimited|unbounded|infinite|infinity|disabled|off|unknown|unset|none|null|"
    r"no limit|0x)|"
    r"^\s+(?:beers?|internets?|cookies?|karma|drinks?|coffees?|million|billion|thousand|dozen)\b|"
    r"^\s*[\"'`)]?\s*(?:means?\b|(?:dis|en)ables\b|turns\b|selects\b|triggers\b|signals\b|implies\b|prevents\b|"
    r"defaults?\b|sentinels?\b|settings?\b|indicat\w+|denot\w+|represent\w*|signif\w+|stands? for|is (?:the |a |an |"
    r"used|not|"
    r"returned|default|set|"
    r"reserved|valid|invalid|still|also|now|treated|interpreted|special)|as (?:a |an |the )?(?:default|value|"
    r"sentinel|offset|marker|"
    r"placeholder|initial|epoch|special|id|timestamp|position|result|answer|return|index|size|count|limit|code|"
    r"number)|for (?:unlimited|infinite|no |none|unknown|unset|default|all |"
    r"disabled?|"
    r"\"|not )|in (?:the )?(?:code|config|response|request|log|output|field|schema|(?:this|that|which) case)|"
    r"(?:would|will|should|can|"
    r"could|may|must|shall) "
    r"(?:be|mean|indicate|denote|also|not|have)|=|(?:=>|->|→)(?!\s*(?:will\b|i\b|so\b|but\b))|\.\.(?!\.)|"
    r"or [+\-]?\d|(?:offsets?|bytes?|ms|secs?|"
    r"seconds?|"
    r"minutes?|hours?|days?|"
    r"weeks?|months?|years?|[kmgt]i?b|percent|index|indices|values?|partitions?|replicas?|records?|messages?|"
    r"points?|errors?|lines?|"
    r"files?|more|(?:tests? )?(?:skipped|failed|passed|ignored|failures?)|"
    r"extra|additional|commits?|timestamp|epochs?|brokers?|nodes?|levels?|percent|degrees?|retries|characters?|"
    r"chars?)\b)",
    _I,
)

# -- the voter's own ---------------------------------------------------------------------------------
FROM_ME = re.compile(
    r"\b(?:form me|from (?:an? (?:[\w-]+ )?(?:user|contributor|committer|developer|mentor|lurker|operator)|(?:the|"
    r"our) (?:\w+ )?side|"
    r"me|my side|my end|us|here|"
    r"myself)|pour moi|de ma part|für mich|von mir|(?:de|por) mi parte|para m[ií]m?|da parte mia|per me|от меня|"
    r"voor mij|van mij|från mig|fra meg|for me|on my (?:part|side)|my side)\b",
    _I,
)
MINE_BEFORE = re.compile(
    r"\b(?:my|mine)\s+(?:(?!teams?\b|colleagues?\b|compan|boss\b|cowork|says?\b|said\b|voted\b|"
    r"gave\b)\w+\s+){0,2}$",
    _I,
)
REAFFIRMED_AFTER = re.compile(
    r"^[^.;]{0,40}\b(?:still\s+(?:stands?|holds?|applies|valid)|stands\b|carr(?:y|ies) over|remains?\b)", _I
)
