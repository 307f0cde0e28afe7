"""Writes the mails of each plan: discussion, votes and announcements."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict
from datetime import datetime, timedelta

from kipflow.domain.texts import digest_text
from kipflow.sandbox.data import TALK, make_rng
from kipflow.sandbox.encodings import Oddity
from kipflow.sandbox.mails import Mail
from kipflow.sandbox.people import PEOPLE, RESIDENTS, Resident
from kipflow.sandbox.plans import Announcement, Discussion, Line, Plan, Round
from kipflow.sandbox.quoting import write_mail

BALLOT_TEMPLATE = "[ ] +1 accept the proposal\n[ ]  0 no opinion\n[ ] -1 do not accept it, because ..."

#: Prefixes of a reply's subject from unusual mail programs; the last that applies counts.
_PREFIXES = {Oddity.AW: "AW: ", Oddity.RE_UPPER: "RE: ", Oddity.REPEATED: "Re: Re: Fwd: ", Oddity.FORWARD: "Fwd: Re: "}

#: Oddities of ordinary mails → how often they occur.
_EVERYDAY = {
    Oddity.HTML: 0.03,
    Oddity.ALTERNATIVE: 0.12,
    Oddity.FLOWED: 0.08,
    Oddity.QUOTED_PRINTABLE: 0.08,
    Oddity.BASE64: 0.04,
    Oddity.OUTLOOK: 0.05,
    Oddity.FOOTER: 0.05,
    Oddity.INVALID: 0.06,
    Oddity.GMT: 0.03,
}


class ThreadWriter:
    """Writes the mails of one proposal. Used once per plan."""

    def __init__(self, anchor: datetime, plan: Plan) -> None:
        self.plan, self.anchor = plan, anchor
        self.rng = make_rng(plan.key)
        self.author = PEOPLE[plan.author]
        self.discussion: list[Mail] = []
        self.unasked = self.rng.sample(TALK.exchanges, len(TALK.exchanges))
        self.unsaid = self.rng.sample(TALK.remarks, len(TALK.remarks))
        self.asked: dict[str, list[tuple[str, ...]]] = {}

    def write(self) -> Iterator[Mail]:
        if self.plan.discuss is not None:
            self.discussion = self._discuss(self.plan.discuss)
            yield from self.discussion
        for number, round_ in enumerate(self.plan.votes, start=1):
            yield from self._vote(round_, f"vote{number}")

    # -- discussion ----------------------------------------------------------------------------
    def _discuss(self, thread: Discussion) -> list[Mail]:
        plan, rng = self.plan, self.rng
        details = rng.sample(TALK.opening_details, 3)
        words = [self._fill(rng.choice(TALK.openings)), self._page_link(), *(self._fill(d) for d in details)]
        flags = frozenset({Oddity.FOLDED} if len(plan.title) > 38 else ())
        subject = self._title(thread.subject)
        mails = [self._mail("discuss/0", thread.at, self.author, subject, "\n\n".join(words), None, flags)]
        readers = [p for p in RESIDENTS if p is not self.author and p.id != "ylevi"]
        talkers = rng.sample(readers, min(6, 2 + thread.talk // 3))
        times = sorted(thread.at + 0.05 + rng.random() * (thread.days - 0.05) for _ in range(thread.talk))
        for number, at in enumerate(times, start=1):
            mails.append(self._answer(mails, talkers, at, is_last=number == thread.talk))
        for number, line in enumerate(plan.said, start=1):
            parent = max((m for m in mails if m.at <= self._at(thread.at + line.at)), key=lambda m: m.at)
            mails.append(self._say(f"discuss/said{number}", thread.at, line, parent))
        return mails

    def _answer(self, mails: list[Mail], talkers: list[Resident], at: float, *, is_last: bool) -> Mail:
        """The next mail of the discussion: the author answers a question, or a reader asks or remarks."""
        rng, last, key = self.rng, mails[-1], f"discuss/{len(mails)}"
        open_points = self.asked.get(last.key, [])
        if open_points and rng.random() < 0.8:
            who, parent, greetings = self.author, last, TALK.answer_greetings
            sentences = [rng.choice(answers) for _, *answers in open_points]
            if is_last and self.plan.votes:
                sentences.append(rng.choice(TALK.closings))
        else:
            parent, greetings = last if rng.random() < 0.6 else rng.choice(mails), TALK.greetings
            who = rng.choice([t for t in talkers if t is not parent.author])
            sentences = self._find_points(key)
        text = self._talk(parent, sentences, greetings)
        return self._mail(key, at, who, f"Re: {mails[0].subject}", text, parent, self._everyday())

    def _find_points(self, key: str) -> list[str]:
        """A reader's questions, remembered for the author to answer; or a remark."""
        rng = self.rng
        if self.unasked and rng.random() < 0.75:
            points = [self.unasked.pop() for _ in range(min(len(self.unasked), rng.choice((1, 1, 2, 3))))]
            self.asked[f"{self.plan.key}/{key}"] = points
            return [asks for asks, *_ in points]
        return [self.unsaid.pop()] if self.unsaid else [rng.choice(TALK.remarks)]

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
        roll = self.rng.random()
        for odd, share in _EVERYDAY.items():
            if roll < share:
                return frozenset({odd})
            roll -= share
        return frozenset()

    # -- votes ---------------------------------------------------------------------------------
    def _vote(self, round_: Round, key: str) -> Iterator[Mail]:
        root = self._open(round_, f"{key}/0")
        thread = [root]
        for position, line in enumerate(round_.casts, start=1):
            parent = root if position % 3 else thread[-1]
            thread.append(self._ballot(f"{key}/{position}", round_, line, parent, root))
        yield from thread
        if round_.cancel is not None:
            subject = f"{round_.cancel_tag} {self._bare_title(round_)}"
            yield self._say(f"{key}/cancel", round_.at, round_.cancel, root, subject=subject)
        if round_.result is not None:
            yield self._announce(round_, f"{key}/result", round_.result, root)

    def _open(self, round_: Round, key: str) -> Mail:
        words = [self._fill(self.rng.choice(TALK.calls)), self._page_link()]
        if self.discussion:
            words.append(f'The discussion is in the thread "{self.discussion[0].subject}".')
        words += [round_.own] if round_.own else []
        words.append(self.rng.choice(TALK.periods))
        words += [BALLOT_TEMPLATE] if round_.template else []
        return self._mail(key, round_.at, self.author, self._title(round_.subject), "\n\n".join(words), None)

    def _ballot(self, key: str, round_: Round, line: Line, parent: Mail, root: Mail) -> Mail:
        words = line.text
        if Oddity.BARE not in line.flags:
            preface = self._fill(self.rng.choice(TALK.ballot_prefaces), root.author.first_name)
            afterword = self._fill(self.rng.choice(TALK.ballot_afterwords))
            words = "\n\n".join(p for p in (preface, words, afterword) if p)
        prefix = ["Re: ", *(other for flag, other in _PREFIXES.items() if flag in line.flags)][-1]
        who, at = PEOPLE[line.who], round_.at + line.at
        return self._mail(key, at, who, f"{prefix}{root.subject}", words, parent, line.flags)

    def _announce(self, round_: Round, key: str, result: Announcement, root: Mail) -> Mail:
        alone = "{key}" in result.subject  # a mail of its own, outside the vote's thread
        if result.subject == "reply":
            subject, flag = f"Re: {root.subject}", Oddity.TOP
        else:
            tagged = f"{result.subject} {self._bare_title(round_)}"
            subject, flag = self._title(result.subject) if alone else tagged, Oddity.BARE
        parent, at = None if alone else root, round_.at + result.at
        return self._mail(key, at, self.author, subject, render_result(result), parent, frozenset({flag}))

    # -- pieces --------------------------------------------------------------------------------
    def _say(self, key: str, opened: float, line: Line, parent: Mail, *, subject: str | None = None) -> Mail:
        title = subject or (parent.subject if parent.subject.startswith("Re:") else f"Re: {parent.subject}")
        return self._mail(key, opened + line.at, PEOPLE[line.who], title, line.text, parent, line.flags)

    def _mail(
        self, key: str, at: float, who: Resident, subject: str, words: str, parent: Mail | None,
        flags: frozenset[Oddity] = frozenset(),
    ) -> Mail:  # fmt: skip
        full_key = f"{self.plan.key}/{key}"
        # people do not write at full minutes; only openings must be at their exact time
        delay = timedelta(seconds=0 if parent is None else int(digest_text(full_key, 24), 16) % 600)
        return write_mail(full_key, self._at(at) + delay, who, subject, words, parent, flags=flags)

    def _at(self, days: float) -> datetime:
        return self.plan.find_time(self.anchor, days)

    def _title(self, form: str) -> str:
        return form.format(key=self.plan.key, title=self.plan.title)

    def _bare_title(self, round_: Round) -> str:
        """The vote's subject without its tag."""
        return self._title(round_.subject).split("] ", 1)[1]

    def _page_link(self) -> str:
        return f"https://wiki.sandbox.example/display/SAND/{self.plan.key}"

    def _fill(self, sentence: str, first: str = "") -> str:
        topic, names = self.plan.topic, {"key": self.plan.key, "title": self.plan.title}
        pieces = {**asdict(topic), "setting": topic.setting or "the change", **names}
        text = sentence.format(**pieces, first=first or self.author.first_name)
        return text[:1].upper() + text[1:]


