"""Who wrote it: a name binds nobody, and what a stranger sends opens questions and decides nothing."""

from __future__ import annotations

import shlex
from typing import Any

import pytest

from tests.adversary.conftest import (
    BERG,
    DAY,
    LIND,
    LIST,
    MONDAY,
    OSEI,
    PETIT,
    RECEIVER,
    ROSTER,
    VOTE,
    Community,
    Mail,
    Said,
    honest_vote,
)

EVIL = "evil.example"


def forge(person: str, stem: str, day: float, words: str, **more: Any) -> Mail:
    """A mail under somebody's name from an address of the attacker's."""
    name = person.partition(" <")[0]
    return Mail(name=stem, by=f"{name} <{stem}@{EVIL}>", day=day, body=words, **more)


def day(number: float) -> str:
    """A day of the story as the commands read it."""
    return (MONDAY + number * DAY).isoformat()


def find_ballots(vote: dict[str, Any]) -> dict[str, dict[str, Any]]:
    """The ballots by the name of their mails."""
    return {ballot["message_id"].strip("<>").partition("@")[0]: ballot for ballot in vote["ballots"]}


def test_three_forged_names_accept_nothing(community: Community) -> None:
    """Somebody votes +1 three times, each time under a committer's name from an address of their own. The vote stays
    open, and each of the three is asked about."""
    mails = honest_vote()
    forged = [forge(who, f"f{i}", 1.2 + i / 10, "+1 (binding)") for i, who in enumerate((LIND, OSEI, BERG))]
    sent_mails = [mails["vote"], *forged, mails["result"]]

    [vote] = community.read_file(*sent_mails, as_of=6)["votes"]
    assert vote["tally"]["binding"] == vote["tally"]["non_binding"] == {"+1": 0, "0": 0, "-1": 0}
    assert [(b["status"], b["known_by"], b["binding"]) for b in vote["ballots"]] == [("review", "name", False)] * 3
    assert {d["kind"] for d in vote["doubts"]} == {"sender"}
    assert vote["outcome"] != "passed"

    community.follow(*sent_mails, day=6)
    assert community.stage() == "Vote"
    asked = [q for q in community.questions() if q["kind"] == "sender"]
    assert len(asked) == 3
    assert all(q["both_ways"] and "is this" in q["question"] for q in asked)
    assert asked[0]["settle"].startswith("kipflow -C village review sender ")


def test_forged_later_votes_replace_nothing(community: Community) -> None:
    """Somebody sends a -1 under the names of two who voted +1, later than their votes. Both votes stand, and the
    acceptance waits until somebody says who wrote."""
    mails = honest_vote()
    forged = [forge(OSEI, "f1", 2.1, "-1 (binding)"), forge(BERG, "f2", 2.2, "I take my vote back.\n\n-1")]
    community.follow(*mails.values(), *forged, day=6)

    vote = community.status()["votes"][0]
    assert vote["tally"]["binding"] == {"+1": 3, "0": 0, "-1": 0}
    assert {name: b["status"] for name, b in find_ballots(vote).items()} == {
        **dict.fromkeys(("one", "two", "three"), "counted"),
        **dict.fromkeys(("f1", "f2"), "review"),
    }
    assert community.stage() == "Vote"
    for question in [q for q in community.questions() if q["kind"] == "sender"]:
        address, person = shlex.split(question["settle"].splitlines()[1])[5:7]
        assert community.run("review", "split", address, person, "--reason", "asked them", "--as-of", day(7)).code == 0
    community.follow(day=8)
    assert community.stage() == "Accepted"


