"""Numbers: a stranger's mail names any, and takes none."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest
from fastapi import FastAPI

from kipflow.config.settings import read_settings
from kipflow.sandbox.confluence import router
from kipflow.sandbox.faults import Faults
from kipflow.sandbox.wikistate import LivePage, Version, WikiState
from kipflow.wiring import connect
from tests.adversary.conftest import DAY, MONDAY, OSEI, Community, Mail, Said, honest_vote
from tests.effect_kinds import index_kind
from tests.web.servers import serve

INDEX = "1000"
STRANGER = "Val Nobody <val@evil.example>"
HOSTILE = "<!channel> </td> buy evil pills"
ROUND_UP = (
    "<h1>KIP round-up</h1><p>Next KIP Number: <strong>8</strong></p><h2>Adopted KIPs</h2><table><tbody>"
    "<tr><th>KIP</th><th>Release</th></tr></tbody></table><h2>KIPs under discussion</h2><table><tbody>"
    "<tr><th>KIP</th><th>Comment</th></tr><tr><td>KIP-7: Tidy shelves</td><td></td></tr></tbody></table>"
)


def invent(number: int, *, title: str = HOSTILE, by: str = STRANGER, day: float = 1, name: str = "") -> Mail:
    """A thread on a number that nobody gave out."""
    subject = f"[DISCUSS] KIP-{number}: {title}"
    return Mail(name=name or f"made-up-{number}", by=by, day=day, body="Look here.", subject=subject, answers="")


def vote_on(number: int) -> list[Mail]:
    """An honest vote, on a number of which nobody made a page."""
    return [
        Mail(name=m.name, by=m.by, day=m.day, body=m.body, subject=m.subject.replace("KIP-7", f"KIP-{number}"),
             answers=m.answers)
        for m in honest_vote().values()
    ]  # fmt: skip


class Wiki:
    """The village's wiki, by HTTP: the index page, and KIP-7 below it."""

    def __init__(self) -> None:
        self.now = MONDAY
        self.state = WikiState([_page(INDEX, "Proposals", None, ROUND_UP)], lambda: self.now)
        self.add("KIP-7: Tidy shelves")

    def add(self, title: str) -> None:
        self.state.create(title=title, parent=INDEX, body="<h1>Status</h1><p>Current state: Draft</p>", who="mlind")

    def follow(self, community: Community, *mails: Mail, day: float) -> None:
        """What an hourly run does on that day: mail, decisions, the index, the outbox."""
        self.now = MONDAY + day * DAY
        community.follow(*mails, day=day)
        parts = connect(read_settings())
        assert parts.wiki is not None
        index_kind(parts.store, parts.wiki, INDEX, self.now, sends=parts.sends).plan()
        parts.store.close()
        community.run("deliver")

    def sync(self, community: Community, *, day: float) -> None:
        """The same, after the wiki was read."""
        self.now = MONDAY + day * DAY
        community.run("sync")
        self.follow(community, day=day)

    def rule(self, community: Community, *words: object, day: float) -> Said:
        self.now = MONDAY + day * DAY
        return community.run("review", "number", *words, "--reason", "as it is")

    @property
    def index(self) -> str:
        page = self.state.find(INDEX)
        return page.versions[-1].body if page is not None else ""


def _page(page_id: str, title: str, parent: str | None, body: str) -> LivePage:
    version = Version(at=MONDAY - DAY, who="mlind", body=body)
    return LivePage(page_id=page_id, title=title, parent=parent, script=(version,))


@pytest.fixture
def wiki(community: Community) -> Iterator[Wiki]:
    """The village with its wiki, followed and sending since Monday."""
    made = Wiki()
    app = FastAPI()
    app.state.wiki, app.state.faults = made.state, Faults([])
    app.include_router(router)
    app.get("/clock")(lambda: {"now": made.now.isoformat()})
    with serve(app) as url:
        community.write_config(
            clock=f"{url}/clock",
            wiki={"url": f"{url}/confluence/rest/api", "index_page": INDEX},
            slack={"url": f"{url}/slack/api", "channel": "#proposals", "operators": "#ops"},
            effects={"mode": "send", "slack": "send", "index": "send"},
        )
        made.sync(community, day=0)
        yield made


