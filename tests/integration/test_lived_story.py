"""Whatever is ruled, revoked, released or comes late: what people are notified is one story without a break.

Each message goes on from what the one before left people with; an acceptance that falls is heard of, and leaves the
index, only when a person lets it; and what people believe in the end is what is so.
"""

from __future__ import annotations

import random
import re
import shutil
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path

import pytest

from kipflow.domain.events import SECTION_OF_STAGE, Stage
from kipflow.services import index, rulings
from kipflow.services.desk import ActContext
from kipflow.services.ports import WikiPage
from kipflow.services.ports.effects import CARD, OutboxRow
from kipflow.services.ruling_checks import BadRuling
from kipflow.wiki.index_reading import parse_index_page
from tests.effect_kinds import index_kind, make_due
from tests.integration.late import DAY, MONDAY, Mail, Village, found, late_objections, story
from tests.integration.test_late_mail import WEEK, Round, live_through, rule_stage

pytestmark = pytest.mark.integration

CORRECTED = re.compile(r"KIP-77: corrected: (\w+) → (\w+)$")
SINCE = re.compile(r"KIP-77: corrected: (\w+) since ")
STANDS = re.compile(r"KIP-77 is \*(\w+)\*")
MOVED = re.compile(r"KIP-77: (?:(\w+) → )?(\w+)$")


@pytest.fixture(scope="module")
def accepted(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A proposal that was accepted while people listened."""
    folder = tmp_path_factory.mktemp("accepted")
    village = found(folder)
    live_through(village, list(story().values()))
    village.parts.store.close()
    return folder


@dataclass(slots=True)
class Listener:
    """Somebody who reads the channel and the index, and what an operator did behind their back."""

    village: Village
    wiki: Round
    belief: str = "Accepted"
    now: datetime = WEEK
    standing: list[int] = field(default_factory=list)
    late: list[Mail] = field(default_factory=late_objections)

    def disturb(self, luck: random.Random) -> None:
        """One thing happens."""
        self.now += DAY * luck.choice([0.2, 1, 2])
        what = luck.choice(["back", "back", "now", "revoke", "revoke", "release", "mail"])
        try:
            if what in {"back", "now"}:
                at = MONDAY + luck.choice([1.5, 2.5, 3.5, 4.5, 6]) * DAY if what == "back" else self.now
                self.standing.append(rule_stage(self.village, luck.choice(list(Stage)), at))
            elif what == "revoke" and self.standing:
                ruling = self.standing.pop(luck.randrange(len(self.standing)))
                rulings.revoke(
                    self.village.parts.store, ruling, ActContext(author="ops", reason="typed wrong", at=self.now)
                )
            elif what == "mail" and self.late:
                self.village.receive([self.late.pop()], self.now)
        except BadRuling:
            return  # it is in that stage already
        for effect in self.held() if what == "release" else ():
            with self.village.parts.store.begin() as session:
                session.outbox.release(effect.key, by="ops", at=self.now)

    def run(self) -> None:
        """Decide, deliver, keep the index true, and listen."""
        store, now = self.village.parts.store, self.now
        already_posted, updated = len(self.village.channel.posted), len(self.village.channel.updates)
        self.village.hold(now)
        self.village.decide(now)
        make_due(store, "index", index_kind(store, self.wiki, "1000", now), now)
        for channel, text in self.village.channel.posted[already_posted:]:
            if channel == "#proposals":
                self.hear(text.partition("\n")[0])
        for _, text in self.village.channel.updates[updated:]:
            if (said := STANDS.search(text)) is not None:
                assert said[1] == self.belief, f"{text!r} to people who hold it for {self.belief}"

    def hear(self, line: str) -> None:
        if since := SINCE.match(line):
            assert since[1] == self.belief, line
        elif said := CORRECTED.match(line) or MOVED.match(line):
            assert said[1] == self.belief, f"{line!r} to people who hold it for {self.belief}"
            self.belief = said[2]

    def held(self) -> tuple[OutboxRow, ...]:
        return self.village.parts.store.effects(status="held", limit=99).rows

    def shown(self) -> str | None:
        """The stage that the message of the vote names."""
        cards = [row for row in self.village.parts.store.effects(limit=99).rows if CARD in row.payload]
        said = STANDS.search(str(cards[0].payload["blocks"]))
        return said[1] if said is not None else None

    def section(self) -> str:
        entries = parse_index_page(self.wiki.page.body, "KIP", self.now).entries
        return next(e.section for e in entries if e.number == 77)


@pytest.mark.parametrize("slack", ["send", "off"])
@pytest.mark.parametrize("seed", range(6))
def test_people_hear_one_story_and_no_acceptance_falls_unasked(
    accepted: Path, tmp_path: Path, seed: int, slack: str
) -> None:
    shutil.copytree(accepted, tmp_path / "village")
    village = found(tmp_path / "village")
    village.slack = slack
    body = index.render_board_index(village.parts.store, prefix="KIP", form="confluence", as_of=WEEK)
    page = WikiPage(page_id="1000", version=1, title="KIPs", body=body, saved_at=WEEK, saved_by="ops", labels=())
    listener = Listener(village=village, wiki=Round(page=page))
    luck = random.Random(f"{seed}/{slack}")  # noqa: S311 - not a secret
    for _ in range(8):
        listener.disturb(luck)
        if luck.random() < 0.3:
            continue  # the run comes later, with more
        listener.run()
        stage = Stage(village.stage(listener.now))
        if listener.held():
            assert (listener.belief, listener.section()) == ("Accepted", "accepted")
            assert stage is not Stage.ACCEPTED, "there is nothing to let people hear of"
        else:
            assert listener.section() == SECTION_OF_STAGE[stage]
            assert slack == "off" or listener.belief == stage
            assert slack == "off" or listener.shown() in {None, stage}
    village.parts.store.close()