def test_a_reply_to_makes_nobody_somebody_else(community: Community) -> None:
    """Somebody without a vote writes by way of the list and sets Reply-To to a committer's address. The vote is
    nobody's until it is asked whose it is, unless the name is that committer's too."""
    mails = honest_vote()
    borrowed, own = (
        Mail(
            name=stem,
            by=f"{name} via dev <dev@village.example>",
            day=2.2,
            body="-1 (binding)",
            headers=f"Reply-To: {OSEI.partition('<')[2].rstrip('>')}\n",
        )
        for stem, name in (("borrowed", "Tom Fisk"), ("own", "Kim Osei"))
    )
    elsewhere = Mail(
        name="elsewhere",
        by=f"Kim Osei via dev <{EVIL}@{EVIL}>",
        day=2.2,
        body="-1 (binding)",
        headers="Reply-To: kosei@village.example\n",
    )

    for mail in (borrowed, elsewhere):
        [vote] = community.read_file(*mails.values(), mail, as_of=6)["votes"]
        assert vote["tally"]["binding"] == {"+1": 3, "0": 0, "-1": 0}
        assert find_ballots(vote)[mail.name]["status"] == "review"
        assert vote["outcome"] == "passing"
    [vote] = community.read_file(*mails.values(), own, as_of=6)["votes"]
    assert vote["tally"]["binding"] == {"+1": 2, "0": 0, "-1": 1}
    assert find_ballots(vote)["own"]["known_by"] == "recovered"


def test_a_forged_address_that_the_receiving_host_saw_through_counts_for_nobody(community: Community) -> None:
    """Somebody forges a committer's very address, and the receiving host records that it is not authentic. The vote
    counts for nobody and replaces nothing; only a word on that one mail could give it to the committer."""
    community.write_config(archive={"receivers": [RECEIVER]})
    community.receive(*honest_vote().values())
    forged = Mail(name="forged", by=OSEI, day=2.4, body="-1 (binding)").render()
    envelope, _, rest = forged.partition(b"\n")
    found = f"Authentication-Results: {RECEIVER}; dmarc=fail header.from=village.example\n".encode()
    community.archive.mails[LIST, "2026-03"].append(envelope + b"\n" + found + rest)
    community.follow(day=6)

    vote = community.status()["votes"][0]
    assert vote["tally"]["binding"] == {"+1": 3, "0": 0, "-1": 0}
    assert find_ballots(vote)["forged"]["status"] == "review"
    [asked] = [q for q in community.questions() if q["kind"] == "sender"]
    assert "which the receiving host found not to be authentic: is this Kim Osei?" in asked["question"]
    assert asked["settle"].startswith("kipflow -C village review sender '<forged@m.example>' kosei --reason ")
    [ballot] = asked["ballots"]
    assert (ballot["message_id"], ballot["line"]) == ("<forged@m.example>", asked["line"])
    assert ballot["authentication"] == "the receiving host found the sender's domain not authentic"
    assert ballot["source"]
    assert rule(community, "split", "<forged@m.example>", "kosei", day=7).code == 0
    community.follow(day=8)
    assert community.stage() == "Accepted"


def test_a_flood_of_lookalikes_hides_no_forged_vote(community: Community) -> None:
    """Somebody writes from three hundred addresses under a committer's name, to bury one vote among them. The vote
    says that there are more than can be listed, and waits."""
    mails = honest_vote()
    flood = [forge(OSEI, f"f{i}", 1.5 + i / 1000, "-1 (binding)") for i in range(300)]
    community.follow(*mails.values(), *flood, day=6)

    assert community.stage() == "Vote"
    [crowd] = [q for q in community.questions() if q["kind"] == "crowd"]
    assert crowd["question"].startswith("more than 200 senders may be people whose votes bind")


def test_a_ruling_gives_an_address_from_its_day_on(community: Community) -> None:
    """A committer votes from a new address, and it is asked whether it is they. A ruling makes the address theirs
    from a day on; what it sent before that day stays in question."""
    mails = honest_vote()
    del mails["three"]
    early, late = (
        Mail(name=name, by="Rune Berg <rune@home.example>", day=at, body="+1 (binding)")
        for name, at in (("early", 1.5), ("late", 2.5))
    )
    community.follow(*mails.values(), early, late, day=6)
    assert community.stage() == "Vote"

    said = community.run(
        "review", "sender", "rune@home.example", "rberg", "--since", day(2), "--reason", "asked him", "--as-of", day(7)
    )
    assert said.code == 0, said.err
    community.follow(day=8)
    status = community.status()
    assert status["stage"] == "Accepted"
    ballots = find_ballots(status["votes"][0])
    assert (ballots["early"]["status"], ballots["early"]["voter"]) == ("review", "rune@home.example")
    assert (ballots["late"]["status"], ballots["late"]["binding"], ballots["late"]["voter"]) == (
        "counted",
        True,
        "rberg",
    )
    assert status["history"][-1]["at"].startswith(day(7)[:10]), "accepted when it was ruled, not before"


