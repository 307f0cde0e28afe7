"""Notify the operators' channel of a failed task: at most once an hour for each cause."""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from kipflow.domain.messagekinds import MESSAGE_KINDS
from kipflow.services.effectrules import EffectRules
from kipflow.services.ports import Effect, Store
from kipflow.services.slack_messages import build_message, escape, link, quote

#: The same cause is not reported again within this time.
PAUSE = timedelta(hours=1)
#: The most characters of a cause that are quoted.
MAX_CAUSE = 500
#: Secrets that an error may quote: in an address, by a token's form, after a secret's name.
_SECRETS = (
    (re.compile(r"(?<=//)[^@\s]{1,400}@"), "…@"),  # a password may hold a slash
    (re.compile(r"\b(?:xox[a-z]|xapp)-[\w-]+"), "…"),
    (re.compile(r"(?i)\b(bearer|basic)\s+[\w.~+/=-]+"), r"\1 …"),
    (
        re.compile(r"(?i)(\w{0,40}(?:token|passw(?:or)?d|secret|api_?key|authorization)\w{0,40}[\"']?\s*[=:]\s*)\S+"),
        r"\1…",
    ),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Failure:
    """A task that failed for good. `where` names it ("kip_poll_threads.fetch"), `log_url` is where its log is.

    `secrets` are values to hide if the cause quotes them.
    """

    where: str
    cause: BaseException | None
    log_url: str = ""
    secrets: Collection[str] = ()


def report_failure(store: Store, failure: Failure, rules: EffectRules, *, now: datetime) -> int:
    """Inform the operators' channel, if the community has one. Returns the number of messages (0 or 1).

    Readers of the proposals' channel can do nothing about it and are not notified.
    """
    kind = type(failure.cause).__name__ if failure.cause is not None else "unknown"
    payload = rules.address("failure", render_failure(failure, kind))
    if payload is None:
        return 0
    cause = f"failure/{failure.where}/{kind}"
    with store.begin() as session:
        reported = session.marks.load(cause)
        if reported and now - datetime.fromisoformat(reported) < PAUSE:
            return 0
        session.marks.save(cause, now.isoformat())
        effect = Effect(key=f"{cause}/{now:%Y-%m-%dT%H:%M}/slack", number=None, channel="slack", payload=payload)
        return session.outbox.enqueue([effect], now=now, sends=rules.sends)


def hide_secrets(text: str, values: Collection[str]) -> str:
    """A text without `values`, and without what looks like a password or token."""
    for value in sorted(values, key=len, reverse=True):
        text = text.replace(value, "…")
    for pattern, instead in _SECRETS:
        text = pattern.sub(instead, text)
    return text


def render_failure(failure: Failure, kind: str) -> dict[str, Any]:
    """The message, with the first line of the cause."""
    said = hide_secrets(str(failure.cause or "").strip().partition("\n")[0][:MAX_CAUSE], failure.secrets)
    why = f": {said}" if said else ""
    line = f"{MESSAGE_KINDS['failure'].icon} *{escape(failure.where)}* failed ({escape(kind)}){quote(why, MAX_CAUSE)}"
    log = link("Its log", failure.log_url) if failure.log_url else ""
    return build_message(f"{failure.where} failed ({kind}){why}", [line, log])
