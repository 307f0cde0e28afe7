"""How rounds end: announced, called off by an entitled person, or replaced by the next round or candidate."""

from __future__ import annotations

import itertools
import re
from dataclasses import replace
from datetime import datetime
from functools import partial

from kipflow.domain.facts import MailKind, Message
from kipflow.domain.judging import states_outcome
from kipflow.domain.votes import ClaimedEnd, Declared, EndKind
from kipflow.mail.announcements.names import is_same_person
from kipflow.mail.results import is_request, is_thought
from kipflow.mail.rounds.book import Book
from kipflow.mail.rounds.entitled import Authority
from kipflow.mail.rounds.periods import find_declared
from kipflow.mail.rounds.revising import ask_which, call_off_late, revise
from kipflow.mail.rounds.rounds import Round
from kipflow.mail.rounds.topics import split_candidate

# "I am withdrawing this KIP, KIP-9 solves it" is about the vote of its thread
_THIS = re.compile(r"\b(?:this|my)\s+(?:\w+\s+)?(?:vote|voting|kip|proposal|thread|one)\b", re.IGNORECASE)
#: "I'm reopening, let us use the same thread"
_REOPENS = re.compile(
    r"(?:^|[.!?:]\s)\W*(?:so\W+)?(?i:i|we)(?:['’]\w+| am| are| have)? (?:(?:now|hereby) )?(?:re-?open|resum)\w*"
    r"(?: (?:it|this|voting|here|the vot\w+)\b|\s*[,.;:!])[^.!?\n]{0,80}"
)
#: Most announcements that may revise a round; more of them mean nothing.
_MOST_REVISIONS = 30