# -- ends and beginnings -----------------------------------------------------------------------------
@pytest.mark.parametrize(("answer", "stage"), [("accept", "Accepted"), ("refuse", "Discussion")])
def test_a_result_after_calling_off_is_asked_about(community: Community, answer: str, stage: str) -> None:
    """The caller calls the vote off, and announces its result nonetheless. A person says which holds."""
    mails = honest_vote()
    off = Mail(name="off", by=LIND, day=3, body="I cancel this vote, I found a bug.")
    community.follow(*mails.values(), off, day=6)

    assert community.stage() == "Discussion"
    [asked] = [q for q in community.questions() if q["kind"] == "ending"]
    assert "was called off before" in asked["question"]
    assert rule(community, "ending", 7, "<result@m.example>", answer, day=7).code == 0
    community.follow(day=8)
    assert community.stage() == stage
    assert community.questions() == []


def test_a_forged_result_closes_nothing(community: Community) -> None:
    """Somebody announces a result under the caller's name from an address of their own. The vote is not closed, and
    it is asked whether the word is the caller's."""
    mails = honest_vote()
    genuine = mails.pop("result")
    forged = forge(LIND, "forged", 5, genuine.body, subject=genuine.subject)

    [vote] = community.read_file(*mails.values(), forged, as_of=6)["votes"]
    assert vote["declared"] is None
    assert [(e["kind"], e["message_id"]) for e in vote["claimed_ends"]] == [("closed", "<forged@m.example>")]

    community.follow(*mails.values(), forged, day=6)
    assert community.stage() == "Vote"
    [asked] = [q for q in community.questions() if q["kind"] == "ending"]
    assert asked["both_ways"] == [
        "if accepted: the vote is closed and passes with +3 -0; the proposal is Accepted",
        "if refused: the vote stays open, and this mail counts for nothing",
    ]
    assert asked["settle"].splitlines() == [
        f"""kipflow -C village review ending 7 '<forged@m.example>' {answer} --reason "…\""""
        for answer in ("accept", "refuse")
    ]
    assert rule(community, "ending", 7, "<forged@m.example>", "refuse", day=7).code == 0
    community.follow(genuine, day=8)
    assert community.stage() == "Accepted"
    assert community.questions() == []


def test_a_result_from_the_callers_other_address_is_accepted_by_a_ruling(community: Community) -> None:
    """The caller announces the result from a mailbox that nobody knows. It waits for a ruling that gives the address
    to the caller, and closes the vote then."""
    mails = honest_vote()
    mails["result"] = forge(LIND, "result", 5, mails["result"].body, subject=mails["result"].subject)
    community.follow(*mails.values(), day=6)
    assert community.stage() == "Vote"

    assert rule(community, "sender", f"result@{EVIL}", "mlind", day=7).code == 0
    community.follow(day=8)
    status = community.status()
    assert status["stage"] == "Accepted"
    assert status["history"][-1]["at"].startswith(day(7)[:10])


def test_a_forged_cancellation_calls_nothing_off(community: Community) -> None:
    """Somebody calls the vote off under the caller's name. Nothing is called off, the acceptance waits, and a person
    refuses or accepts it."""
    mails = honest_vote()
    forged = forge(LIND, "forged", 2.5, "I am cancelling this vote.", subject=f"[CANCELLED] {VOTE}")
    community.follow(*mails.values(), forged, day=6)
    assert community.stage() == "Vote"
    [asked] = [q for q in community.questions() if q["kind"] == "ending"]
    assert asked["both_ways"] == [
        "if accepted: it is called off, and its ballots count for nothing",
        "if refused: it passes with +3 -0",
    ]

    assert rule(community, "ending", 7, "<forged@m.example>", "refuse", day=7).code == 0
    community.follow(day=8)
    assert community.stage() == "Accepted"


