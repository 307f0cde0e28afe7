"""Numbers that look like votes and are none: phone numbers, offsets, formulas, measurements, code."""

from __future__ import annotations

import re

from kipflow.mail.votes.lexicon import fold, has

_I = re.IGNORECASE
_PHONE_AFTER = re.compile(r"^[\s.\-)]{0,3}(?:\(\d{1,4}\)|\d{2,4}[\s.\-]{1,3}\(?\d|\d{7,})")
_PHONE_BEFORE = re.compile(r"(?<![\w'’])(?:tel|phone|mobile|mob|cell|fax|call|whatsapp|telephone)\s*[.:)]{0,2}\s*$", _I)
_BEFORE = re.compile(
    r"[=<>*/^%]\s*[\"'(]?$|\d\s?[)\]]\s*$|(?<![A-Za-z.\d-])\d\s*$|(?<![.\w+-])(?<!my )\d\s*(?:or|and|,|to|"
    r"through)\s*$|[a-z]+[._][a-z._]+\s*(?:is|to|=|:)?\s*$|"
    r"\b(?:utc|gmt|cet|est|pst|x|n|k|between|than|code|exit|status|returns?|returned|offsets?|epoch|index|default|"
    r"defaults to|set to|value|values|of value|equals?|equal to|version|ttl|timeout|increment\w*|decrement\w*)"
    r"\s*(?:is|of|to|as|:|was|by|a|the)?\s*[\"'(`]?$",
    _I,
)
AFTER = re.compile(
    r"^\s*(?:utc|gmt|h|hrs?|hours?|mins?|s|ms|days?|weeks?|years?|bytes?|[kmgt]i?b|percent|degrees?|pts?|points?|"
    r"lines?|offsets?|ticks?|retries|replicas?|partitions?|nodes?|brokers?|records?|messages?|beers?|internets?|"
    r"cookies?|karma|dozen|°\w?)\b|"
    r"^\s*[:=]\s*(?:the |an? |no )?(?:default|unlimited|unbounded|infinit\w+|disabled|enabled|off|unknown|unset|null|"
    r"limit|auto)\b|^\s+(?:unlimited|unbounded|infinite)\b|"
    r"^\s*\((?:the |a )?(?:default|unlimited|unbounded|infinite|disabled|unset|none|null|no limit|0x)|"
    r"^\s*[\"'`)]?\s*(?:=(?!>)|[<>](?:\s|=|-?\d)|\^|\|\||&&|[*/]\s*[\dA-Za-z(]|[+\-]\s*(?:[2-9]|\d\d)|\d|means?\b|"
    r"indicat\w+|"
    r"denot\w+|"
    r"represent\w*|signif\w+|stands? for|as (?:a |an |the )?(?:default|value|sentinel|offset|marker|placeholder|index|"
    r"result|return))",
    _I,
)
_OTHER_NUMBER = re.compile(r"(?<![\w.])[+-](?:[2-9]\d*|1\d+)\b(?!\s*(?:days|weeks))")
# a patch, a program's output, code
_CODE_LINE = re.compile(
    r"^\s*(?:diff --git|index [0-9a-f]{7}|@@ |\+\+\+ |--- |[+-](?:import|def|class|public)\b|\$ |>>> )"
)


def is_technical(before: str, after: str) -> bool:
    """Whether the text around a value makes it a number like any other."""
    near = before[-50:]
    return (
        _PHONE_AFTER.match(after) is not None
        or _PHONE_BEFORE.search(near) is not None
        or AFTER.match(after) is not None
        or _BEFORE.search(near) is not None
        or _OTHER_NUMBER.search(near) is not None
        or " = " in near[-12:]
    )


def is_code(line: str) -> bool:
    """Whether a line belongs to a patch or a program."""
    return _CODE_LINE.match(line) is not None or (line.rstrip().endswith((";", "{", "}")) and "=" in line)


def measures(lead: str) -> bool:
    """Whether the words right before a value speak of a measurement."""
    return has("measure", fold(lead[-40:]))
