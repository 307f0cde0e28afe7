"""The proposal template: its text, new pages made from it, and leftovers of it on a page."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence
from functools import lru_cache
from html import escape

from kipflow.domain.pagefaults import ANY, Norms, SectionNorm
from kipflow.wiki.sections import Section

_INTRODUCTION = (
    "This page is meant as a template for writing a KIP. To create a KIP choose Tools->Copy on this page and modify "
    "with your content and replace the heading with the next KIP number and a description of your issue. "
    "Replace anything in italics with your own description."
)

#: Heading → the template's lines below it (Kafka wiki, "KIP-Template").
TEMPLATE: dict[str, tuple[str, ...]] = {
    "Status": (
        'Current state: [One of "Under Discussion", "Accepted", "Rejected"]',
        "Discussion thread: here [Change the link from the KIP proposal email archive to your own email thread]",
        "JIRA: here [Change the link from KAFKA-1 to your own ticket]",
        "Please keep the discussion on the mailing list rather than commenting on the wiki (wiki discussions get "
        "unwieldy fast).",
    ),
    "Motivation": ("Describe the problems you are trying to solve.",),
    "Public Interfaces": (
        "Briefly list any new interfaces that will be introduced as part of this proposal or any existing interfaces "
        "that will be removed or changed. The purpose of this section is to concisely call out the public contract "
        "that will come along with this feature.",
        "A public interface is any change to the following:",
        "Binary log format",
        "The network protocol and api behavior",
        "Any class in the public packages under clients",
        "Configuration, especially client configuration",
        "org/apache/kafka/common/serialization",
        "org/apache/kafka/common",
        "org/apache/kafka/common/errors",
        "org/apache/kafka/clients/producer",
        "org/apache/kafka/clients/consumer (eventually, once stable)",
        "Monitoring",
        "Command line tools and arguments",
        "Anything else that will likely break existing users in some way when they upgrade",
    ),
    "Proposed Changes": (
        "Describe the new thing you want to do in appropriate detail. This may be fairly extensive and have large "
        "subsections of its own. Or it may be a few sentences. Use judgement based on the scope of the change.",
    ),
    "Compatibility, Deprecation, and Migration Plan": (
        "What impact (if any) will there be on existing users?",
        "If we are changing behavior how will we phase out the older behavior?",
        "If we need special migration tools, describe them here.",
        "When will we remove the existing behavior?",
    ),
    "Test Plan": (
        "Describe in few sentences how the KIP will be tested. We are mostly interested in system tests (since "
        "unit-tests are specific to implementation details). How will we know that the implementation works as "
        "expected? How will we know nothing broke?",
    ),
    "Rejected Alternatives": (
        "If there are alternative ways of accomplishing the same thing, what were they? The purpose of this section "
        "is to motivate why the design is the way it is and not some other way.",
    ),
}

#: Other words that authors use in the headings of a KIP.
_ALSO = {
    "Motivation": ("background", "problem"),
    "Public Interfaces": ("public interface", "interface changes", "changed interface"),
    "Proposed Changes": ("proposed", "proposal", "design"),
    "Compatibility, Deprecation, and Migration Plan": ("compatibility", "migration"),
    "Test Plan": ("test",),
    "Rejected Alternatives": ("alternative", "rejected"),
}
#: The sections of a KIP except Status.
KIP_SECTIONS = tuple(
    SectionNorm(title=title, also=_ALSO[title], text=lines) for title, lines in TEMPLATE.items() if title != "Status"
)
#: Status field → its name on a new page.
_FIELD_NAMES = {"state": "Current state", "discussion": "Discussion thread", "jira": "JIRA"}

#: Hints in the template's fields. Fields are filled in, not replaced, so only the hint is template text.
#: Other communities' templates name their own project and kind of proposal in them.
_HINTS = (
    re.compile(r"one of under discussion accepted rejected"),
    re.compile(r"change the link from (?:\w+ ){1,8}to your own (?:email thread|ticket)"),
    re.compile(r"\bhere link to https?\b"),
)
_SENTENCE_END = re.compile(r"(?<=[.?!])\s+")
#: A sentence with this many words identifies the template; only this many characters of a line are read.
_MIN_WORDS, _LONGEST = 6, 2_000
#: KIP, FLIP, CEP …: templates copied from Kafka's have another name in the same sentences.
_KIND_OF_PROPOSAL = re.compile(r"\b[a-z]{1,3}[ie]p\b")
#: A line that every page keeps on purpose.
_KEPT = "Please keep the discussion on the mailing list"


def is_template_line(line: str) -> bool:
    """Whether the line consists only of template text: a whole line or single sentences (copies split or lost some)."""
    return _find_template_text(line) is not None


def find_leftovers(sections: Sequence[Section], norms: Norms = ANY) -> Iterator[tuple[str, str]]:
    """Section title and text of every line that is template text or still has one of its hints."""
    own = {_key(line): line for section in norms.sections for line in section.text}
    for section in sections:
        for position, line in enumerate(section.lines):
            key = _key(line.text)
            text = own.get(key) or _find_template_text(line.text) or _find_hint(key)
            if text is None or text.startswith(_KEPT):
                continue
            below = section.lines[position + 1 : position + 2]
            # a question that an author kept and answered below is no leftover
            is_question = text.endswith("?") and "." not in text
            is_answered = is_question and any(not is_template_line(answer.text) for answer in below)
            if not is_answered:
                yield section.title, line.text


def has_hint(text: str) -> bool:
    """Whether a field still has one of the template's hints: "[Change the link from KAFKA-1 to your own ticket]"."""
    return _find_hint(_key(text)) is not None


