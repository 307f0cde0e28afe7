"""Domain values inside JSON columns: what they become there, and how they come back."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from kipflow.domain.drift import Drift
from kipflow.domain.events import Evidence
from kipflow.domain.votes import Choice, ClaimedEnd, Declared, EndKind, Expression, Standing

Json = dict[str, Any]


def expression_to_json(value: Expression) -> Json:
    return {
        "choice": value.choice,
        "value": value.value,
        "claimed_binding": value.claimed_binding,
        "line": value.line,
        "rule": value.rule,
        "standing": value.standing,
        "why": value.why,
    }


def expression_from_json(raw: Mapping[str, Any]) -> Expression:
    return Expression(
        choice=None if raw["choice"] is None else Choice(raw["choice"]),
        value=raw["value"],
        claimed_binding=raw["claimed_binding"],
        line=raw["line"],
        rule=raw["rule"],
        standing=Standing(raw["standing"]),
        why=raw["why"],
    )


def declared_to_json(value: Declared | None) -> Json | None:
    if value is None:
        return None
    return {
        "by": value.by,
        "message_id": value.message_id,
        "announced_at": None if value.announced_at is None else value.announced_at.isoformat(),
        "outcome": value.outcome,
        "binding": value.binding,
        "non_binding": value.non_binding,
        "total": value.total,
        "names": {word: list(names) for word, names in value.names.items()},
        "line": value.line,
        "contradictions": list(value.contradictions),
        "unclear": value.unclear,
        "corrects": value.corrects,
        "revised_at": None if value.revised_at is None else value.revised_at.isoformat(),
        "before": declared_to_json(value.before),
    }


def declared_from_json(raw: Mapping[str, Any] | None) -> Declared | None:
    if raw is None:
        return None
    announced, revised = raw["announced_at"], raw.get("revised_at")
    return Declared(
        by=raw["by"],
        message_id=raw["message_id"],
        announced_at=None if announced is None else datetime.fromisoformat(announced),
        outcome=raw["outcome"],
        binding=raw["binding"],
        non_binding=raw["non_binding"],
        total=raw["total"],
        names={word: tuple(names) for word, names in raw["names"].items()},
        line=raw["line"],
        contradictions=tuple(raw["contradictions"]),
        unclear=raw.get("unclear", ""),
        corrects=raw.get("corrects", False),
        revised_at=None if revised is None else datetime.fromisoformat(revised),
        before=declared_from_json(raw.get("before")),
    )


def end_to_json(value: ClaimedEnd) -> Json:
    return {
        "kind": value.kind,
        "by": value.by,
        "address": value.address,
        "message_id": value.message_id,
        "at": value.at.isoformat(),
        "line": value.line,
        "why": value.why,
        "waits": value.waits,
        "declared": declared_to_json(value.declared),
        "settled_at": None if value.settled_at is None else value.settled_at.isoformat(),
        "accepted": value.accepted,
    }


def end_from_json(raw: Mapping[str, Any]) -> ClaimedEnd:
    settled = raw["settled_at"]
    return ClaimedEnd(
        kind=EndKind(raw["kind"]),
        by=raw["by"],
        address=raw["address"],
        message_id=raw["message_id"],
        at=datetime.fromisoformat(raw["at"]),
        line=raw["line"],
        why=raw["why"],
        waits=raw["waits"],
        declared=declared_from_json(raw["declared"]),
        settled_at=None if settled is None else datetime.fromisoformat(settled),
        accepted=raw["accepted"],
    )


def evidence_to_json(value: Sequence[Evidence]) -> list[Json]:
    return [{"kind": e.kind, "ref": e.ref, "line": e.line, "url": e.url} for e in value]


def evidence_from_json(raw: Sequence[Mapping[str, Any]]) -> tuple[Evidence, ...]:
    return tuple(Evidence(kind=e["kind"], ref=e["ref"], line=e["line"], url=e["url"]) for e in raw)


def drift_to_json(value: Sequence[Drift]) -> list[Json]:
    return [
        {"side": d.side, "says": d.says, "derived": d.derived, "evidence": d.evidence, "mend": d.mend} for d in value
    ]


def drift_from_json(raw: Sequence[Mapping[str, Any]] | None) -> tuple[Drift, ...]:
    return tuple(
        Drift(side=d["side"], says=d["says"], derived=d["derived"], evidence=d["evidence"], mend=d["mend"])
        for d in raw or ()
    )
