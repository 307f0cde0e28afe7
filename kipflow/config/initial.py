"""The first files of a new community, with only the keys that it needs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

EMPTY_ROSTER = """# Who is who, and whose votes bind since when. The form: docs/communities.md, "Roster".
people: []
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class NewCommunity:
    """The input for a new community's file. `archive` is Pony Mail's API, "" for none."""

    name: str
    title: str
    prefix: str
    lists: Sequence[str]
    source: str
    archive: str = ""
    since: str = ""
    wiki: str = ""
    index_page: str = ""


def render_community(new: NewCommunity) -> str:
    """The community's file. Nothing is sent by it: `effects` is left out."""
    lines = [
        f"# {new.title}: how kipflow follows its proposals. Every key: docs/configuration.md",
        f"name: {new.name}",
        f"title: {_quote(new.title)}",
        f"prefix: {new.prefix}",
        f"lists: [{', '.join(new.lists)}]",
    ]
    if new.archive:
        lines += ["archive:", f"  url: {_quote(new.archive)}", f'  since: "{new.since}"']
        lines += [
            "  # the hosts that receive the lists' mail: what they write on top of it is believed",
            "  receivers: []",
        ]
    if new.wiki:
        lines += ["wiki:", f"  url: {_quote(new.wiki)}", f'  index_page: "{new.index_page}"']
    return "\n".join(
        [
            *lines,
            f"roster: rosters/{new.name}.yaml",
            "policy:",
            "  # the document that these rules are from; it is shown beside every outcome",
            f"  source: {_quote(new.source)}",
            "  binding_roles: [committer, pmc]",
            "  rule: lazy_majority",
            "  quorum: 3",
            "  voting_period: 72 hours",
            "",
        ]
    )


def _quote(text: str) -> str:
    """The text as a quoted YAML string."""
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'
