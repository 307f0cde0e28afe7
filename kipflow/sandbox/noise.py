"""Everything on the list that is not about a proposal: notifications, releases, small talk, broken mail."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta

from kipflow.sandbox import phrases
from kipflow.sandbox.mails import ArchivedMail, Mail, compose, format_separator, make_message_id
from kipflow.sandbox.people import PEOPLE, RESIDENTS, Resident
from kipflow.sandbox.plans import Oddity
from kipflow.sandbox.threads import World

_FIRST_DAY, _LAST_DAY = -425.0, 10.0

_JIRA_BOT = Resident(id="jira", name="Ticket Robot (Jira)", emails=("jira@sandbox.example",))
_GIT_BOT = Resident(id="gitbox", name="GitBox", emails=("git@sandbox.example",))
_CI_BOT = Resident(id="ci", name="Build Server", emails=("builds@sandbox.example",))


def write_noise(world: World) -> Iterator[Mail]:
    """All mails that belong to no proposal, in no particular order."""
    yield from _tickets(world)
    yield from _pull_requests(world)
    yield from _builds(world)
    yield from _releases(world)
    yield from _small_talk(world)
    yield from _odd_dates(world)


def _mail(
    world: World,
    key: str,
    days: float,
    who: Resident,
    subject: str,
    words: str,
    parent: Mail | None = None,
    **extra: object,
) -> Mail:
    flags = frozenset[Oddity](extra.get("flags") or ())  # type: ignore[call-overload]
    text = compose(words, author=who, parent=parent, flags=flags, list_id=world.list_id)
    return Mail(
        key=key,
        at=world.at(days),
        author=who,
        subject=subject,
        text=text,
        message_id=str(extra.get("message_id") or make_message_id(world.seed, key, who.emails[0])),
        in_reply_to=parent.message_id if parent else None,
        references=(*parent.references, parent.message_id) if parent else (),
        flags=flags,
        date_header=str(extra["date_header"]) if "date_header" in extra else None,
    )


def _tickets(world: World) -> Iterator[Mail]:
    rng = world.rng("tickets")
    for number in range(110):
        days = _FIRST_DAY + (number + rng.random()) * (_LAST_DAY - _FIRST_DAY) / 110
        ticket = f"{world.project}-{4000 + number * 3 + rng.randrange(3)}"
        title = rng.choice(phrases.TICKET_TITLES).format(area=rng.choice(phrases.AREAS))
        action = rng.choice(("Created", "Resolved", "Commented", "Assigned", "Updated"))
        person = rng.choice(RESIDENTS).name
        words = f"{person} {action.lower()} {ticket}:\n\n             Summary: {title}\n                 Key: {ticket}\n             Project: Sandpiper\n          Issue Type: {rng.choice(('Bug', 'Improvement', 'Test'))}\n            Priority: {rng.choice(('Minor', 'Major'))}"
        subject = f"[jira] [{action}] ({ticket}) {title}"
        # the ticket system once gave two mails the same Message-ID
        shared = "<JIRA.77101.1.0@sandbox.example>" if number in {40, 41} else None
        yield _mail(world, f"jira/{number}", days, _JIRA_BOT, subject, words, message_id=shared)


def _pull_requests(world: World) -> Iterator[Mail]:
    rng = world.rng("pulls")
    for number in range(70):
        days = _FIRST_DAY + (number + rng.random()) * (_LAST_DAY - _FIRST_DAY) / 70
        person, pull = rng.choice(RESIDENTS), 1500 + number * 2
        title = rng.choice(phrases.TICKET_TITLES).format(area=rng.choice(phrases.AREAS))
        action = rng.choice(
            (
                "opened a new pull request",
                "merged pull request",
                "closed pull request",
                "commented on a change in pull request",
            )
        )
        words = f"{person.id} {action} #{pull}:\nURL: https://git.sandbox.example/sandpiper/pull/{pull}\n\n   {title}\n\n   +1 line, -1 line in two files"
        yield _mail(
            world,
            f"pull/{number}",
            days,
            _GIT_BOT,
            f"[GitHub] [sandpiper] {person.id} {action} #{pull}: {title}",
            words,
        )


def _builds(world: World) -> Iterator[Mail]:
    rng = world.rng("builds")
    for number in range(34):
        days = _FIRST_DAY + (number + rng.random()) * (_LAST_DAY - _FIRST_DAY) / 34
        build = 210 + number * 4
        state = rng.choice(("Build failed", "Build is back to normal", "Build is still unstable"))
        words = f"See <https://builds.sandbox.example/sandpiper-trunk/{build}/display/redirect>\n\n------------------------------------------\n[...truncated {rng.randrange(900, 4000)} lines...]\n{rng.randrange(1, 5)} tests failed."
        yield _mail(world, f"build/{number}", days, _CI_BOT, f"{state} in Jenkins: sandpiper-trunk #{build}", words)


def _releases(world: World) -> Iterator[Mail]:
    for version, candidate, day in (
        ("3.1.0", 0, -288.0),
        ("3.1.0", 1, -279.0),
        ("3.2.0", 0, -131.0),
        ("3.3.0", 0, -18.0),
    ):
        subject, key = f"[VOTE] Release Sandpiper {version} RC{candidate}", f"release/{version}-{candidate}"
        words = f"Please vote on releasing candidate {candidate} of Sandpiper {version}.\n\nThe artifacts are staged at https://dist.sandbox.example/{version}-rc{candidate}.\n\nThe vote is open for 72 hours."
        root = _mail(world, f"{key}/0", day, PEOPLE["dmwangi"], subject, words)
        yield root
        if candidate == 0 and version == "3.1.0":
            yield _mail(
                world,
                f"{key}/1",
                day + 0.7,
                PEOPLE["pkeller"],
                f"Re: {subject}",
                "-1 (binding), the licence file is missing from one archive.",
                root,
            )
            yield _mail(
                world,
                f"{key}/2",
                day + 0.9,
                PEOPLE["dmwangi"],
                f"[CANCELLED] {subject}",
                "Cancelled, a new candidate follows.",
                root,
            )
            continue
        voters = ("pkeller", "amaro", "rquint", "okim", "kolsen")
        for number, who in enumerate(voters, start=1):
            binding = "(binding)" if who not in {"okim", "kolsen"} else "(non-binding)"
            words = f"+1 {binding}\n\nChecked signatures and checksums, built from source, ran the quick start."
            yield _mail(world, f"{key}/{number}", day + number * 0.5, PEOPLE[who], f"Re: {subject}", words, root)
        words = f"The release of Sandpiper {version} passes with three binding +1 votes (Petra Keller, Ines Amaro, Rosa Quintanilla) and two non-binding ones."
        yield _mail(world, f"{key}/result", day + 3.2, PEOPLE["dmwangi"], f"[RESULT] {subject}", words, root)
        yield _mail(
            world,
            f"{key}/announce",
            day + 5,
            PEOPLE["dmwangi"],
            f"[ANNOUNCE] Sandpiper {version} released",
            f"Sandpiper {version} is out. Thanks to everybody who helped.",
        )


def _small_talk(world: World) -> Iterator[Mail]:
    rng = world.rng("talk")
    for number in range(20):
        title, opening, answers = phrases.OFF_TOPIC[number % len(phrases.OFF_TOPIC)]
        days = _FIRST_DAY + (number + rng.random()) * (_LAST_DAY - _FIRST_DAY - 4) / 20
        people = rng.sample(RESIDENTS, len(answers) + 1)
        subject = title if number < len(phrases.OFF_TOPIC) else f"{title} (again)" if number < 16 else f"{title} #3"
        root = _mail(world, f"talk/{number}/0", days, people[0], subject, opening)
        yield root
        parent = root
        for position, (who, words) in enumerate(zip(people[1:], answers, strict=True), start=1):
            parent = _mail(
                world,
                f"talk/{number}/{position}",
                days + position * rng.uniform(0.1, 0.9),
                who,
                f"Re: {subject}",
                words,
                parent,
            )
            yield parent


def _odd_dates(world: World) -> Iterator[Mail]:
    """Dates as old, lazy and wrong programs write them; nothing is decided by these mails."""
    for number, (days, flags, header) in enumerate(
        (
            (-300.0, {Oddity.TWO_DIGIT_YEAR}, None),
            (-250.0, {Oddity.NO_WEEKDAY}, None),
            (-200.0, {Oddity.GMT}, None),
            (-150.0, {Oddity.NO_DATE}, None),
            (-100.0, set[Oddity](), "Thu, 1 Jan 1970 00:00:00 +0000"),
            (-70.0, set[Oddity](), "Wed, 32 Nov 2025 25:61:00 +0100"),
            (-50.0, set[Oddity](), "yesterday evening"),
            (-30.0, set[Oddity](), "Mon, 4 Jan 2083 09:00:00 +0900"),
            (-20.0, {Oddity.NO_DATE_AT_ALL}, None),
        )
    ):
        extra = {"flags": flags} | ({"date_header": header} if header else {})
        who = RESIDENTS[number * 3 % len(RESIDENTS)]
        words = f"Does anybody else see this? The clock of test machine {number + 1} is off again."
        yield _mail(world, f"clock/{number}", days, who, f"Clock of test machine {number + 1}", words, **extra)


def write_broken(world: World) -> Iterator[ArchivedMail]:
    """Mails that nobody can read: the reader must count them and go on."""
    garbage = (
        bytes((value * 37 + 11) % 256 for value in range(400))
        .replace(b"\n", b"?")
        .replace(b"\r", b"?")
        .replace(b":", b"?")
    )
    for number, (days, raw) in enumerate(((-220.0, garbage + b"\n"), (-33.0, b""))):
        at = world.at(days) + timedelta(seconds=number)
        yield ArchivedMail(arrives_at=at, month=f"{at:%Y-%m}", envelope="MAILER-DAEMON", raw=raw)


__all__ = ["format_separator", "write_broken", "write_noise"]