def test_a_strangers_cancellation_delays_nothing(community: Community) -> None:
    """Somebody with no part in it calls the vote off under a name of their own. It is shown and asked about, and
    holds up nothing."""
    mails = honest_vote()
    stranger = Mail(name="x", by="Tom Fisk <tom@x.example>", day=2.5, body="This vote is cancelled.")
    community.follow(*mails.values(), stranger, day=6)

    status = community.status()
    assert status["stage"] == "Accepted"
    assert [e["message_id"] for e in status["votes"][0]["claimed_ends"]] == ["<x@m.example>"]


def test_a_strangers_round_replaces_nothing(community: Community) -> None:
    """Somebody calls the vote anew after three +1, to have them thrown away. The first round goes on with its
    ballots, those in the other one are shown there, and it is asked which of them stands."""
    mails = honest_vote()
    second = Mail(
        name="second", by="Tom Fisk <tom@x.example>", day=2.2, body="I call a vote.", subject=VOTE, answers=""
    )
    into = Mail(name="four", by="Ana Petit <apetit@village.example>", day=2.4, body="+1", answers="second")
    loose = Mail(name="loose", by="Tess Ek <tess@x.example>", day=2.5, body="+1", answers="")
    community.follow(*mails.values(), second, into, loose, day=6)

    status = community.status()
    assert status["stage"] == "Accepted"
    first, other = status["votes"]
    assert set(find_ballots(first)) == {"one", "two", "three", "loose"}
    assert first["declared"]["outcome"] == "passed"
    assert list(find_ballots(other)) == ["four"]
    assert other["contested"]["message_id"] == "<second@m.example>"
    [asked] = [q for q in community.questions() if q["kind"] == "ending"]
    assert asked["both_ways"][1] == "if refused: the other one goes on"
    assert rule(community, "ending", 7, "<second@m.example>", "refuse", day=7).code == 0
    assert community.questions() == []


def test_a_round_called_anew_by_somebody_who_turns_out_to_be_entitled_takes_over(community: Community) -> None:
    """A committer calls the vote anew from a mailbox that nobody knows. A ruling gives them the address, and the new
    round takes the first one's place from then on."""
    mails = honest_vote()
    second = Mail(
        name="second", by="Kim Osei <kim@home.example>", day=2.2, body="I call the vote anew.", subject=VOTE, answers=""
    )
    ballots = [Mail(name=f"b{i}", by=who, day=2.5, body="+1", answers="second") for i, who in enumerate((LIND, BERG))]
    community.follow(mails["vote"], mails["one"], mails["two"], second, *ballots, day=6)
    assert [v["outcome"] for v in community.status()["votes"]] != ["passed", "passed"]
    assert {q["kind"] for q in community.questions()} == {"ending"}

    assert rule(community, "sender", "kim@home.example", "kosei", day=7).code == 0
    status = community.status()
    assert [v["ended_how"] for v in status["votes"]] == ["replaced", None]
    assert status["stage"] == "Vote"


def test_a_forged_result_makes_no_reminder_a_new_round(community: Community) -> None:
    """Somebody announces a result, so that the caller's reminder under the vote's subject would count as a new round.
    The reminder stays a reminder, and the ballots stay."""
    mails = honest_vote()
    forged = Mail(name="x", by="Tom Fisk <tom@x.example>", day=1.5, body="The vote passes.", subject=f"[RESULT] {VOTE}")
    bump = Mail(name="bump", by=LIND, day=1.8, body="A kind reminder.", subject=VOTE, answers="")
    community.follow(*mails.values(), forged, bump, day=6)

    assert len(community.status()["votes"]) == 1
    assert community.stage() == "Accepted"


