"""What is wrong with a proposal's page, in words that say how to fix it."""

from __future__ import annotations

from dataclasses import dataclass

from kipflow.domain.texts import digest_text


@dataclass(frozen=True, slots=True, kw_only=True)
class PageFault:
    """One fault of a page. `code` is the rule's (K01 …, see `wiki.lint`), `place` a section, "Status" or "title".

    `severity` is "error", or "note" where a draft may still be unfinished.
    """

    code: str
    place: str
    what: str
    fix: str
    severity: str = "error"


@dataclass(frozen=True, slots=True, kw_only=True)
class SectionNorm:
    """A section of a community's template.

    `also` are beginnings of other headings that authors use for it, `text` is the template's text below the heading. A
    section that is not `required` may be missing.
    """

    title: str
    also: tuple[str, ...] = ()
    text: tuple[str, ...] = ()
    required: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class Norms:
    """What a community's pages are checked against; empty if not known.

    `project` is its key in the ticket tracker, `list_hosts` are hosts whose pages are threads of its lists.
    `sections` are its template's; empty: those of Kafka's KIPs. `fields` of the status part ("state", "discussion",
    "jira") are required; other fields are checked if a page has them.
    """

    project: str = ""
    list_hosts: tuple[str, ...] = ()
    sections: tuple[SectionNorm, ...] = ()
    fields: tuple[str, ...] = ("state", "discussion", "jira")

    @property
    def version(self) -> str:
        """An id of these norms: pages checked by other norms are checked again."""
        return digest_text(repr(self), 8)


#: Nothing is known of the community.
ANY = Norms()
