"""The roster compared with the wiki: an accepted proposal needed three binding voters, who must have written.

Ballots are unknown, so this counts the authors in the vote's thread with a binding role on that day: an upper
bound of the binding votes. Fewer than the quorum means that mails, names or roster are incomplete.
"""

from __future__ import annotations

from collections.abc import Iterable

from kipflow.domain.likeness import find_likeness
from kipflow.domain.people import Person, fold_name
from tools.accuracy.findings import Counted, Demand, Section
from tools.accuracy.kafkadata import MAILS_FROM, Mention
from tools.accuracy.replayed import Replayed


def check_quorums(seen: Replayed) -> Section:
    data, quorum = seen.data, seen.policy.quorum
    votes = {n: data.threads["vote"][n] for n, e in sorted(data.index.items()) if e.section == "accepted"}
    votes = {n: mails for n, mails in votes.items() if mails}
    counted, enough = Counted(), f"accepted: {quorum} who bind wrote"
    for number, mails in votes.items():
        if not counted.count(enough, len(_find_binding(seen, mails)) >= quorum):
            place = f"quorums/{_find_class(seen, number, mails)}"
            counted.classify(place, f"{quorum} people who bind", "fewer", number)
    people = seen.roster.people
    return Section(
        title="Who may bind",
        about=f"a roster of {len(people)} people from the site's history, 2015 to 2024, against {len(votes)} votes",
        figures=(counted.figure(enough),),
        demands=(Demand(name="every role has its day", met=all(r.since is not None for p in people for r in p.roles)),),
        disagreements=counted.disagreements,
    )


def _find_binding(seen: Replayed, mails: Iterable[Mention]) -> set[str]:
    roles = seen.policy.binding_roles
    found: set[str] = set()
    for mail in mails:
        # the record hashes addresses, so possible voters are matched by name, which would not be enough for a tally
        named = seen.roster.find_named(mail.name)
        found.update(person.id for person in named if len(named) == 1 and person.holds(roles, mail.at))
    return found


def _find_class(seen: Replayed, number: int, mails: list[Mention]) -> str:
    quorum, roles = seen.policy.quorum, seen.policy.binding_roles
    if mails[0].at > max(role.since for p in seen.roster.people for role in p.roles if role.since is not None):
        return "after-the-rosters-last-entry"
    known = _find_binding(seen, mails)
    held = [(m, p) for m in mails for p in seen.roster.people if p.holds(roles, m.at)]
    asked = {p.id for m, p in held if find_likeness((m.name, ""), (p.name, "")) is not None}
    if len(known | asked) >= quorum:
        return "name-that-a-person-is-asked-about"
    alike = {p.id for m, p in held if is_alike(m.name, p.name)}
    if len(known | alike) >= quorum:
        return "name-in-part"
    later = {p.id for m in mails for p in seen.roster.people if _is_listed_later(p, m)}
    if len(known | alike | later) >= quorum:
        return "listed-later"
    created = seen.data.index[number].created_at
    return "thread-begins-before-the-mails" if created is not None and created < MAILS_FROM else "other"


def is_alike(one: str, other: str) -> bool:
    """Whether two names may be one person's: all words of one in the other, a word or its initial."""
    ours, theirs = fold_name(one).split(), fold_name(other).split()
    short, long = sorted((ours, theirs), key=len)
    return bool(short) and all(any(_is_word(word, full) for full in long) for word in short)


def _is_word(word: str, full: str) -> bool:
    return word == full or (min(len(word), len(full)) == 1 and word[0] == full[0])


def _is_listed_later(person: Person, mail: Mention) -> bool:
    days = [role.since for role in person.roles if role.since is not None]
    return is_alike(mail.name, person.name) and bool(days) and min(days) > mail.at