class Endings:
    """Writes the ends of a book's rounds into them; that of somebody who may end none is kept as a claim to settle."""

    def __init__(self, book: Book) -> None:
        self.book, self.entitled, self.time_of = book, book.entitled, book.time_of

    def find(self) -> None:
        for rounds in self.book.rounds.values():
            self.close(rounds)
        for rounds in self.group_candidates():
            self.replace_earlier(rounds)

    def close(self, rounds: list[Round]) -> None:
        for round_ in rounds:
            for message in round_.messages:
                self.find_result_after_all(round_, message)
                self.find_cancellation(round_, message)
                self.find_result(round_, message)
        for list_id in {r.root.list_id for r in rounds}:
            here = (r for r in rounds if r.root.list_id == list_id)
            self.replace_earlier(sorted(here, key=lambda r: r.opened_at))

    def group_candidates(self) -> list[list[Round]]:
        """The candidates of each release in order: a later one replaces one that nobody closed."""
        releases: dict[tuple[str, str], list[tuple[int, Round]]] = {}
        for round_ in sorted(self.book.all_rounds(), key=lambda r: r.opened_at):
            if round_.number is None:
                release, candidate = split_candidate(round_.root.reading.topic)
                releases.setdefault((round_.root.list_id, release), []).append((candidate, round_))
        return [
            [r for _, r in rounds]
            for rounds in releases.values()
            if len(rounds) > 1 and all(one < other for (one, _), (other, _) in itertools.pairwise(rounds))
        ]

    def replace_earlier(self, rounds: list[Round]) -> None:
        """End each running round, and the contested ones beside it, when an entitled person opens the next."""
        running: list[Round] = []
        # a round announced as passed is over, but a stranger's round must not hide the questions about it
        announced: Round | None = None
        for later in rounds:
            replaced = [r for r in running if r.is_running(later.opened_at)]
            first = replaced[0] if replaced else announced
            if later.contested is None:
                later.contested = self.find_contest(first, later)
                if first is not None and later.contested is not None:
                    first.claimed_ends.append(later.contested)
            if later.contested is not None:
                running = [*replaced, later]
                continue
            for earlier in replaced:
                earlier.ended_at, earlier.ended_how = later.opened_at, "replaced"
                earlier.ended_message_id = later.root.message_id
            running = [later]
            if states_outcome(later.declared):
                announced = later

    def find_contest(self, first: Round | None, later: Round) -> ClaimedEnd | None:
        """Why a round counts as one of its vote only after a person confirms it; None: it counts."""
        root = later.root
        if later.doubt:
            kind = EndKind.CALLED if first is None else EndKind.REPLACED
            waits = later.may_restart and first is not None and first.is_running(later.opened_at)
            return self.make_claim(root, kind, root.subject, Authority(why=later.doubt, waits=waits))
        if first is None:
            return None
        if later.root_missing:  # two strangers who answer a missing mail call no vote
            why = Authority(why="its own opening is not held")
            return None if self.counts_end(later) else self.make_claim(root, EndKind.REPLACED, root.subject, why)
        if first.root_missing:  # its caller is unknown
            why = Authority(why="the opening of the other one is not held")
            counts = self.entitled.counts_end(root, self.time_of(root))
            return None if counts else self.make_claim(root, EndKind.REPLACED, root.subject, why)
        return self.find_claim(first, root, EndKind.REPLACED, root.subject)

    def find_claim(
        self, round_: Round, message: Message, kind: EndKind, line: str, *, by_caller: bool = False
    ) -> ClaimedEnd | None:
        """The claim of somebody who may not end a round, or may only by a later ruling; None: they may end it.

        `by_caller`: only the round's caller can mean this.
        """
        at = self.time_of(message)
        if kind is EndKind.CLOSED and self.entitled.is_announcer(message, at):
            return None
        word = self.entitled.judge_authority(round_, message, at)
        if word.is_caller if by_caller else word.may_end:
            return None
        return self.make_claim(message, kind, line, word)

    def make_claim(self, message: Message, kind: EndKind, line: str, word: Authority) -> ClaimedEnd:
        """The claim in a mail whose writer cannot end the round."""
        return ClaimedEnd(
            kind=kind,
            by=message.author_name,
            address=message.author_address,
            message_id=message.message_id,
            at=self.time_of(message),
            line=line,
            why=word.why or "adds the tag, and is not its caller",
            waits=word.waits,
            declared=message.declared if kind is EndKind.CLOSED else None,
            settled_at=word.ruled_at,
            accepted=word.ruled_at is not None,
        )

    def find_cancellation(self, round_: Round, message: Message) -> None:
        at = self.time_of(message)
        if round_.ended_at is not None:
            return
        adds_tag = message.cancels is None and self.adds_tag(message)
        if not adds_tag and not self.says_so(round_, message):
            return
        said = message.declared
        if said is not None and said.outcome in ({"passed", "failed"} if said.counts else {"passed"}):
            return  # "it failed: 2 binding -1. I withdraw the proposal" is a result; one that passed becomes a question
        line = message.cancels or message.subject
        claim = self.find_claim(round_, message, EndKind.CANCELLED, line, by_caller=adds_tag)
        anew = any(m.reading.kind is MailKind.VOTE and not m.reading.is_reply for m in round_.misdirected)
        if claim is None and anew and not self.entitled.is_binding(message, at):
            claim = self.make_claim(
                message, EndKind.CANCELLED, line, Authority(why="and another mail may have called it")
            )
        late = round_.closed_at is not None and round_.closed_at <= at
        if claim is not None:
            round_.claimed_ends.extend([] if late else [claim])
        elif late and round_.declared is not None:
            round_.revisions += 1
            if round_.revisions <= _MOST_REVISIONS or not round_.declared.unclear:
                round_.declared = call_off_late(round_.declared, message, at)
        else:
            round_.ended_at, round_.ended_how, round_.ended_message_id = at, "cancelled", message.message_id

    def adds_tag(self, message: Message) -> bool:
        """Whether a mail adds to the subject that the vote is called off."""
        above = self.book.find_answered(message)
        return message.reading.kind is MailKind.CANCEL and above is not None and above.reading.kind is MailKind.VOTE

    def says_so(self, round_: Round, message: Message) -> bool:
        """Whether a mail's words end the round without a result; a wish does only from its caller."""
        line = message.cancels
        if line is None or (self.book.names_other(round_, line) and _THIS.search(line) is None):
            return False
        return not is_request(line) or self.book.is_from_caller(message, round_)

    def is_own(self, round_: Round, message: Message, declared: Declared) -> bool:
        """Whether a mail is from who announced the round's result, or called it."""
        is_announcer = round_.declared is not None and round_.declared.by == declared.by
        return is_announcer or self.book.is_from_caller(message, round_)

    def find_result(self, round_: Round, message: Message) -> None:
        declared, at = find_declared(self.book, round_, message), self.time_of(message)
        if declared is None:
            return
        if declared.outcome == "passed" and self.says_so(round_, message):
            declared = replace(declared, outcome=None, unclear=message.cancels or "")
        tagged = message.reading.kind is MailKind.RESULT
        is_thought_aloud = bool(declared.unclear) and is_thought(declared.unclear)
        is_thinking = is_thought_aloud and not self.book.is_from_caller(message, round_)
        of_other = not tagged and self.book.names_other(round_, declared.line)
        if is_thinking or (of_other and (round_.declared is None or _THIS.search(declared.line) is None)):
            return
        if declared.only_denies and not self.is_own(round_, message, declared):
            declared = replace(declared, corrects=False)  # "oops" takes back nobody else's announcement
        claim = self.find_claim(round_, message, EndKind.CLOSED, declared.line)
        if claim is None and declared.outcome == "failed" and not self.counts_end(round_):
            why = "calls it failed, and nobody whose vote binds has called it or voted"
            claim = self.make_claim(message, EndKind.CLOSED, declared.line, Authority(why=why))
        # if the roster knows nobody, a tag is believed
        if claim is not None and not (tagged and not self.entitled.knows_anybody):
            if round_.declared is None and (tagged or declared.outcome is not None):
                round_.claimed_ends.append(claim)
            return
        if round_.declared is None or round_.declared.closes_at is None:
            round_.declared_dated_at = message.dated_at
        if round_.declared is None:
            round_.declared, round_.declared_tagged = replace(declared, announced_at=at), tagged
            return
        # a tagged announcement outweighs a plain one; a later tagged one corrects an earlier
        outweighs = tagged and (not round_.declared_tagged or not message.reading.is_reply)
        round_.declared = self.revise(round_, round_.declared, declared, at, outweighs=outweighs)
        round_.declared_tagged = round_.declared_tagged or tagged

    def revise(self, round_: Round, known: Declared, later: Declared, at: datetime, *, outweighs: bool) -> Declared:
        round_.revisions += 1
        if round_.revisions > _MOST_REVISIONS:
            return ask_which(known, later, at)
        return revise(known, later, at, outweighs=outweighs, votes_since=partial(self.votes_since, round_, at))

    def votes_since(self, round_: Round, at: datetime, name: str) -> bool:
        """Whether somebody of this name first voted after the result was announced and before `at`."""
        voted = (m for m in round_.messages if is_same_person(name, m.author_name) and m.votes)
        first = min(map(self.time_of, voted), default=None)
        return first is not None and round_.closed_at is not None and round_.closed_at < first < at

    def find_result_after_all(self, round_: Round, message: Message) -> None:
        """Claim a result, or that the vote runs on, after a round was called off: a person must say which holds."""
        if round_.ended_how != "cancelled":
            return
        declared, word = message.declared, Authority(why="it was called off before", waits=True)
        by_caller = self.book.is_from_caller(message, round_)
        line = next(_REOPENS.finditer(message.own_text), [""])[0] if by_caller else ""
        if declared is not None:
            is_counted = message.reading.kind is MailKind.RESULT and declared.counts
            is_over = not declared.unclear and (declared.outcome is not None or is_counted)
            line = declared.line if is_over or (declared.only_denies and by_caller) else line
        is_asked = any(end.why == word.why for end in round_.claimed_ends)  # once, however many there are
        if line and not is_asked and self.find_claim(round_, message, EndKind.CLOSED, line) is None:
            round_.claimed_ends.append(self.make_claim(message, EndKind.CLOSED, line, word))

    def counts_end(self, round_: Round) -> bool:
        """Whether somebody whose vote binds called the round, or votes in it; always true if nobody is known."""
        voters = (m for m in round_.messages if m.votes)
        return any(self.entitled.counts_end(m, self.time_of(m)) for m in (round_.root, *voters))
