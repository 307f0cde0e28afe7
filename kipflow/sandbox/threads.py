"""From plans to mails: the discussion, the votes and the announcements of each proposal."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from datetime import datetime, timedelta

from kipflow.sandbox import phrases
from kipflow.sandbox.exchanges import EXCHANGES, Exchange
from kipflow.sandbox.mails import Mail, make_digest, make_message_id
from kipflow.sandbox.people import PEOPLE, RESIDENTS, Resident
from kipflow.sandbox.plans import Announcement, Line, Oddity, Plan, Round
from kipflow.sandbox.quoting import compose
from kipflow.sandbox.results import render_result
from kipflow.sandbox.world import World

BALLOT_TEMPLATE = "[ ] +1 accept the proposal\n[ ]  0 no opinion\n[ ] -1 do not accept it, because ..."


class ThreadWriter:
    """Writes the mails of one proposal. Used once per plan."""

    def __init__(self, world: World, plan: Plan) -> None:
        self.world, self.plan = world, plan
        self.origin = world.origin(plan)
        self.rng = world.rng(plan.key)
        self.author = PEOPLE[plan.author]
        self.discussion: list[Mail] = []
        self.unasked = self.rng.sample(EXCHANGES, len(EXCHANGES))
        self.unsaid = self.rng.sample(phrases.REMARKS, len(phrases.REMARKS))
        self.asked: dict[str, list[Exchange]] = {}

    def write(self) -> Iterator[Mail]:
        if self.plan.discuss is not None:
            self.discussion = self._discuss(self.plan.discuss)
            yield from self.discussion
        for number, round_ in enumerate(self.plan.rounds, start=1):
            yield from self._vote(round_, number)

    # -- discussion ----------------------------------------------------------------------------
    def _discuss(self, opened: float) -> list[Mail]:
        plan, rng = self.plan, self.rng
        details = rng.sample(phrases.OPENING_DETAILS, 3)
        words = [self._fill(rng.choice(phrases.OPENINGS)), self._page_link(), *(self._fill(d) for d in details)]
        root = self._mail(
            "discuss/0",
            opened,
            self.author,
            self._title(plan.discuss_subject),
            "\n\n".join(words),
            None,
            frozenset({Oddity.FOLDED}) if len(plan.title) > 38 else frozenset(),
        )
        mails = [root]
        readers = [p for p in RESIDENTS if p is not self.author and p.id != "ylevi"]
        talkers = rng.sample(readers, min(6, 2 + plan.talk // 3))
        times = sorted(opened + 0.05 + rng.random() * (plan.talk_days - 0.05) for _ in range(plan.talk))
        for number, at in enumerate(times, start=1):
            mails.append(self._answer(mails, talkers, number, at))
        for number, line in enumerate(plan.said, start=1):
            parent = max((m for m in mails if m.at <= self._at(opened + line.at)), key=lambda m: m.at)
            mails.append(self._say(f"discuss/said{number}", opened, line, parent))
        return mails

    def _answer(self, mails: list[Mail], talkers: list[Resident], number: int, at: float) -> Mail:
        """The next mail of the talk: the author answers what was asked, or a reader asks or remarks."""
        rng, last = self.rng, mails[-1]
        subject, key = f"Re: {mails[0].subject}", f"discuss/{number}"
        open_points = self.asked.get(last.key, [])
        if open_points and rng.random() < 0.8:
            sentences = [rng.choice(e.answers) for e in open_points]
            if number == self.plan.talk and self.plan.rounds:
                sentences.append(rng.choice(phrases.CLOSINGS))
            return self._mail(
                key,
                at,
                self.author,
                subject,
                self._talk(last, sentences, phrases.ANSWER_GREETINGS),
                last,
                self._everyday(),
            )
        parent = last if rng.random() < 0.6 else rng.choice(mails)
        who = rng.choice([t for t in talkers if t is not parent.author])
        if self.unasked and rng.random() < 0.75:
            points = [self.unasked.pop() for _ in range(min(len(self.unasked), rng.choice((1, 1, 2, 3))))]
            self.asked[f"{self.plan.key}/{key}"] = points
            sentences = [e.asks for e in points]
        else:
            sentences = [self.unsaid.pop()] if self.unsaid else [rng.choice(phrases.REMARKS)]
        return self._mail(
            key, at, who, subject, self._talk(parent, sentences, phrases.GREETINGS), parent, self._everyday()
        )

    def _talk(self, parent: Mail, sentences: list[str], greetings: tuple[str, ...]) -> str:
        """A greeting and some sentences, as one paragraph or as a list of points."""
        first = parent.author.first_name
        greeting = self.rng.choice(greetings).format(first=first)
        filled = [self._fill(s, first) for s in sentences]
        if len(filled) > 1 and self.rng.random() < 0.3:
            body = "\n\n".join(f"{n}. {text}" for n, text in enumerate(filled, start=1))
        else:
            body = ("\n\n" if self.rng.random() < 0.4 else " ").join(filled)
        return "\n\n".join(p for p in (greeting, body) if p)

    def _everyday(self) -> frozenset[Oddity]:
        """Now and then an ordinary mail is written by an unusual program."""
        roll = self.rng.random()
        for odd, share in (
            (Oddity.HTML, 0.03),
            (Oddity.ALTERNATIVE, 0.12),
            (Oddity.FLOWED, 0.08),
            (Oddity.QUOTED_PRINTABLE, 0.08),
            (Oddity.BASE64, 0.04),
            (Oddity.OUTLOOK, 0.05),
            (Oddity.FOOTER, 0.05),
            (Oddity.INVALID, 0.06),
            (Oddity.GMT, 0.03),
        ):
            if roll < share:
                return frozenset({odd})
            roll -= share
        return frozenset()

    # -- votes ---------------------------------------------------------------------------------
    def _vote(self, round_: Round, number: int) -> Iterator[Mail]:
        caller = PEOPLE[round_.who or self.plan.author]
        root = self._open(round_, number, caller)
        yield root
        thread = [root]
        for position, line in enumerate(round_.casts, start=1):
            parent = root if position % 3 else thread[-1]
            mail = self._ballot(f"vote{number}/{position}", round_, line, parent, root)
            thread.append(mail)
            yield mail
        if round_.cancel is not None:
            subject = f"{round_.cancel_tag} {self._bare_title(round_)}"
            yield self._say(f"vote{number}/cancel", round_.opened, round_.cancel, root, subject=subject)
        if round_.result is not None:
            yield self._announce(round_, number, round_.result, root)

    def _open(self, round_: Round, number: int, caller: Resident) -> Mail:
        words = [self._fill(self.rng.choice(phrases.CALLS)), self._page_link()]
        if self.discussion:
            words.append(f'The discussion is in the thread "{self.discussion[0].subject}".')
        if round_.own:
            words.append(round_.own)
        words.append(self.rng.choice(phrases.PERIODS))
        if round_.template:
            words.append(BALLOT_TEMPLATE)
        return self._mail(
            f"vote{number}/0", round_.opened, caller, self._title(round_.subject), "\n\n".join(words), None
        )

    def _ballot(self, key: str, round_: Round, line: Line, parent: Mail, root: Mail) -> Mail:
        who = PEOPLE[line.who]
        words = line.text
        if Oddity.BARE not in line.flags:
            preface = self._fill(self.rng.choice(phrases.BALLOT_PREFACES), root.author.first_name)
            afterword = self._fill(self.rng.choice(phrases.BALLOT_AFTERWORDS))
            words = "\n\n".join(p for p in (preface, words, afterword) if p)
        prefix = "Re: "
        for flag, other in (
            (Oddity.AW, "AW: "),
            (Oddity.RE_UPPER, "RE: "),
            (Oddity.REPEATED, "Re: Re: Fwd: "),
            (Oddity.FORWARD, "Fwd: Re: "),
        ):
            prefix = other if flag in line.flags else prefix
        return self._mail(key, round_.opened + line.at, who, f"{prefix}{root.subject}", words, parent, line.flags)

    def _announce(self, round_: Round, number: int, result: Announcement, root: Mail) -> Mail:
        if result.subject == "reply":
            subject = f"Re: {root.subject}"
        elif "{key}" in result.subject:
            subject = self._title(result.subject)
        else:
            subject = f"{result.subject} {self._bare_title(round_)}"
        alone = "{key}" in result.subject  # a mail of its own, outside the vote's thread
        words = render_result(result)
        return self._mail(
            f"vote{number}/result",
            round_.opened + result.at,
            PEOPLE[result.who],
            subject,
            words,
            None if alone else root,
            frozenset({Oddity.TOP} if result.subject == "reply" else {Oddity.BARE}),
        )

    # -- pieces --------------------------------------------------------------------------------
    def _say(self, key: str, opened: float, line: Line, parent: Mail, *, subject: str | None = None) -> Mail:
        title = subject or (parent.subject if parent.subject.startswith("Re:") else f"Re: {parent.subject}")
        return self._mail(key, opened + line.at, PEOPLE[line.who], title, line.text, parent, line.flags)

    def _mail(
        self,
        key: str,
        at: float,
        who: Resident,
        subject: str,
        words: str,
        parent: Mail | None,
        flags: frozenset[Oddity] = frozenset(),
    ) -> Mail:
        full_key = f"{self.plan.key}/{key}"
        text = compose(words, author=who, parent=parent, flags=flags, list_id=self.world.list_id)
        # people do not write on the stroke of the minute; only openings must fall on theirs
        delay = timedelta(seconds=0 if parent is None else int(make_digest(full_key), 16) % 600)
        mail = Mail(
            key=full_key,
            at=self._at(at) + delay,
            author=who,
            subject=subject,
            text=text,
            flags=flags,
            message_id="",
            in_reply_to=parent.message_id if parent else None,
            references=(*parent.references, parent.message_id)[-8:] if parent else (),
        )
        return replace(mail, message_id=make_message_id(self.world.seed, full_key, mail.address))

    def _at(self, days: float) -> datetime:
        return self.world.at(days, origin=self.origin)

    def _title(self, form: str) -> str:
        return form.format(key=self.plan.key, title=self.plan.title)

    def _bare_title(self, round_: Round) -> str:
        """The vote's subject without its tag."""
        return self._title(round_.subject).split("] ", 1)[1]

    def _page_link(self) -> str:
        return f"https://wiki.sandbox.example/display/SAND/{self.plan.key}"

    def _fill(self, sentence: str, first: str = "") -> str:
        t = self.plan.topic
        text = sentence.format(
            thing=t.thing,
            where=t.where,
            gain=t.gain,
            risk=t.risk,
            other=t.other,
            setting=t.setting if t.setting != "none" else "the change",
            first=first or self.author.first_name,
            key=self.plan.key,
            title=self.plan.title,
        )
        return text[:1].upper() + text[1:]