def rule(community: Community, *words: object, day: float) -> Said:
    """A person's ruling on that day of the story."""
    at = (MONDAY + day * DAY).isoformat()
    return community.run("review", *words, "--reason", "asked them", "--as-of", at)


# -- the roster --------------------------------------------------------------------------------------
def test_a_typing_error_in_a_role_is_refused(community: Community) -> None:
    """An operator writes `commiter` in the roster, which would take a committer's veto away without a word. Every
    command refuses the file in one line that names the person and the role that was meant."""
    people = [*ROSTER["people"][:2], {**ROSTER["people"][2], "roles": [{"role": "commiter"}]}]
    community.write_config(roster={**ROSTER, "people": people})
    said = community.run("review")
    assert said.code == 2
    [line] = said.err.strip().splitlines()
    assert "people.2.roles.0.role: expected for Rune Berg one of pmc, committer," in line
    assert line.endswith("got 'commiter': did you mean committer?")


def test_all_addresses_of_a_domain_are_accepted_in_one_command(community: Community) -> None:
    """A roster without its people's addresses asks about every vote of a first run. One command lists them with what
    speaks for each and accepts those of a domain; somebody from elsewhere stays in question."""
    people = [{**p, "emails": [f"{p['id']}@old.example"]} for p in ROSTER["people"]]
    community.write_config(roster={**ROSTER, "people": people})
    forged = forge(OSEI, "forged", 2.4, "-1")
    community.follow(*honest_vote().values(), forged, day=6)
    assert community.stage() == "Vote"

    listed = community.run("review", "senders", "--format", "json")
    assert listed.code == 1
    rows = {row["sender"]: row for row in listed.json}
    assert set(rows) == {f"{who}@village.example" for who in ("mlind", "kosei", "rberg")} | {f"forged@{EVIL}"}
    assert (rows["mlind@village.example"]["mails"], rows["mlind@village.example"]["may_be"]) == (3, "Mara Lind (mlind)")
    assert community.run("review", "senders", "--format", "csv").out.count("\n") == 5

    done = community.run("review", "senders", "--domain", "village.example", "--reason", "ours", "--as-of", day(7))
    assert done.code == 0, done.err
    assert "3 of 4 accepted" in done.out
    community.follow(day=8)
    status = community.status()
    assert status["votes"][0]["tally"]["binding"] == {"+1": 3, "0": 0, "-1": 0}
    assert status["stage"] == "Vote"
    [left] = community.run("review", "senders", "--format", "json").json
    assert left["sender"] == f"forged@{EVIL}"
    assert community.run("review", "senders", "--accept", "2", "--reason", "x").code == 2
    assert rule(community, "split", f"forged@{EVIL}", "kosei", day=9).code == 0
    community.follow(day=10)
    assert community.stage() == "Accepted"


def test_a_from_with_several_addresses_is_nobodys(community: Community) -> None:
    """Somebody writes a committer's address beside their own: in a comment, a group's name, a second From or mailbox.
    The mail is nobody's; where it may be the committer's it is asked, with every address that it shows."""
    mails, address = honest_vote(), "kosei@village.example"
    odd = {
        "comment": f"m@{EVIL} (<{address}>)",
        "double": f"Tom Fisk <m@{EVIL}> <{address}>",
        "group": f'"Kim Osei <{address}>": m@{EVIL};',
        "several": f"Kim Osei <{address}>, Tom Fisk <m@{EVIL}>",
        "twice": f"Kim Osei <{address}>\nFrom: Tom Fisk <m@{EVIL}>",
    }
    for name, by in odd.items():
        forged = Mail(name=name, by=by, day=2.2, body="-1 (binding)")
        [vote] = community.read_file(*mails.values(), forged, as_of=6)["votes"]
        assert vote["tally"]["binding"] == {"+1": 3, "0": 0, "-1": 0}, name
        assert (find_ballots(vote)[name]["binding"], find_ballots(vote)[name]["address"]) != (True, address)
        assert vote["outcome"] == "passing", name

    off = Mail(name="off", by=f"m@{EVIL} (<mlind@village.example>)", day=2.3, body="I cancel it.", subject=CANCEL)
    community.follow(*mails.values(), off, Mail(name="group", by=odd["group"], day=2.2, body="-1 (binding)"), day=6)
    assert community.stage() == "Vote"
    [asked] = [q for q in community.questions() if q["kind"] == "sender"]
    assert f"({address}, m@{EVIL}): is this Kim Osei?" in asked["question"]
    assert rule(community, "split", "<group@m.example>", "kosei", day=7).code == 0
    assert rule(community, "ending", 7, "<off@m.example>", "refuse", day=7).code == 0
    community.follow(day=8)
    assert community.stage() == "Accepted"


