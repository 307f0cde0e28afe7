"""Everything on the list that is not about a proposal (`noise.yaml`): notices, releases, small talk, broken mail."""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping
from datetime import datetime
from typing import Any

from kipflow.sandbox.data import load_yaml, make_rng, moment
from kipflow.sandbox.encodings import Oddity
from kipflow.sandbox.mails import ArchivedMail, Mail
from kipflow.sandbox.people import PEOPLE, RESIDENTS, Resident
from kipflow.sandbox.quoting import write_mail

_FIRST_DAY, _LAST_DAY = -425.0, 10.0
_NOISE = load_yaml("noise.yaml")
_SHARED_ID = "<JIRA.77101.1.0@sandbox.example>"


def write_noise(anchor: datetime) -> Iterator[Mail]:
    """All mails that belong to no proposal, in no particular order."""
    for kind in _NOISE["notices"]:
        yield from _write_notices(anchor, kind)
    for release in _NOISE["releases"]:
        yield from _write_release(anchor, release)
    yield from _write_small_talk(anchor, _NOISE["off_topic"])
    for number, odd in enumerate(_NOISE["odd_dates"], start=1):
        who, words = RESIDENTS[number * 3 % len(RESIDENTS)], f"lock of test machine {number}"
        text, flags = f"Does anybody else see this? The c{words} is off again.", map(Oddity, odd.get("flags", ()))
        given = {"flags": frozenset(flags), "date_header": odd.get("date")}
        yield write_mail(f"clock/{number}", moment(anchor, odd["at"]), who, f"C{words}", text, None, **given)


def _spread(count: int, number: int, jitter: float) -> float:
    """A day for the `number`th of `count` mails, evenly over the story with some jitter (0 to 1)."""
    return _FIRST_DAY + (number + jitter) * (_LAST_DAY - _FIRST_DAY) / count


def _write_notices(anchor: datetime, kind: Mapping[str, Any]) -> Iterator[Mail]:
    rng, sender = make_rng(kind["seed"]), Resident(**kind["sender"])
    for n in range(kind["count"]):
        drawn = {name: _draw(rng, choice) for name, choice in kind["draws"].items()}
        number = kind["first"] + n * kind["step"] + drawn.pop("plus", 0)
        values = {**drawn, "number": number, "Action": drawn.get("action", "").capitalize()}
        if "person" in drawn:
            values |= {"name": drawn["person"].name, "id": drawn["person"].id}
        values["title"] = drawn.get("title", "").format(**drawn)
        at, shared = moment(anchor, _spread(kind["count"], n, rng.random())), n in kind.get("twins", ())
        subject, text = kind["subject"].format(**values), kind["text"].format(**values)
        message_id = _SHARED_ID if shared else ""
        yield write_mail(f"{kind['name']}/{n}", at, sender, subject, text, None, message_id=message_id)


def _draw(rng: random.Random, choice: Any) -> Any:
    if isinstance(choice, dict):
        return rng.randrange(choice.get("above", 0), choice["below"])
    return rng.choice(RESIDENTS if choice == "people" else choice)


def _write_release(anchor: datetime, release: Mapping[str, Any]) -> Iterator[Mail]:
    manager, key = PEOPLE["dmwangi"], f"release/{release['version']}-{release['candidate']}"
    subject = "[VOTE] Release Sandpiper {version} RC{candidate}".format(**release)
    at, call = moment(anchor, release["at"]), _NOISE["release_call"].format(**release)
    root = write_mail(f"{key}/0", at, manager, subject, call, None)
    yield root
    for reply in _NOISE["release_replies"][release["replies"]]:
        who, title, words = PEOPLE[reply["who"]], f"{reply['tag']} {subject}", reply["text"].format(**release)
        at = moment(anchor, release["at"] + reply["at"])
        yield write_mail(f"{key}/{reply['key']}", at, who, title, words, root)
    if release["replies"] == "passed":
        title, words = f"[ANNOUNCE] Sandpiper {release['version']} released", _NOISE["release_news"].format(**release)
        yield write_mail(f"{key}/announce", moment(anchor, release["at"] + 5), manager, title, words, None)


def _write_small_talk(anchor: datetime, talks: list[list[str]]) -> Iterator[Mail]:
    rng = make_rng("talk")
    for number in range(16):
        title, opening, *answers = talks[number % len(talks)]
        subject = title if number < len(talks) else f"{title} (again)"
        people = rng.sample(RESIDENTS, len(answers) + 1)
        days = _spread(17, number, rng.random())
        parent = write_mail(f"talk/{number}/0", moment(anchor, days), people[0], subject, opening, None)
        yield parent
        for position, (who, words) in enumerate(zip(people[1:], answers, strict=True), start=1):
            days += rng.uniform(0.1, 0.9)
            key = f"talk/{number}/{position}"
            parent = write_mail(key, moment(anchor, days), who, f"Re: {subject}", words, parent)
            yield parent


def write_broken(anchor: datetime) -> Iterator[ArchivedMail]:
    """Unreadable mails, as an archiver's crash leaves them: without any useful header.

    The reader must count them and go on.
    """
    garbage = bytes((value * 37 + 11) % 256 for value in range(400)).replace(b"\n", b"?").replace(b"\r", b"?")
    for days, raw in ((-220.0, b"X-Archived: partly\n\n" + garbage + b"\n"), (-33.0, b"X-Mailer:\n\n\n")):
        at = moment(anchor, days)
        yield ArchivedMail(arrives_at=at, month=f"{at:%Y-%m}", envelope="MAILER-DAEMON", raw=raw)
