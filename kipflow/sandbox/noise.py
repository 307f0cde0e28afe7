"""Everything on the list that is not about a proposal: notifications, releases, small talk, broken mail."""

from __future__ import annotations

from collections.abc import Iterator

from kipflow.sandbox import phrases
from kipflow.sandbox.mails import ArchivedMail, Mail, make_message_id
from kipflow.sandbox.people import PEOPLE, RESIDENTS, Resident
from kipflow.sandbox.plans import Oddity
from kipflow.sandbox.quoting import compose
from kipflow.sandbox.world import World

_FIRST_DAY, _LAST_DAY = -425.0, 10.0

_JIRA_BOT = Resident(id="jira", name="Ticket Robot (Jira)", emails=("jira@sandbox.example",))
_GIT_BOT = Resident(id="gitbox", name="GitBox", emails=("git@sandbox.example",))
_CI_BOT = Resident(id="ci", name="Build Server", emails=("builds@sandbox.example",))

_TICKET_MAIL = """{person} {action} {ticket}:

             Summary: {title}
                 Key: {ticket}
             Project: Sandpiper
          Issue Type: {kind}
            Priority: {priority}"""

_PULL_MAIL = """{person} {action} #{pull}:
URL: https://git.sandbox.example/sandpiper/pull/{pull}

   {title}

   +1 line, -1 line in two files"""

_BUILD_MAIL = """See <https://builds.sandbox.example/sandpiper-trunk/{build}/display/redirect>

------------------------------------------
[...truncated {lines} lines...]
{failed} tests failed."""

_RELEASE_CALL = """Please vote on releasing candidate {candidate} of Sandpiper {version}.

The artifacts are staged at https://dist.sandbox.example/{version}-rc{candidate}.

The vote is open for 72 hours."""

_RELEASE_BALLOT = "+1 {binding}\n\nChecked signatures and checksums, built from source, ran the quick start."

#: Days, oddities and a Date header of its own: how old, lazy and wrong programs date their mail.
_ODD_DATES: tuple[tuple[float, frozenset[Oddity], str | None], ...] = (
    (-300.0, frozenset({Oddity.TWO_DIGIT_YEAR}), None),
    (-250.0, frozenset({Oddity.NO_WEEKDAY}), None),
    (-200.0, frozenset({Oddity.GMT}), None),
    (-150.0, frozenset({Oddity.NO_DATE}), None),
    (-100.0, frozenset(), "Thu, 1 Jan 1970 00:00:00 +0000"),
    (-70.0, frozenset(), "Wed, 32 Nov 2025 25:61:00 +0100"),
    (-50.0, frozenset(), "yesterday evening"),
    (-30.0, frozenset(), "Mon, 4 Jan 2083 09:00:00 +0900"),
    (-20.0, frozenset({Oddity.NO_DATE_AT_ALL}), None),
)


def write_noise(world: World) -> Iterator[Mail]:
    """All mails that belong to no proposal, in no particular order."""
    yield from _tickets(world)
    yield from _pull_requests(world)
    yield from _builds(world)
    yield from _releases(world)
    yield from _small_talk(world)
    yield from _odd_dates(world)


def _write(
    world: World,
    key: str,
    days: float,
    who: Resident,
    subject: str,
    words: str,
    parent: Mail | None = None,
    *,
    flags: frozenset[Oddity] = frozenset(),
    message_id: str | None = None,
    date_header: str | None = None,
) -> Mail:
    return Mail(
        key=key,
        at=world.at(days),
        author=who,
        subject=subject,
        text=compose(words, author=who, parent=parent, flags=flags, list_id=world.list_id),
        message_id=message_id or make_message_id(world.seed, key, who.emails[0]),
        in_reply_to=parent.message_id if parent else None,
        references=(*parent.references, parent.message_id) if parent else (),
        flags=flags,
        date_header=date_header,
    )


def _spread(count: int, number: int, jitter: float) -> float:
    """A day for the `number`th of `count` mails, evenly over the story with some jitter (0 to 1)."""
    return _FIRST_DAY + (number + jitter) * (_LAST_DAY - _FIRST_DAY) / count


def _tickets(world: World) -> Iterator[Mail]:
    rng = world.rng("tickets")
    for number in range(100):
        ticket = f"{world.project}-{4000 + number * 3 + rng.randrange(3)}"
        title = rng.choice(phrases.TICKET_TITLES).format(area=rng.choice(phrases.AREAS))
        action = rng.choice(("Created", "Resolved", "Commented", "Assigned", "Updated"))
        words = _TICKET_MAIL.format(
            person=rng.choice(RESIDENTS).name,
            action=action.lower(),
            ticket=ticket,
            title=title,
            kind=rng.choice(("Bug", "Improvement", "Test")),
            priority=rng.choice(("Minor", "Major")),
        )
        # the ticket system once gave two mails the same Message-ID
        shared = "<JIRA.77101.1.0@sandbox.example>" if number in {40, 41} else None
        subject = f"[jira] [{action}] ({ticket}) {title}"
        days = _spread(100, number, rng.random())
        yield _write(world, f"jira/{number}", days, _JIRA_BOT, subject, words, message_id=shared)