def test_a_stranger_s_huge_number_does_not_move_the_next_one(community: Community, wiki: Wiki) -> None:
    """A stranger starts a discussion of KIP-99999, so that the next proposal would be KIP-100000.
    It is shown as claimed, and the next number stays KIP-8."""
    wiki.follow(community, invent(99_999), day=2)

    assert community.run("new", "Quiet gates").out.startswith("KIP-8: Quiet gates")
    assert "Next KIP Number: 8" in community.run("index").out
    (row,) = [r for r in community.run("status", "--format", "json").json if r["number"] == 99_999]
    assert row["claim"] == "claimed"
    assert "only mail names it" in row["missing"][0]


def test_a_stranger_s_next_number_is_not_taken_from_who_asks_for_it(community: Community, wiki: Wiki) -> None:
    """A stranger writes of KIP-8, KIP-9 and KIP-10 to use up the next numbers.
    None of them is taken, and nobody is asked."""
    wiki.follow(community, *(invent(n) for n in (8, 9, 10)), day=2)

    assert community.run("new", "Quiet gates").out.startswith("KIP-8: Quiet gates")
    assert community.questions() == []


def test_an_invented_proposal_reaches_neither_index_nor_slack(community: Community, wiki: Wiki) -> None:
    """A stranger invents a proposal with a title that pings a channel and breaks out of a table.
    In a community that sends everything, no row, no next number and no message comes of it."""
    before = wiki.index
    wiki.follow(community, invent(8), invent(99_999), day=2)

    assert wiki.index == before
    assert "evil" not in json.dumps([effect.payload for effect in load_effects(community)])
    for form in ("markdown", "html", "confluence", "json"):
        assert "evil" not in community.run("index", "--format", form).out


def test_a_stranger_s_calls_for_votes_carry_no_title_into_a_channel(community: Community, wiki: Wiki) -> None:
    """A stranger calls a vote on an invented number and announces its result, so that the channel reports each step.
    The vote is shown on the board; the channel hears nothing."""
    call = Mail(name="c", by=STRANGER, day=1, body="+1 (binding)", subject=f"[VOTE] KIP-8: {HOSTILE}", answers="")
    end = Mail(
        name="e", by=STRANGER, day=5, body="It passes.", subject=f"[RESULT] [VOTE] KIP-8: {HOSTILE}", answers="c"
    )
    wiki.follow(community, call, end, day=6)

    assert community.stage(8) == "Vote"
    assert len(community.status(8)["votes"]) == 1
    assert [effect for effect in load_effects(community) if effect.number == 8] == []


def test_a_claimed_number_is_asked_about_when_somebody_known_writes_in_it(community: Community, wiki: Wiki) -> None:
    """A committer answers in a stranger's thread on a number without a page.
    Operators are asked whether it is a proposal's, in words that quote no mail, and the number is given to nobody."""
    answer = Mail(name="a", by=OSEI, day=2, body="What is this?", subject=f"Re: [DISCUSS] KIP-8: {HOSTILE}",
                  answers="made-up-8")  # fmt: skip
    wiki.follow(community, invent(8), answer, day=3)

    (question,) = community.questions()
    assert (question["proposal"], question["kind"]) == ("KIP-8", "claimed-number")
    assert "Kim Osei" in question["question"]
    assert question["settle"].splitlines()[0] == 'kipflow -C village review number 8 accept --reason "…"'
    (reported,) = [effect for effect in load_effects(community) if effect.number == 8]
    assert reported.payload["channel"] == "#ops"
    assert "evil" not in json.dumps(reported.payload)
    said = community.run("new", "Quiet gates")
    assert said.out.startswith("KIP-9: Quiet gates")
    assert "KIP-8 was passed over" in said.err


def test_a_name_alone_makes_nobody_known(community: Community, wiki: Wiki) -> None:
    """A stranger writes of an invented number under a committer's name.
    The address is not the committer's, so it stays a stranger's claim."""
    wiki.follow(community, invent(8, by="Kim Osei <kim@evil.example>"), day=2)

    assert [q for q in community.questions() if q["kind"] == "claimed-number"] == []
    assert community.run("new", "Quiet gates").out.startswith("KIP-8: Quiet gates")


