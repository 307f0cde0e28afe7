"""Which public interfaces a proposal touches, by the lines of its page that say so.

The classes are those of Kafka's process page; the first two require the most care. A line touches the interfaces that
it names, unless it denies that ("no change to the protocol", "Monitoring: none") or is about a rejected alternative.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

#: A setting's name: dotted words that are neither a package nor an address nor a file.
_SETTING = (
    r"(?<![\w./@:-])(?!(?:org|com|net|io|java|javax|www|scala)\.)[a-z][a-z0-9_-]*(?:\.[a-z][a-z0-9_-]*){2,8}"
    r"(?<!\.com)(?<!\.org)(?<!\.net)(?<!\.html)(?<!\.java)(?<!\.scala)(?<!\.sh)(?<!\.json)(?<!\.md)(?![\w/(:])"
)

#: Interface → pattern of a line that touches it, most care first.
_PATTERNS: tuple[tuple[str, re.Pattern[str]], ...] = (
    (
        "log-format",
        re.compile(
            r"\b(?<!error )(?<!log4j )(?:log|message|record|segment|snapshot|batch|index file|on[- ]disk|storage)"
            r" (?:file )?formats?\b"
            r"|\brecord batch|\bbatch headers?\b|\bon[- ]disk\b|\bmagic (?:byte|value|v?\d)|\brecord headers? format"
            r"|\b(?:message|record) versions?\b|\bcontrol records?\b",
            re.IGNORECASE,
        ),
    ),
    (
        "protocol",
        re.compile(
            r"(?i:\b(?<!security )(?<!security\.)(?<!sasl )(?<!inter\.broker\.)(?<!transport )protocols?\b"
            r"(?! buffers?)(?!\.version))|\bRPCs?\b|(?i:\bapi[- ]?keys?\b|\berror codes?\b)"
            r"|(?<![\w$])(?!Http|Servlet)[A-Z]\w{1,60}(?:Request|Response)s?\b"
            r"|(?i:\b(?:request|response) (?:schema|version|format)s?\b)"
            r"|(?i:\bREST (?:api|endpoint|interface|resource)s?\b)",
        ),
    ),
    (
        "client-api",
        re.compile(
            r"(?i:\borg[./]apache[./]\w+|\bpublic (?:static |abstract |final |default )?(?:class|interface|enum|apis?"
            r"|methods?|void|record)\b|\b(?:java|scala|python|client|producer|consumer|admin|streams|public) apis?\b"
            r"|\bmethod signatures?\b|\b(?:new|overloaded|deprecated?|abstract) (?:\w+ )?methods?\b)"
            r"|(?i:\bmethods?\b|\bconstructors?\b)"
            r"|\b(?:class|interface|enum) `?[A-Z]\w+|\b[A-Z]\w+`? (?:class|interface)\b"
            r"|\b[A-Z]\w+#\w+|@InterfaceStability|@Deprecated",
        ),
    ),
    (
        "configuration",
        re.compile(
            rf"(?<![/-])\bconfig(?:uration|urations|s)?\b|{_SETTING}|\b\w+_CONFIG\b|\bdefault values? of\b"
            r"|\b(?:broker|topic|client|producer|consumer|server|connector|dynamic) (?:level )?"
            r"(?:settings?|propert(?:y|ies)|parameters?)\b",
            re.IGNORECASE,
        ),
    ),
    (
        "monitoring",
        re.compile(
            r"\bmetrics?\b|\bmbeans?\b|\bjmx\b|\bgauges?\b|\bsensors?\b|\bmonitoring\b"
            r"|\bmetrics?reporters?\b|[a-z]:type=\w",
            re.IGNORECASE,
        ),
    ),
    (
        "command-line",
        re.compile(
            r"\bcommand[- ]?line\b|\b[a-z]+(?:-[a-z]+){1,5}\.(?:sh|bat)\b|(?<![\w-])--[a-z][a-z-]+|\bcli\b",
            re.IGNORECASE,
        ),
    ),
)

#: A breaking change that is in none of the classes above.
OTHER = "other"

#: The interfaces that a policy may require care for.
INTERFACES = (*(name for name, _ in _PATTERNS), OTHER)

#: A question is no change, unless "yes" follows.
_QUESTION = re.compile(r"[^.?!;:]{1,300}\?(?!\S)(?!\s*yes\b)", re.IGNORECASE)

#: The rest of a longer line is not read.
_MAX_LINE = 2_000

#: Where one statement ends and the next begins: a denial reaches no further.
_CLAUSE = re.compile(
    r"[.;!?](?=\s|$)|,?\s(?:but|however|instead|except|only|although|while|whereas)\b"
    r"|,\s(?=(?:and )?(?:an?|we|this|it|there|new|another|add\w*|introduc\w*|deprecat\w*|chang\w*|remov\w*)\b)",
    re.IGNORECASE,
)
#: After "not", these words deny something else than a change: "not backward compatible", "do not know the new RPC".
_NOT_SO = (
    r"(?! (?:only|just|merely|all|every|yet|necessarily|enough|sufficient|possible|aware|compatible"
    r"|backwards?|forwards?|binary|source|know|support|understand|recogni[sz]e|provide|specify|set|exist|have|contain|use)\b)"
)
_DENIED = re.compile(
    rf"\b(?:no(?! longer\b)|not{_NOT_SO}|never|without|neither|nor|none|nothing)\b|n['’]t\b{_NOT_SO}"
    # about something else: "see KIP-98 for the format", "similar to the existing config"
    r"|\bsee (?:also )?(?:the\b|[a-z]{2,6}-\d)|\b(?:similar|analogous|equal) to\b|\bunaffected (?:because|as|since)\b",
    re.IGNORECASE,
)
#: Follows directly what it is about: "the wire protocol stays as it is".
_UNTOUCHED = re.compile(
    r"^[\w\s/()-]{0,40}?\b(?<!that )(?<!which )"
    r"(?:(?:is|are|remains?|stays?|will|does|do|was|were|has|have|been|be)\s+){1,3}"
    r"(?:not\b|n['’]t\b|never\b|unchanged\b|unaffected\b|untouched\b|unmodified\b|the same\b|intact\b"
    r"|as (?:it|they) (?:is|are)\b)",
    re.IGNORECASE,
)
#: "Binary log format: No", "Monitoring | N/A": a name of the template's list, answered.
_ANSWER = re.compile(
    r"\s*(?:[-*\u2022]\s*)?(?:n\s?/\s?a\b|none\b|no\b|not\b|nothing\b|nope\b|-+\s*$|unchanged\b|unaffected\b|tbd\b|todo\b"
    r"|(?:we|this|it|there)\b[\w\s]{0,30}?\b(?:no|not|nothing|n['’]t)\b|there (?:is|are) no\b)",
    re.IGNORECASE,
)
_LABEL = re.compile(r"^([^:|\u2013\u2014]{1,80}?)\s*(?:[:|\u2013\u2014]|\s-\s)\s*(\S.*)$")
#: A line about a rejected or postponed idea.
_NOT_CHOSEN = re.compile(
    r"\brejected\b|\b(?:an?|one|other|another|the|considered) alternatives?\b|\balternatively\b"
    r"|\b(?:was|were|have|been|be) considered\b|\bout of scope\b|\bnon[- ]goals?\b"
    r"|\bfuture (?:work|kip|proposal|releases?|versions?)\b|\bseparate (?:kip|proposal)\b|\bfollow[- ]?up\b",
    re.IGNORECASE,
)
#: A statement that something changes.
_CHANGES = re.compile(
    r"\b(?:add|chang|introduc|remov|renam|deprecat|replac|extend|modif|break|drop|expos)\w*\b|\bnew\b|\bdefaults?\b"
    r"|\breconfigur\w*|\bneeds? to\b|\bmust\b|\bbehaviou?r\b|\bwill (?:now|no longer|be)\b",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Touch:
    """One interface and the first line that touches it."""

    interface: str
    line: str


def find_interfaces(lines: Iterable[str]) -> tuple[Touch, ...]:
    """The named interfaces that these lines touch, each once, most care first."""
    found: dict[str, str] = {}
    for line in lines:
        for interface in _find_in_line(line[:_MAX_LINE]):
            found.setdefault(interface, line.strip()[:300])
    return tuple(Touch(interface=name, line=found[name]) for name in INTERFACES if name in found)


def classify_interfaces(lines: Iterable[str]) -> tuple[Touch, ...]:
    """As `find_interfaces`, for lines that list public changes: a change outside all classes is `OTHER`."""
    own = tuple(lines)
    found = find_interfaces(own)
    if found:
        return found
    other = next((line for line in own if _is_other(line[:_MAX_LINE])), None)
    return () if other is None else (Touch(interface=OTHER, line=other.strip()[:300]),)


def _find_in_line(line: str) -> Iterator[str]:
    line = _QUESTION.sub(" ", line)
    if _NOT_CHOSEN.search(line):
        return
    label = _LABEL.match(line)
    named = label.group(1) if label is not None and _ANSWER.match(label.group(2)) else ""
    denied = {name for name, pattern in _PATTERNS if named and pattern.search(named)}
    for name, pattern in _PATTERNS:
        if name not in denied and any(_is_touched(clause, pattern) for clause in _CLAUSE.split(line)):
            yield name


def _is_touched(clause: str, pattern: re.Pattern[str]) -> bool:
    for match in pattern.finditer(clause):
        before, behind = clause[: match.start()], clause[match.end() :]
        if _DENIED.search(before) is None and _UNTOUCHED.match(behind) is None:
            return True
    return False


def _is_other(line: str) -> bool:
    line = _QUESTION.sub(" ", line)
    if _NOT_CHOSEN.search(line) or len(line.split()) < 3 or _ANSWER.match(line):
        return False
    label = _LABEL.match(line)
    if label is not None and _ANSWER.match(label.group(2)):
        return False
    return any(_CHANGES.search(c) is not None and _DENIED.search(c) is None for c in _CLAUSE.split(line))