def _find_template_text(line: str) -> str | None:
    """The template text that the line consists of; None if it has other words."""
    known = _known().get(_key(line))
    if known is not None:
        return known
    keys = [key for part in _SENTENCE_END.split(line[:_LONGEST]) if (key := _key(part))]
    return _sentences()[keys[0]] if keys and all(key in _sentences() for key in keys) else None


def _find_hint(key: str) -> str | None:
    return next((match.group(0) for hint in _HINTS if (match := hint.search(key))), None)


def render_page(*, state: str = "Draft", norms: Norms = ANY) -> str:
    """The body (storage format) of a new proposal: the community's template with its Current state set."""
    return _render_status(state, norms) + "".join(map(_render_section, norms.sections or KIP_SECTIONS))


def _render_status(state: str, norms: Norms) -> str:
    hints = dict(line.split(": ", 1) for line in TEMPLATE["Status"] if ": " in line)
    parts = ["<h1>Status</h1>"]
    # the state is always written: it marks the page as a draft
    for field in dict.fromkeys(("state", *norms.fields)):
        name = _FIELD_NAMES[field]
        # the hints of the KIP template name Kafka's tickets
        hint = "TBD" if norms.sections else hints[name]
        shown = escape(state) if field == "state" else f"<em>{escape(hint)}</em>"
        parts.append(f"<p><strong>{escape(name)}</strong>: {shown}</p>")
    parts.append(f"<p><em>{escape(TEMPLATE['Status'][-1])}</em></p>")
    return "".join(parts)


def _render_section(section: SectionNorm) -> str:
    lines = "".join(f"<p><em>{escape(line)}</em></p>" for line in section.text)
    return f"<h1>{escape(section.title)}</h1>{lines or '<p></p>'}"


@lru_cache(maxsize=1)
def _sentences() -> dict[str, str]:
    """The template's sentences that are long enough to be unmistakable."""
    lines = [_INTRODUCTION, *(line for heading, below in TEMPLATE.items() if heading != "Status" for line in below)]
    parts = [part for line in lines for part in _SENTENCE_END.split(line)]
    return {_key(part): part for part in parts if len(_key(part).split()) >= _MIN_WORDS}


@lru_cache(maxsize=1)
def _known() -> dict[str, str]:
    lines = [_INTRODUCTION, *(line for below in TEMPLATE.values() for line in below)]
    # copies of the template lost the line break between these two
    lines.append("Any class in the public packages under clientsConfiguration, especially client configuration")
    return {_key(line): line for line in lines}


def _key(line: str) -> str:
    """Letters and digits only: bullets, quotes, brackets, spaces and the proposals' name differ from copy to copy."""
    words = re.sub(r"[\W_]+", " ", unicodedata.normalize("NFKC", line[:_LONGEST]).lower()).strip()
    return _KIND_OF_PROPOSAL.sub("kip", words)