def test_a_vote_on_a_claimed_number_waits_for_its_page_or_a_person(community: Community, wiki: Wiki) -> None:
    """Three committers carry a vote on a number of which nobody made a page: a typing error, or an invention.
    It is not accepted; one question shows both outcomes, and a ruling accepts the vote as it was."""
    wiki.follow(community, *vote_on(8), day=6)

    assert community.stage(8) == "Vote"
    (question,) = [q for q in community.questions() if q["kind"] == "claimed-number"]
    assert len(question["both_ways"]) == 2
    ruled = wiki.rule(community, 8, "accept", day=6.5)
    assert "KIP-8 is now: Accepted" in ruled.out
    assert community.questions() == []
    assert "KIP-8" in community.run("index").out


def test_a_page_makes_a_claimed_number_real_and_people_hear_of_it_then(community: Community, wiki: Wiki) -> None:
    """An author calls the vote before the page is there.
    It is held, and accepted, announced and listed as soon as the wiki has the page."""
    wiki.follow(community, *vote_on(8), day=6)
    assert {e.payload.get("channel") for e in load_effects(community) if e.number == 8} == {"#ops"}

    wiki.add("KIP-8: Tidy shelves")
    wiki.sync(community, day=6.2)
    assert community.stage(8) == "Accepted"
    reported = [e.payload["text"] for e in load_effects(community) if e.payload.get("channel") == "#proposals"]
    assert "KIP-8: Vote → Accepted" in reported
    assert "KIP-8: Tidy shelves" in wiki.index


def test_a_refused_number_leaves_the_lists_and_stays_stored(community: Community, wiki: Wiki) -> None:
    """A person refuses an invented number.
    It leaves every list and asks nothing more; its mail is still there for who asks for it by number."""
    wiki.follow(community, *vote_on(8), day=6)
    refused = wiki.rule(community, 8, "refuse", day=6.5)

    assert refused.code == 0
    assert [r["number"] for r in community.run("status", "--format", "json").json] == [7]
    assert community.questions() == []
    assert community.status(8)["claim"] == "refused"
    assert community.run("new", "Quiet gates").out.startswith("KIP-8: Quiet gates")
    again = wiki.rule(community, 8, "accept", day=6.6)
    assert again.code == 2
    assert "revoke that one first" in again.err


def test_a_number_beyond_the_highest_that_can_be_is_no_proposal(community: Community, wiki: Wiki) -> None:
    """A stranger names numbers with six digits and more, alone and beside a real one.
    They are no proposals, nor are their first digits."""
    beside = Mail(name="b", by=STRANGER, day=1, body="x", subject="[DISCUSS] KIP-7 and KIP-123456: both", answers="")
    wiki.follow(community, invent(100_000), invent(123_456, name="other"), beside, day=2)

    assert [r["number"] for r in community.run("status", "--format", "json").json] == [7]
    assert community.run("status", 12_345).code == 2
    assert community.run("status", 123_456).code == 2


def test_a_page_with_a_mistaken_number_is_asked_about_and_not_gone_on_from(community: Community, wiki: Wiki) -> None:
    """An author types KIP-99999 for KIP-8 in the title of a new page.
    It is asked about, `new` names it in one line and takes no number, and the index does not go on from it."""
    wiki.add("KIP-99999: Quiet doors")
    wiki.sync(community, day=1)

    (question,) = community.questions()
    assert (question["proposal"], question["kind"]) == ("KIP-99999", "claimed-number")
    said = community.run("new", "Quiet gates")
    assert (said.code, said.out) == (2, "")
    assert "KIP-99999 lies 99992 beyond KIP-7" in said.err
    assert "--number 8" in said.err
    assert community.run("new", "Quiet gates", "--number", 8).out.startswith("KIP-8: Quiet gates")
    assert "taken already" in community.run("new", "Quiet gates", "--number", 7).err
    assert "between 1 and 99999" in community.run("new", "Quiet gates", "--number", 100_000).err
    assert "Next KIP Number: 8" in community.run("index").out
    wiki.rule(community, 99_999, "refuse", day=2)
    assert community.questions() == []
    assert community.run("new", "Quiet gates").out.startswith("KIP-8: Quiet gates")


def test_the_last_number_that_can_be_is_the_last_that_is_given(community: Community, wiki: Wiki) -> None:
    """A person accepts the highest number that there can be.
    No number is left, and `new` says so instead of giving one that nobody could read."""
    wiki.add("KIP-99999: Quiet doors")
    wiki.sync(community, day=1)
    wiki.rule(community, 99_999, "accept", day=2)

    said = community.run("new", "Quiet gates")
    assert said.code == 2
    assert "no number is left" in said.err


