"""Rulings on who is who: two mailboxes are one person's (merge) or two people's (split), in all votes.

Also: accepting senders in question as people of the roster.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import Any

from kipflow.domain.facts import Ruling
from kipflow.domain.likeness import find_likeness
from kipflow.domain.people import Mailbox, clean_address, fold_name, name_pair
from kipflow.domain.proofs import ACCOUNTS
from kipflow.domain.roster import Roster
from kipflow.services.board import SenderRow
from kipflow.services.desk import ActContext, Desk
from kipflow.services.ports import Session
from kipflow.services.ruling_checks import BadRuling
from kipflow.services.rulings import Recorded

_KINDS = {True: "merge", False: "split"}


def rule_identity(
    desk: Desk, one: str, other: str, context: ActContext, *, same: bool, since: datetime | None = None
) -> Recorded:
    """Record that two mailboxes are one person's (`same`), or two people's.

    `one` and `other` are an address, a roster id, "Name <address>", the id of a single mail, or the name if mails show
    no address. `since`: from when an address is a roster person's; None: always.

    Raises:
        BadRuling: somebody unknown, one mailbox twice, or a contradiction to the roster or a ruling in force.
    """
    said, roster = context.checked(), desk.roster
    with desk.store.begin() as session:
        standing = [r for r in session.rulings.load_all() if r.revoked_at is None and r.kind in _KINDS.values()]
        boxes = sorted((_find_mailbox(session, roster, text) for text in (one, other)), key=lambda box: box.key)
        target = name_pair(boxes[0].key, boxes[1].key)
        if boxes[0].key == boxes[1].key:
            raise BadRuling(_say_same(boxes[0], one, other))
        alike = [r for r in standing if r.target == target and r.kind == _KINDS[same]]
        for known in alike:
            if known.id is not None and _is_covered(known, since):
                return Recorded(id=known.id, is_new=False)
        # a ruling on the same pair that starts earlier does not contradict the one before
        _check(boxes, [r for r in standing if r not in alike], roster, same=same)
        value: dict[str, Any] = {
            side: {"key": b.key, "name": b.name} for side, b in zip(("one", "other"), boxes, strict=True)
        }
        if since is not None:
            value["since"] = since.isoformat()
        return Recorded(id=session.rulings.save(said.as_ruling(_KINDS[same], target, value)), is_new=True)


def _is_covered(ruling: Ruling, since: datetime | None) -> bool:
    """Whether a ruling covers the time since `since` (None: all time)."""
    begins = ruling.value.get("since")
    return begins is None or (since is not None and datetime.fromisoformat(begins) <= since)


def _find_mailbox(session: Session, roster: Roster, text: str) -> Mailbox:
    """The mailbox that an operator named; a person of the roster by any of their addresses."""
    asked = text.strip()
    mail = session.mail.find_mailbox(asked) if asked.startswith("<") else None
    if mail is not None:
        return mail
    if asked.endswith(">") and "<" in asked:
        asked = asked[asked.rindex("<") + 1 : -1]
    for key in (asked, clean_address(asked)):
        person = roster.by_id.get(roster.node(key))
        if person is not None:
            return Mailbox(key=person.id, name=person.name)
    key = clean_address(asked) if "@" in asked else fold_name(asked)
    found = session.mail.find_mailbox(key) if key else None
    if found is None:
        raise BadRuling(f"no mail is from {text!r} and the roster has nobody of that id or address")
    return found


def _say_same(box: Mailbox, one: str, other: str) -> str:
    if one.strip().casefold() == other.strip().casefold():
        return f"{box.key} is one person, whoever that is: name two mailboxes"
    return f"{one} and {other} are both {box.key} already; what the roster says is corrected in its file"


def _check(boxes: Sequence[Mailbox], standing: Sequence[Ruling], roster: Roster, *, same: bool) -> None:
    """Refuse what contradicts the roster or rulings in force, or follows from them already."""
    ours, by_ours = _find_joined(boxes[0].key, standing)
    theirs = _find_joined(boxes[1].key, standing)[0]
    if boxes[1].key in ours:
        said = f"{boxes[0].key} and {boxes[1].key} are one person by {_name(by_ours)}"
        raise BadRuling(f"{said} already" if same else f"{said}; revoke that first")
    if not same:
        if not _is_doubtful(boxes[0], boxes[1], roster):
            raise BadRuling(f"{boxes[0].key} and {boxes[1].key} are two people already: nothing suggests otherwise")
        return
    people = sorted(key for key in ours | theirs if key in roster.by_id)
    names = (box for box in boxes if box.key not in roster.by_id and "@" not in box.key)
    unproven = next((box for box in names if not box.key.startswith("<")), None)
    if people and unproven is not None:
        why = f"anybody can write the name {unproven.key!r}, so it proves nobody of the roster"
        raise BadRuling(f"{why}; name an address, or the id of a mail such as <…>")
    if len(people) > 1:
        raise BadRuling(f"the roster has {people[0]} and {people[1]} as two people; if they are one, correct its file")
    splits = [r for r in standing if r.kind == "split"]
    apart = [r for r in splits for one, other in itertools.permutations(_keys(r)) if one in ours and other in theirs]
    if apart:
        raise BadRuling(f"they are two people by {_name(apart)}; revoke that first")


def _is_doubtful(one: Mailbox, other: Mailbox, roster: Roster) -> bool:
    """Whether the two have equal names, or look alike otherwise.

    A single mail's author can always be in doubt: its From may show several addresses.
    """
    if any(box.key.startswith("<") for box in (one, other)):
        return True
    pairs = itertools.product(_find_faces(one, roster), _find_faces(other, roster))
    return any(fold_name(a[0]) == fold_name(b[0]) or find_likeness(a, b) is not None for a, b in pairs)


def _find_faces(box: Mailbox, roster: Roster) -> list[tuple[str, str]]:
    """The pairs of name and address that somebody is known by."""
    person = roster.by_id.get(box.key)
    if person is None:
        return [(box.name, box.address or (box.key if "@" in box.key else ""))]
    return list(itertools.product((person.name, *person.aliases), person.emails or (f"{person.id}{ACCOUNTS}",)))


def _find_joined(key: str, standing: Iterable[Ruling]) -> tuple[set[str], list[Ruling]]:
    """All keys that merges join with `key`, and these merges."""
    merges = [r for r in standing if r.kind == "merge"]
    joined, used = {key}, list[Ruling]()
    while True:
        more = [r for r in merges if r not in used and not joined.isdisjoint(_keys(r))]
        if not more:
            return joined, used
        used += more
        joined.update(key for r in more for key in _keys(r))


def _keys(ruling: Ruling) -> tuple[str, str]:
    return str(ruling.value["one"]["key"]), str(ruling.value["other"]["key"])


def _name(rulings: Iterable[Ruling]) -> str:
    found = sorted((r.id or 0, r.author) for r in rulings)
    return ("ruling " if len(found) == 1 else "rulings ") + ", ".join(f"{i} ({author})" for i, author in found)


# -- senders who claim to be somebody known -----------------------------------------------------------
def accept_sender(
    desk: Desk, address: str, person: str, context: ActContext, *, since: datetime | None = None
) -> Recorded:
    """Record that an address, or a single mail by its id, belongs to a person of the roster, given by id or address.

    `since`: from when on; None: from the first stored mail of the address.

    Raises:
        BadRuling: not in the roster, no mail from there, or a contradiction to a ruling in force.
    """
    roster = desk.roster
    known = roster.by_id.get(roster.node(person)) or roster.by_id.get(roster.node(clean_address(person)))
    if known is None:
        raise BadRuling(f"{person!r} is not in the roster; `kipflow roster show` lists who is")
    if since is None and not address.startswith("<"):
        with desk.store.read() as session:
            since = session.mail.find_first_mail(clean_address(address))
    return rule_identity(desk, address, known.id, context, same=True, since=since)


def pick_lines(rows: Sequence[SenderRow], lines: str) -> list[SenderRow]:
    """The rows that "1,3-5" names, counted from 1.

    Raises:
        BadRuling: it names none, or one that is not there.
    """
    picked: dict[int, SenderRow] = {}
    for part in lines.split(","):
        match = re.fullmatch(r"\s*([0-9]{1,6})(?:\s*-\s*([0-9]{1,6}))?\s*", part)
        first, last = (int(match[1]), int(match[2] or match[1])) if match is not None else (0, 0)
        if not 1 <= first <= last <= len(rows):
            raise BadRuling(f"{part.strip()!r} is no line of the list, which has {len(rows)}")
        picked.update((number, rows[number - 1]) for number in range(first, last + 1))
    return list(picked.values())


def pick_domain(rows: Sequence[SenderRow], domain: str) -> list[SenderRow]:
    """The rows of addresses at a domain, without single mails, whose address itself is in question."""
    wanted = domain.strip().lower().removeprefix("@")
    return [r for r in rows if not r.sender.startswith("<") and r.sender.partition("@")[2] == wanted]


def check_pick(rows: Sequence[SenderRow]) -> None:
    """Refuse to assign one sender to two people.

    Raises:
        BadRuling: nobody is picked, or one sender for two people.
    """
    if not rows:
        raise BadRuling("nobody is asked about who fits that; `kipflow review senders` lists them")
    taken: dict[str, str] = {}
    for row in rows:
        if taken.setdefault(row.sender, row.person) != row.person:
            raise BadRuling(f"{row.sender} may be {taken[row.sender]} or {row.person}: accept one of the lines")