#: Spelled-out numbers, as announcements like to write them.
_COUNT_WORDS = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight")


def render_result(result: Announcement) -> str:
    """The words of a result mail."""
    verdict = "passes" if result.passed else "does not pass"
    said = (result.plus, result.plus_other, result.zero, result.minus)
    plus, other, zero, minus = ([PEOPLE[who].name for who in ids] for ids in said)
    if result.style == "terse":
        voters = ", ".join(plus)
        return (
            f"Thanks everybody. The vote {verdict} with {len(plus)} binding +1 votes ({voters}) and no -1. Closing it."
        )
    if result.style == "table":
        rows = [f"+1 (binding): {', '.join(plus)}"]
        rows += [f"+1 (non-binding): {', '.join(other)}"] if other else []
        rows += [f"-1 (binding): {', '.join(minus)}"] if minus else ["-1: none"]
        return f"The voting period is over and the vote {verdict}:\n\n" + "\n".join(rows) + "\n\nThanks for voting."
    if result.style == "list":
        blocks = [f"Hi all,\n\nthe vote {verdict}. The result:"]
        for label, people in (("Binding +1", plus), ("Non-binding +1", other), ("0", zero), ("Binding -1", minus)):
            blocks += ["\n * ".join([f"{label}: {len(people)}", *people])] if people else []
        return "\n\n".join([*blocks, "Thank you all for the discussion and the votes."])
    parts = [f"{_COUNT_WORDS[len(plus)]} binding +1 ({', '.join(plus)})"]
    parts += [f"{_COUNT_WORDS[len(other)]} non-binding +1 ({', '.join(other)})"] if other else []
    parts += [f"{_COUNT_WORDS[len(minus)]} binding -1 ({', '.join(minus)})"] if minus else ["no -1"]
    listed = f"{', '.join(parts[:-1])} and {parts[-1]}"
    return (
        f"Hi all,\n\nthe vote {verdict} with {listed}.\n\nThank you to everybody who took part. I will update the page."
    )