def _pull_requests(world: World) -> Iterator[Mail]:
    rng = world.rng("pulls")
    actions = ("opened a new pull request", "merged pull request", "closed pull request", "commented on pull request")
    for number in range(60):
        person, pull = rng.choice(RESIDENTS).id, 1500 + number * 2
        title = rng.choice(phrases.TICKET_TITLES).format(area=rng.choice(phrases.AREAS))
        action = rng.choice(actions)
        words = _PULL_MAIL.format(person=person, action=action, pull=pull, title=title)
        subject = f"[GitHub] [sandpiper] {person} {action} #{pull}: {title}"
        yield _write(world, f"pull/{number}", _spread(60, number, rng.random()), _GIT_BOT, subject, words)


def _builds(world: World) -> Iterator[Mail]:
    rng = world.rng("builds")
    for number in range(30):
        build = 210 + number * 4
        state = rng.choice(("Build failed", "Build is back to normal", "Build is still unstable"))
        words = _BUILD_MAIL.format(build=build, lines=rng.randrange(900, 4000), failed=rng.randrange(1, 5))
        subject = f"{state} in Jenkins: sandpiper-trunk #{build}"
        yield _write(world, f"build/{number}", _spread(30, number, rng.random()), _CI_BOT, subject, words)


def _releases(world: World) -> Iterator[Mail]:
    for version, candidate, day in (
        ("3.1.0", 0, -288.0),
        ("3.1.0", 1, -279.0),
        ("3.2.0", 0, -131.0),
        ("3.3.0", 0, -18.0),
    ):
        manager, key = PEOPLE["dmwangi"], f"release/{version}-{candidate}"
        subject = f"[VOTE] Release Sandpiper {version} RC{candidate}"
        call = _RELEASE_CALL.format(version=version, candidate=candidate)
        root = _write(world, f"{key}/0", day, manager, subject, call)
        yield root
        if (version, candidate) == ("3.1.0", 0):
            against = "-1 (binding), the licence file is missing from one archive."
            yield _write(world, f"{key}/1", day + 0.7, PEOPLE["pkeller"], f"Re: {subject}", against, root)
            cancelled = f"[CANCELLED] {subject}"
            yield _write(world, f"{key}/2", day + 0.9, manager, cancelled, "Cancelled, a new candidate follows.", root)
            continue
        for number, who in enumerate(("pkeller", "amaro", "rquint", "okim", "kolsen"), start=1):
            words = _RELEASE_BALLOT.format(binding="(non-binding)" if who in {"okim", "kolsen"} else "(binding)")
            yield _write(world, f"{key}/{number}", day + number * 0.5, PEOPLE[who], f"Re: {subject}", words, root)
        names = "Petra Keller, Ines Amaro, Rosa Quintanilla"
        words = (
            f"The release of Sandpiper {version} passes with three binding +1 votes ({names}) and two non-binding ones."
        )
        yield _write(world, f"{key}/result", day + 3.2, manager, f"[RESULT] {subject}", words, root)
        words = f"Sandpiper {version} is out. Thanks to everybody who helped."
        yield _write(world, f"{key}/announce", day + 5, manager, f"[ANNOUNCE] Sandpiper {version} released", words)


def _small_talk(world: World) -> Iterator[Mail]:
    rng = world.rng("talk")
    for number in range(16):
        title, opening, answers = phrases.OFF_TOPIC[number % len(phrases.OFF_TOPIC)]
        subject = title if number < len(phrases.OFF_TOPIC) else f"{title} (again)"
        people = rng.sample(RESIDENTS, len(answers) + 1)
        days = _spread(17, number, rng.random())
        parent = _write(world, f"talk/{number}/0", days, people[0], subject, opening)
        yield parent
        for position, (who, words) in enumerate(zip(people[1:], answers, strict=True), start=1):
            days += rng.uniform(0.1, 0.9)
            parent = _write(world, f"talk/{number}/{position}", days, who, f"Re: {subject}", words, parent)
            yield parent


def _odd_dates(world: World) -> Iterator[Mail]:
    """Nothing is decided by these mails: a reader may believe their dates or not."""
    for number, (days, flags, header) in enumerate(_ODD_DATES, start=1):
        who = RESIDENTS[number * 3 % len(RESIDENTS)]
        subject = f"Clock of test machine {number}"
        words = f"Does anybody else see this? The clock of test machine {number} is off again."
        yield _write(world, f"clock/{number}", days, who, subject, words, flags=flags, date_header=header)


def write_broken(world: World) -> Iterator[ArchivedMail]:
    """Mails that nobody can read, as a crash of the archiver leaves them: no header that says anything.

    The reader must count them and go on.
    """
    garbage = bytes((value * 37 + 11) % 256 for value in range(400)).replace(b"\n", b"?").replace(b"\r", b"?")
    for days, raw in ((-220.0, b"X-Archived: partly\n\n" + garbage + b"\n"), (-33.0, b"X-Mailer:\n\n\n")):
        at = world.at(days)
        yield ArchivedMail(arrives_at=at, month=f"{at:%Y-%m}", envelope="MAILER-DAEMON", raw=raw)
