"""Rulings on who is who in the store, on SQLite and PostgreSQL: found, applied, dated, corrected, never lost."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta

import pytest
import sqlalchemy as sa

from kipflow.adapters.store import SqlStore, open_store
from kipflow.domain.events import Stage
from kipflow.domain.facts import ArchiveMonth, Message
from kipflow.domain.people import Person, Role
from kipflow.domain.policy import Policy
from kipflow.domain.roster import Roster
from kipflow.mail.messages import read_message
from kipflow.services import rulings
from kipflow.services.advance import advance_all
from kipflow.services.assembly import CommunityRules
from kipflow.services.desk import ActContext, Desk
from kipflow.services.effectrules import EffectRules
from kipflow.services.replay import replay
from kipflow.services.ruling_checks import BadRuling
from kipflow.services.rulings import Recorded
from kipflow.services.who_is_who import rule_identity

T0 = datetime(2026, 3, 2, 9, tzinfo=UTC)
POLICY = Policy(version="test-1", binding_roles=frozenset({"pmc"}), clock_after=timedelta(days=7))
ROSTER = Roster(
    Person(id=i, name=n, emails=(f"{i}@apache.org",), roles=(Role(role="pmc"),))
    for i, n in (("mlind", "Mara Lind"), ("kosei", "Kim Osei"), ("rberg", "Rune Berg"))
)


@pytest.fixture
def store(database_url: sa.URL) -> Iterator[SqlStore]:
    opened = open_store(database_url, CommunityRules(roster=ROSTER, policy=POLICY, prefix="KIP"))
    yield opened
    opened.close()


def mail(stem: str, sender: str, day: float, words: str, *, root: bool = False) -> Message:
    at = T0 + timedelta(days=day)
    answers = "" if root else "In-Reply-To: <root@m.example>\n"
    text = (
        f"From: {sender}\nTo: dev@x.example\nSubject: {'' if root else 'Re: '}[VOTE] KIP-7: Gates\n{answers}"
        f"Message-ID: <{stem}@m.example>\nDate: {at:%a, %d %b %Y %H:%M:%S} +0000\n\n{words}\n"
    )
    read = read_message(text.encode(), source=f"{stem}#0", list_id="dev@x.example", month="2026-03", prefix="KIP")
    assert isinstance(read, Message)
    return read


BALLOTS = (
    mail("root", "Mara Lind <mlind@apache.org>", 0, "Please vote.", root=True),
    mail("m", "Mara Lind <mlind@apache.org>", 0.5, "+1 (binding)"),
    mail("k", "Kim Osei <kosei@apache.org>", 1, "+1 (binding)"),
    mail("r", "Rune Berg <rberg@apache.org>", 1.5, "+1 (binding)"),
)


def save(store: SqlStore, *mails: Message, day: float = 60) -> None:
    """Keep the mails, in an archive that is complete up to `day`."""
    at = T0 + timedelta(days=day)
    with store.begin() as session:
        session.mail.save_messages(mails, seen_at=at)
        for month in ("2026-03", "2026-04", "2026-05"):
            session.mail.save_month(
                ArchiveMonth(list_id="dev@x.example", month=month, status="complete", fetched_at=at)
            )


def advance(store: SqlStore, day: float) -> None:
    advance_all(store, policy=POLICY, effects=EffectRules(prefix="KIP", sends=False), as_of=T0 + timedelta(days=day))


def say(store: SqlStore, one: str, other: str, *, same: bool, day: float, by: str = "ops") -> Recorded:
    at = T0 + timedelta(days=day)
    desk = Desk(store=store, roster=ROSTER, policy=POLICY, effects=EffectRules(prefix="KIP", sends=False))
    return rule_identity(desk, one, other, ActContext(author=by, reason="asked them", at=at), same=same)


def history(store: SqlStore) -> list[tuple[str, Stage, datetime]]:
    with store.begin() as session:
        return [(t.rule, t.target, t.at) for t in session.history.load(7)]


def test_a_vote_that_hung_on_who_is_who_is_accepted_when_a_person_settles_it(store: SqlStore) -> None:
    save(store, *BALLOTS, mail("o", "K. Osei <kim@home.example>", 2, "-1"))
    advance(store, 15)
    assert history(store)[-1][1] is Stage.VOTE
    say(store, "kim@home.example", "kosei", same=False, day=16)
    advance(store, 17)
    assert history(store)[-1] == ("clock-accepts", Stage.ACCEPTED, T0 + timedelta(days=16))
    assert store.review() == ()
    assert replay(store, policy=POLICY, start=None, end=T0 + timedelta(days=17)).differences == ()


def test_a_merge_that_takes_the_ground_from_an_acceptance_corrects_history(store: SqlStore) -> None:
    save(store, *BALLOTS, mail("o", "coder <coder@home.example>", 2, "-1"))
    advance(store, 15)
    accepted = history(store)
    assert accepted[-1][1] is Stage.ACCEPTED
    ruled = say(store, "coder@home.example", "kosei", same=True, day=16)
    advance(store, 17)
    corrected = history(store)
    assert corrected[: len(accepted)] == accepted, "entries are never edited"
    assert corrected[len(accepted)][0] == "correction"
    assert store.proposal(7, T0 + timedelta(days=17)).stage is Stage.VOTE
    rulings.revoke(store, ruled.id, ActContext(author="ops", reason="a mistake", at=T0 + timedelta(days=18)))
    advance(store, 19)
    assert store.proposal(7, T0 + timedelta(days=19)).stage is Stage.ACCEPTED


def test_a_ruling_is_shown_on_the_proposal_whose_voters_it_names(store: SqlStore) -> None:
    other = mail("x", "Mara Lind <mlind@apache.org>", 3, "+1")
    save(store, *BALLOTS, mail("o", "K. Osei <kim@home.example>", 2, "-1"), other)
    advance(store, 15)
    say(store, "kim@home.example", "kosei", same=True, day=16)
    advance(store, 17)
    [shown] = store.proposal(7, T0 + timedelta(days=17)).rulings
    assert (shown.kind, shown.target, shown.author) == ("merge", "kim@home.example = kosei", "ops")


def test_a_merge_made_before_the_mail_comes_holds_when_it_comes(store: SqlStore) -> None:
    save(store, *BALLOTS, mail("a", "coder <coder@home.example>", 1.6, "I like it, see my notes."))
    say(store, "coder@home.example", "kosei", same=True, day=2)
    save(store, mail("o", "coder <coder@home.example>", 2.5, "-1"))
    advance(store, 15)
    [state] = store.proposal(7, T0 + timedelta(days=15)).votes
    assert (state.tally.binding.plus, state.tally.binding.minus) == (2, 1)


def test_of_a_name_without_an_address_each_mail_is_ruled_on_and_the_name_never(store: SqlStore) -> None:
    """Anybody can write a name: what is said of one mail says nothing of the next one under it."""
    hidden = "Kimo Osei via dev <dev@x.example>"
    save(store, *BALLOTS, mail("o", hidden, 2, "-1"), mail("p", hidden, 2.5, "-1"))
    advance(store, 4)
    [state] = store.proposal(7, T0 + timedelta(days=4)).votes
    voter = next(b.voter for b in state.vote.ballots if b.message_id == "<o@m.example>")
    with pytest.raises(BadRuling, match="anybody can write the name 'kimo osei'"):
        say(store, "Kimo Osei", "kosei", same=True, day=5)
    assert say(store, "<o@m.example>", "kosei", same=True, day=5).is_new
    advance(store, 6)
    [state] = store.proposal(7, T0 + timedelta(days=6)).votes
    assert voter == "kimo osei"
    assert (state.tally.binding.minus, state.tally.non_binding.minus) == (1, 1)


def test_two_operators_who_say_the_same_at_once_store_it_once(store: SqlStore) -> None:
    save(store, *BALLOTS, mail("o", "K. Osei <kim@home.example>", 2, "-1"))
    with ThreadPoolExecutor(4) as pool:
        said = list(
            pool.map(lambda n: say(store, "kim@home.example", "kosei", same=True, day=16, by=f"op{n}"), range(4))
        )
    assert {r.id for r in said} == {said[0].id}
    assert sum(r.is_new for r in said) == 1


def test_of_two_operators_who_contradict_each_other_at_once_one_is_refused(store: SqlStore) -> None:
    save(store, *BALLOTS, mail("o", "K. Osei <kim@home.example>", 2, "-1"))

    def rule(same: bool) -> bool:
        try:
            say(store, "kim@home.example", "kosei", same=same, day=16)
        except BadRuling:
            return False
        return True

    with ThreadPoolExecutor(2) as pool:
        assert sorted(pool.map(rule, (True, False))) == [False, True]
    with store.begin() as session:
        assert len(session.rulings.load_all()) == 1
