"""The answer sheet: what must come out of each proposal, written from the story's intent, by hand.

Nothing here is computed by kipflow's own reading; a test that compares the two says something. Policy
is that of `config/communities/sandbox.yaml` (three binding +1, 72 hours, clock after 7 days, dormant
after 90 + 14 days, 120 hours where the log format is touched).

`note` is the plain-language table of the story: what the proposal is there for.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

from kipflow.domain.events import Stage
from kipflow.domain.tally import Outcome

Counts = tuple[int, int, int]


@dataclass(frozen=True, slots=True, kw_only=True)
class Expected:
    """What a proposal must have come to at the anchor.

    `binding` and `other` are the newest round's counted (+1, 0, -1); `other` None where readers may
    differ on purpose (see the note). `rounds` counts its votes. `hangs` says that an unclear ballot
    decides. `drift` says that page or index contradict the stage.
    """

    stage: Stage
    note: str
    rounds: int = 0
    outcome: Outcome | None = None
    binding: Counts | None = None
    other: Counts | None = None
    hangs: bool = False
    page_drift: bool = False


def _vote(
    stage: Stage, outcome: Outcome, binding: Counts, other: Counts | None, note: str, *,
    rounds: int = 1, hangs: bool = False, page_drift: bool = False,
) -> Expected:  # fmt: skip
    return Expected(
        stage=stage,
        outcome=outcome,
        binding=binding,
        other=other,
        note=note,
        rounds=rounds,
        hangs=hangs,
        page_drift=page_drift,
    )


_A, _R, _V = Stage.ACCEPTED, Stage.REJECTED, Stage.VOTE
_PASSED, _FAILED = Outcome.PASSED, Outcome.FAILED

_ANSWERS: dict[int, Expected] = {
    61: _vote(_A, _PASSED, (3, 0, 0), (1, 0, 0), "an ordinary vote with a [RESULT]; a +1 after it is void"),
    62: _vote(_A, _PASSED, (3, 0, 0), (2, 0, 0), "the result is a plain reply in the vote thread, without a tag"),
    63: _vote(
        _A, _PASSED, (3, 0, 0), (1, 0, 0), "the result has another subject and stands in the next month's archive"
    ),
    64: _vote(
        _A, _PASSED, (3, 0, 0), (3, 0, 0), "ballots as HTML only, base64, quoted-printable, flowed, unknown charset"
    ),
    65: _vote(
        _A,
        _PASSED,
        (3, 0, 0),
        (2, 0, 0),
        "list rewriting: via dev with Reply-To or last Cc, .INVALID; an emeritus claims to bind",
    ),
    66: _vote(_A, _PASSED, (3, 0, 0), (1, 0, 0), "a changed vote, and two people voting from two addresses each"),
    67: _vote(
        _A, _PASSED, (3, 0, 0), (2, 0, 0), "odd subjects (KIP 67, AW:, RE:, Re: Re: Fwd:) and odd spellings of +1"
    ),
    68: _vote(
        _A,
        _PASSED,
        (3, 0, 0),
        None,
        "ballot template, somebody else's summary, and a yes without +1 that its caller counted",
    ),
    69: _vote(_A, _PASSED, (3, 3, 0), (0, 2, 0), "fractions: -0.9 and +0.5 count as abstentions, beside 0, +0 and -0"),
    70: _vote(_A, _PASSED, (3, 0, 0), (1, 0, 0), "round 1 cancelled by its caller, round 2 passes", rounds=2),
    71: _vote(_A, _PASSED, (3, 0, 0), (2, 0, 0), "[CANCELED], then (take 2); one ballot has no Subject", rounds=2),
    72: _vote(
        _A,
        _PASSED,
        (3, 0, 0),
        (1, 0, 0),
        "a withdrawn -1, a mail held twice, one without Message-ID, From lines in bodies",
    ),
    73: _vote(
        _A,
        _PASSED,
        (3, 0, 0),
        (1, 0, 0),
        "nobody announced the result: the clock accepts 7 days after the close",
        page_drift=True,
    ),
    74: _vote(_A, _PASSED, (4, 0, 0), (1, 0, 0), "touches the log format: 120 hours are owed"),
    75: _vote(
        _A, _PASSED, (3, 0, 0), (2, 0, 0), "the announcement counts four binding votes, one of them an emeritus'"
    ),
    76: _vote(_A, _PASSED, (3, 0, 0), (1, 0, 0), "a vote without a discussion before it"),
    77: _vote(
        _A,
        _PASSED,
        (4, 0, 0),
        (1, 0, 0),
        "went dormant, was revived, then passed; the caller voted in the opening mail",
    ),
    78: _vote(_R, _FAILED, (1, 0, 3), (1, 0, 0), "voted down; its page says Not accepted"),
    79: _vote(_R, _FAILED, (1, 0, 3), (1, 0, 0), "voted down, nobody announced it", page_drift=True),
    80: _vote(_V, Outcome.OPEN, (2, 0, 0), (1, 0, 0), "opened two days ago, closes tomorrow, one binding +1 missing"),
    81: _vote(_V, Outcome.PASSING, (3, 0, 0), (1, 0, 0), "closes within the hour"),
    82: _vote(_V, Outcome.OPEN, (1, 0, 0), (0, 0, 0), "opened five hours ago and filling"),
    83: _vote(
        _V,
        Outcome.SHORT,
        (2, 0, 0),
        (1, 0, 0),
        "one binding +1 is missing, and one stands under a committer's name from an unknown address: is it he?",
        hangs=True,
    ),
    84: _vote(_V, Outcome.CONTESTED, (1, 0, 2), (1, 0, 0), "two binding -1 against one +1 while it runs"),
    85: _vote(_V, Outcome.CONTESTED, (3, 0, 3), (0, 0, 1), "over, three against three"),
    86: _vote(_V, _PASSED, (4, 0, 0), (1, 0, 0), "passed a day ago, the result is not announced"),
    87: _vote(_V, Outcome.SHORT, (2, 0, 0), (1, 0, 0), "a conditional ballot would be the third +1", hangs=True),
    88: _vote(
        _V, Outcome.PASSING, (3, 0, 2), (0, 0, 0), "a conditional -1 would make it three against three", hangs=True
    ),
    89: _vote(
        Stage.DISCUSSION,
        Outcome.CANCELLED,
        (0, 0, 0),
        (0, 0, 0),
        "cancelled and back in discussion; round 2 is being prepared",
    ),
    90: _vote(
        _V,
        Outcome.OPEN,
        (1, 0, 0),
        (0, 0, 0),
        "round 1 was replaced without a word; only round 2's ballot counts",
        rounds=2,
    ),
    91: _vote(_V, Outcome.OPEN, (1, 1, 0), (1, 0, 0), "the page says Accepted while the vote is open", page_drift=True),
    92: _vote(_V, Outcome.OPEN, (2, 0, 0), (0, 0, 0), "the page was changed after the vote had opened"),
    93: Expected(stage=Stage.DISCUSSION, note="discussed; its vote opens half a day from now"),
    94: Expected(stage=Stage.DORMANT, note="silent since its first week, half a year ago", page_drift=True),
    95: _vote(
        Stage.DORMANT, Outcome.SHORT, (1, 0, 0), (1, 0, 0), "a vote that fell short and was forgotten", page_drift=True
    ),
    96: Expected(stage=Stage.DISCUSSION, note="dormant for months, revived three days ago in its old thread"),
    97: Expected(stage=Stage.DISCARDED, note="discarded by its page"),
    98: Expected(stage=Stage.DISCARDED, note="its page says superseded by KIP-80"),
    99: Expected(stage=Stage.DISCARDED, note="withdrawn by its author, on the page"),
    100: Expected(stage=Stage.DISCUSSION, note="a lively thread full of things that look like votes and are none"),
    101: Expected(stage=Stage.DISCUSSION, note="discussed under [KIP-DISCUSSION] since four days"),
    102: Expected(stage=Stage.DRAFT, note="a draft; its discussion opens in some hours"),
    103: Expected(stage=Stage.DRAFT, note="a draft that is still mostly the template"),
    104: Expected(stage=Stage.DRAFT, note="a draft whose newest version has broken markup"),
    105: Expected(stage=Stage.DISCUSSION, note="its page may not be read (403); only the list tells", page_drift=True),
    106: Expected(stage=Stage.DISCUSSION, note="its page was deleted (404)", page_drift=True),
    107: Expected(
        stage=Stage.DISCUSSION,
        note="silent for more than 90 days: its author is warned at the first run, dormant 14 days after that",
    ),
}

#: Where the story has moved a proposal ten days after the anchor (kipflow running all the while).
_LATER: dict[int, Stage] = {
    80: _A, 81: _A, 82: _A, 83: _A, 84: _A, 86: _A, 89: _A, 90: _A, 92: _V, 93: _A,
    85: _V, 87: _V, 88: _V, 91: _V,
    102: Stage.DISCUSSION,
}  # fmt: skip


#: Where the story has moved it when the grace of the first run's warnings is over, 15 days after the anchor.
_ASLEEP: dict[int, Stage] = {107: Stage.DORMANT}


def expected() -> Mapping[int, Expected]:
    """Number → what kipflow must show at the anchor."""
    return MappingProxyType(_ANSWERS)


def expected_later() -> Mapping[int, Stage]:
    """Number → stage ten days after the anchor; proposals that are not named stay where they are."""
    return MappingProxyType(_LATER)


def expected_asleep() -> Mapping[int, Stage]:
    """Number → stage 15 days after the anchor of the proposals that were silent at it."""
    return MappingProxyType(_ASLEEP)


#: Mails in the story that no reader can make anything of.
BROKEN_MAILS = 2