CANCEL = "[CANCEL] " + VOTE


def test_a_from_that_the_receiving_host_read_otherwise_counts_for_nobody(community: Community) -> None:
    """Somebody's own domain passes every check of the receiving host, and kipflow reads a committer's address. The
    vote counts for nobody, and it is asked whose it is."""
    community.write_config(archive={"receivers": [RECEIVER]})
    community.receive(*honest_vote().values())
    for name, by in (("plain", OSEI), ("via", f"Kim Osei via dev <{LIST}>")):
        mail = Mail(name=name, by=by, day=2.4, body="-1 (binding)", headers=f"Reply-To: {OSEI}\n").render()
        found = f"dkim=pass header.d={EVIL}; dmarc=pass header.from={EVIL}"
        envelope, _, rest = mail.partition(b"\n")
        results = f"Authentication-Results: {RECEIVER}; {found}\n".encode()
        community.archive.mails[LIST, "2026-03"].append(envelope + b"\n" + results + rest)
    community.follow(day=6)

    vote = community.status()["votes"][0]
    assert vote["tally"]["binding"] == {"+1": 3, "0": 0, "-1": 0}
    assert not any(find_ballots(vote)[name]["binding"] for name in ("plain", "via"))
    assert community.stage() == "Vote"


def test_what_a_list_hid_must_agree_with_itself(community: Community) -> None:
    """Behind the list's address somebody gives a committer's address and their own, or a name that only looks like
    the committer's. The vote is nobody's and is asked about."""
    mails, by = honest_vote(), f"Kim Osei via dev <{LIST}>"
    both = Mail(
        name="both",
        by=by,
        day=2.2,
        body="-1 (binding)",
        headers=f"Reply-To: kosei@village.example\nCc: Kim Osei <k@{EVIL}>\n",
    )
    alike = Mail(
        name="alike",
        by=by.replace("Kim Osei", "Kim Os\u0435i"),
        day=2.2,
        body="-1 (binding)",
        headers="Reply-To: kosei@village.example\n",
    )
    for mail in (both, alike):
        [vote] = community.read_file(*mails.values(), mail, as_of=6)["votes"]
        assert vote["tally"]["binding"] == {"+1": 3, "0": 0, "-1": 0}
        assert find_ballots(vote)[mail.name]["status"] == "review"
        assert vote["outcome"] == "passing"