def test_without_a_wiki_a_number_far_beyond_the_others_is_asked_about(community: Community) -> None:
    """A community without a wiki has its numbers from mail alone, and a stranger names KIP-99999.
    The next ones count as ever; this one is asked about, and no message goes out on it."""
    community.write_config(
        slack={"url": "http://127.0.0.1:9/api", "channel": "#proposals", "operators": "#ops"},
        effects={"mode": "send", "slack": "send", "index": "off"},
    )
    community.follow(*honest_vote().values(), invent(8, title="Quiet gates", name="next"), invent(99_999), day=6)

    assert community.stage() == "Accepted"
    assert {r["number"]: r["claim"] for r in community.run("status", "--format", "json").json} == {
        7: "",
        8: "",
        99_999: "claimed",
    }
    (question,) = community.questions()
    assert (question["proposal"], question["kind"]) == ("KIP-99999", "claimed-number")
    assert "evil" not in json.dumps([effect.payload for effect in load_effects(community)])


def test_a_wiki_that_was_never_read_makes_no_number_real(community: Community) -> None:
    """A community has a wiki, and its operator reads the mail and decides before anything of it was read.

    No number that only mail names is accepted: the commands that read the wiki, and the one that settles it, are shown.
    """
    community.write_config(wiki={"url": "http://127.0.0.1:9/confluence/rest/api", "index_page": INDEX})
    community.follow(*honest_vote().values(), day=6)

    assert community.stage() == "Vote"
    why = " ".join(community.status()["missing"])
    assert "the wiki was never read: run `kipflow sync` or `kipflow index import FILE`" in why
    assert community.questions() == [], "one line for all of them is enough"
    said = community.run("review", "number", 7, "accept", "--reason", "it has a page", "--as-of", "2026-03-08T10:00Z")
    assert "KIP-7 is now: Accepted" in said.out


def test_nobody_is_asked_about_an_acceptance_that_went_with_its_number(community: Community) -> None:
    """A number far beyond the others is accepted by a vote, and then a person refuses it.

    The refusal is the word on it: it leaves the lists, and whether the acceptance was right is no question.
    """
    far = [replace(m, subject=m.subject.replace("KIP-7", "KIP-99")) for m in honest_vote().values()]
    community.follow(invent(7, name="near"), *far, day=6)
    assert community.stage(99) == "Accepted"
    said = community.run("review", "number", 99, "refuse", "--reason", "invented", "--as-of", "2026-03-08T10:00Z")

    assert "KIP-99 leaves the lists" in said.out
    assert "is now" not in said.out
    assert community.questions() == []


def load_effects(community: Community) -> list[Any]:
    """The whole outbox."""
    parts = connect(read_settings())
    try:
        return list(parts.store.effects(status="", limit=500).rows)
    finally:
        parts.store.close()


@pytest.mark.parametrize(
    ("shown", "read"),
    [
        *(("KIP-7\u200b8", 7), ("KIP-7\u034f8", 7), ("KIP-7\u041e", 7), ("KIP-7\u00b2", 7), ("KIP-\u202e21\u202c", 21)),
        *(("KIP-7\u200b8: After KIP-21", 21), ("KIP-\u202e21\u202c: After KIP-9", 9), ("KIP-7\U0001d7d7", 7)),
        *(("KIP-\u0667", 7), ("KIP-7\u3147", 7), ("\u041aIP-21: After KIP-9", 9)),
    ],
    ids=[
        *("zero-width", "joiner", "letter", "superscript", "turned", "zero-width first", "turned first"),
        *("another script's 9", "another script's 7", "jamo", "prefix of another script"),
    ],
)
def test_no_vote_counts_for_another_number_than_its_readers_see(community: Community, shown: str, read: int) -> None:
    """A subject shows one number and holds another, by characters that nobody sees or that look like digits.

    Such a subject names no number: the votes under it carry neither proposal.
    """
    mails = {name: replace(m, subject=m.subject.replace("KIP-7", shown)) for name, m in honest_vote().items()}
    talk = Mail(name="talk", by=OSEI, day=0.1, body="What of it?", subject=f"[DISCUSS] KIP-{read}: Dusting", answers="")
    community.follow(talk, *mails.values(), day=6)

    assert community.stage(read) == "Discussion"
