"""What is wrong with a proposal's page, in words that say how to mend it."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class PageFault:
    """One fault of a page. `code` is the rule's (K01 …, see `wiki.lint`), `place` a section, "Status" or "title".

    `severity` is "error", or "note" where a draft may still be unfinished.
    """

    code: str
    place: str
    what: str
    mend: str
    severity: str = "error"


@dataclass(frozen=True, slots=True, kw_only=True)
class Norms:
    """What a community's pages are held against besides the template; empty where it is not known.

    `project` is its key in the ticket tracker, `list_hosts` are hosts whose pages are threads of its lists.
    """

    project: str = ""
    list_hosts: tuple[str, ...] = ()


#: Nothing is known of the community.
ANY = Norms()