@pytest.mark.parametrize(
    ("by", "headers"),
    [
        (f"Kim Osei <kosei=40village.example@{EVIL}>", ""),
        (f"Kim Osei <t@{EVIL}>", f"List-Post: <mailto:t@{EVIL}>\nReply-To: Kim Osei <kosei@village.example>\n"),
        (f"Kim Osei via dev <t@{EVIL}>", f"List-Post: <mailto:t@{EVIL}>\nReply-To: kosei@village.example\n"),
        (f"Kim Osei via dev <kosei=village.example@{EVIL}>", "Reply-To: kosei@village.example\n"),
        (f"Kim Osei via dev <dev@lists.apache.org.{EVIL}>", "Reply-To: kosei@village.example\n"),
        (f"Kim Osei via dev <dev@lists.apache.org.{EVIL}>", "X-Original-From: Kim Osei <kosei@village.example>\n"),
    ],
)
def test_a_domain_of_ones_own_is_no_list(community: Community, by: str, headers: str) -> None:
    """From a domain of their own, which the receiving host vouches for, somebody writes as a list would that hides a
    committer's address. Only the configured list can have done that: the vote is nobody's, and is asked about."""
    community.write_config(archive={"receivers": [RECEIVER]})
    community.receive(*honest_vote().values())
    envelope, _, rest = Mail(name="own", by=by, day=2.2, body="-1 (binding)", headers=headers).render().partition(b"\n")
    host = by.rpartition("@")[2].rstrip(">")
    passed = f"Authentication-Results: {RECEIVER}; dkim=pass header.d={host}; dmarc=pass header.from={host}\n"
    community.archive.mails[LIST, "2026-03"].append(envelope + b"\n" + passed.encode() + rest)
    community.follow(day=6)

    vote = community.status()["votes"][0]
    assert vote["tally"]["binding"] == {"+1": 3, "0": 0, "-1": 0}
    ballot = find_ballots(vote)["own"]
    assert (ballot["status"], ballot["known_by"], ballot["binding"]) == ("review", "name", False)
    [asked] = [q for q in community.questions() if q["kind"] == "sender"]
    assert asked["question"].endswith("is this Kim Osei?")
    assert community.stage() == "Vote"


@pytest.mark.parametrize("host", ["...evil.example", "..."])
def test_a_masked_copy_sent_before_hides_no_vote(community: Community, host: str) -> None:
    """Before committers vote -1, somebody sends mails under the ids of theirs: without a name, from addresses that
    look masked, too long to be read whole. Each is another mail than the vote, and the votes count."""
    mails = honest_vote()
    against = [
        Mail(name=f"no{i}", by=who, day=2.1 + i / 10, body="-1 (binding)\n\nToo tidy.")
        for i, who in enumerate((PETIT, OSEI, BERG))
    ]
    names = ("apetit", "kosei", "rberg")
    before = [
        Mail(name=f"no{i}", by=f"{name}@{host}", day=0.5, body="x\n" * 7_000, answers="")
        for i, name in enumerate(names)
    ]
    community.follow(*before, day=0.8)
    community.follow(*mails.values(), *against, day=6)

    ballots = community.status()["votes"][0]["ballots"]
    assert {f"{name}@village.example" for name in names} <= {b["address"] for b in ballots if b["choice"] == "-1"}
    assert community.stage() != "Accepted"


@pytest.mark.parametrize("taken", ["chat", "thread", "number", "same subject", "own"])
def test_an_id_taken_before_hides_no_vote(community: Community, taken: str) -> None:
    """Somebody uses the Message-IDs of a vote's mails before these arrive: in another thread, in the vote's, under its
    number, under its very subject, or it is the voter's own client that repeats them. Every vote counts as if not."""
    subject, answers = {
        "chat": ("shelves", ""),
        "thread": ("Re: shelves", "vote"),
        "number": ("KIP-7 shelves", ""),
        "same subject": (f"Re: {VOTE}", "other"),
        "own": ("shelves", ""),
    }[taken]
    mails = honest_vote()
    thieves = [
        Mail(
            name=name,
            by=mails[name].by if taken == "own" else f"Tom Fisk <t@{EVIL}>",
            day=0.5,
            body="Which shelves do you mean?",
            subject=subject,
            answers=answers,
        )
        for name in ("vote", "one", "two", "three")
    ]

    for order in ([*thieves, *mails.values()], [*mails.values(), *thieves]):
        report = community.read_file(*order, as_of=6)
        found = [v for v in report["votes"] if v["key"] == "KIP-7"]
        assert [v["tally"]["binding"]["+1"] for v in found] == [3]
        assert found[0]["outcome"] == "passed"
        assert any("of another mail" in each["why"] for each in report["unreadable"])
    community.follow(*thieves, day=0.8)
    community.follow(*mails.values(), day=6)
    [vote] = community.status()["votes"]
    assert vote["tally"]["binding"] == {"+1": 3, "0": 0, "-1": 0}
    assert community.stage() == "Accepted"
