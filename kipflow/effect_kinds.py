"""The table of the kinds of effect, each built from a community's parts."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import datetime

from kipflow.services.digests import DigestRules
from kipflow.services.effect_kinds.handover import HandOverKind
from kipflow.services.effect_kinds.index import IndexKind
from kipflow.services.effect_kinds.kind import EffectKind, Scope
from kipflow.services.effect_kinds.page import PageKind
from kipflow.services.effect_kinds.result import ResultKind
from kipflow.services.effect_kinds.slack import ChatKind
from kipflow.services.effect_kinds.ticket import TicketKind
from kipflow.wiring import Parts, effect_rules, find_ticket_links


def _make_chat(parts: Parts, scope: Scope) -> EffectKind | None:
    slack = parts.community.slack
    if parts.chat is None or slack is None:
        return None
    digest = None
    if slack.digest is not None:
        people = tuple(parts.roster.by_id[name] for name in slack.digest.people)
        digest = DigestRules(**slack.digest.as_times(), people=people)
    return ChatKind(scope=scope, chat=parts.chat, rules=effect_rules(parts), digest=digest)


def _make_index(parts: Parts, scope: Scope) -> EffectKind | None:
    wiki = parts.community.wiki
    return IndexKind(scope=scope, wiki=parts.wiki, page_id=wiki.index_page) if parts.wiki and wiki else None


def _make_result(parts: Parts, scope: Scope) -> EffectKind | None:
    mail, lists = parts.community.mail, frozenset(parts.community.lists)
    return (
        ResultKind(scope=scope, mailer=parts.mailer, sender=mail.sender, lists=lists) if parts.mailer and mail else None
    )


def _make_handover(parts: Parts, scope: Scope) -> EffectKind | None:
    lists = frozenset(parts.community.lists)
    return HandOverKind(scope=scope, chat=parts.chat, roster=parts.roster, lists=lists) if parts.chat else None


#: Kind of effect → its constructor, in order of delivery; it returns None if the community lacks what the kind needs.
EFFECT_KINDS: Mapping[str, Callable[[Parts, Scope], EffectKind | None]] = {
    "slack": _make_chat,
    "index": _make_index,
    "page": lambda parts, scope: (
        PageKind(scope=scope, wiki=parts.wiki, tickets=find_ticket_links(parts.community)) if parts.wiki else None
    ),
    "result": _make_result,
    "handover": _make_handover,
    "ticket": lambda parts, scope: TicketKind(scope=scope, tickets=parts.tickets) if parts.tickets else None,
}


def find_kinds(parts: Parts, *, now: datetime) -> dict[str, EffectKind]:
    """The kinds of effect of a community; without a kind whose service is not connected, its effects wait."""
    community = parts.community
    made = {
        name: make(
            parts,
            Scope(
                store=parts.store,
                prefix=community.prefix,
                mode=community.effects.find_mode(name),
                sends=parts.sends,
                now=now,
            ),
        )
        for name, make in EFFECT_KINDS.items()
    }
    return {name: kind for name, kind in made.items() if kind is not None}
