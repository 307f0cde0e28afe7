"""What a visitor can do as one of the community's people, over HTTP: what happens, and what is refused."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from email import message_from_bytes, policy
from email.message import EmailMessage
from html import unescape
from pathlib import Path

import pytest
from httpx import Response
from starlette.testclient import TestClient

from kipflow.domain.facts import Message
from kipflow.mail.messages import read_message
from kipflow.posted_forms import MAX_BODY
from tests.unit.sandbox.conftest import ANCHOR
from tests.unit.sandbox.test_sandbox_pages import is_balanced

HOSTILE = '<script>alert(1)</script>"><img src=x onerror=alert(1)> <!channel>'
MAIL = {"who": "bvogel", "subject": "[VOTE] KIP-101: Publish a compatibility table", "words": "Please vote."}
#: Every form, filled so that it is accepted.
FORMS = {
    "/mail": MAIL,
    "/wiki/2101/edit": {"who": "sgreene", "version": "2", "body": "<p>new</p>", "message": "rewritten"},
    "/tickets/SAND-1101": {"release": "3.4.0"},
    "/slack": {"who": "amaro", "channel": "#proposals", "text": "Hello there"},
    "/step": {"advance": "1 hour"},
}


def send(client: TestClient, **changes: str) -> str:
    """Send a mail; gives the id by which the archive knows it."""
    answer = client.post("/mail", data={**MAIL, **changes}, follow_redirects=False)
    assert answer.status_code == 303, answer.text
    return str(answer.headers["location"]).rpartition("#")[2]


def source_of(client: TestClient, mail: str) -> EmailMessage:
    return message_from_bytes(raw_source_of(client, mail), policy=policy.default)


def raw_source_of(client: TestClient, mail: str) -> bytes:
    return bytes(client.get("/api/source.lua", params={"id": mail}).content)


def snapshot(client: TestClient) -> list[str]:
    """All that a form can change."""
    paths = ("/list", "/wiki/2101", "/jira/rest/api/2/issue/SAND-1101", "/slack", "/clock")
    return [client.get(path).text for path in paths]


# -- mail ------------------------------------------------------------------------------------------


def test_a_visitor_calls_a_vote_and_others_answer_it_in_one_thread(client: TestClient) -> None:
    call = send(client)
    ballot = send(client, who="amaro", subject="Re: [VOTE] KIP-101", words="+1 (binding)", answers=call)
    assert re.findall(r'class="mail" id="(\w+)"', client.get(f"/thread/{ballot}").text) == [call, ballot]
    mail = source_of(client, ballot)
    assert mail["From"] == "Ines Amaro <amaro@sandbox.example>"
    assert mail["In-Reply-To"] == source_of(client, call)["Message-ID"]
    assert mail.get_content().splitlines()[0] == "+1 (binding)"


def test_a_visitors_mail_is_in_the_month_that_kipflow_reads(client: TestClient) -> None:
    month = {"list": "dev", "domain": "sandbox.example", "d": f"{ANCHOR:%Y-%m}"}
    before = client.get("/api/mbox.lua", params=month)
    send(client, words="A sentence that stands nowhere else.")
    after = client.get("/api/mbox.lua", params=month)
    assert b"stands nowhere else" in after.content
    assert after.headers["etag"] != before.headers["etag"]


def test_the_same_words_sent_twice_are_two_mails(client: TestClient) -> None:
    assert send(client) != send(client)


def test_forms_are_filled_with_what_their_links_are_about(client: TestClient) -> None:
    vote = client.get("/write", params={"kind": "vote", "page": "2101"}).text
    assert 'value="[VOTE] KIP-101 - Publish a compatibility table"' in vote
    assert '<option value="sgreene" selected>' in vote
    call = send(client, who="sgreene")
    result = client.get("/write", params={"kind": "result", "answers": call}).text
    assert 'value="[RESULT] [VOTE] KIP-101: Publish a compatibility table"' in result
    assert '<option value="sgreene" selected>' in result
    assert "+1 (binding)" in client.get("/write", params={"kind": "ballot", "answers": call}).text
    for wrong in ({"kind": "wish"}, {"kind": "ballot"}, {"kind": "answer", "answers": "none"}):
        assert client.get("/write", params=wrong).status_code == 404


def test_the_result_that_the_form_holds_can_be_sent_as_it_is_and_names_nobody_who_did_not_vote(
    client: TestClient,
) -> None:
    form = client.get("/write", params={"kind": "result", "answers": send(client)}).text
    found = re.search(r"<textarea[^>]*>\s*(.*?)</textarea>", form, re.DOTALL)
    assert found is not None
    sent = send(client, who="sgreene", subject="[RESULT] [VOTE] KIP-101", words=unescape(found[1]))
    mail = read_message(raw_source_of(client, sent), source="x", list_id="dev", month="2026-03", prefix="KIP")
    assert isinstance(mail, Message)
    assert mail.declared is not None
    assert (mail.declared.outcome, mail.declared.names) == ("passed", {})
    assert (mail.declared.binding or {}).get("+1") == 3


def test_no_word_of_a_visitor_becomes_a_header_or_another_mail(client: TestClient) -> None:
    words = "Hello\r\n\r\nFrom evil@x.example Wed Mar 18 10:00:00 2026\r\nSubject: [VOTE] forged\r\n\r\n+1"
    mail = source_of(client, send(client, subject="One\r\nBcc: all@x.example\nX-Evil: 1", words=words))
    assert mail["Subject"] == "One Bcc: all@x.example X-Evil: 1"
    assert mail["Bcc"] is None
    month = {"list": "dev", "domain": "sandbox.example", "d": f"{ANCHOR:%Y-%m}"}
    assert b"\n>From evil@x.example" in client.get("/api/mbox.lua", params=month).content


# -- wiki, tickets, Slack, time --------------------------------------------------------------------


def test_an_edit_is_the_pages_next_version_in_the_name_of_its_writer(client: TestClient) -> None:
    client.post("/wiki/2101/edit", data=FORMS["/wiki/2101/edit"])
    page = client.get("/confluence/rest/api/content/2101", params={"expand": "body.storage,version"}).json()
    assert page["body"]["storage"]["value"] == "<p>new</p>"
    version = page["version"]
    assert (version["number"], version["by"]["username"], version["message"]) == (3, "sgreene", "rewritten")


def test_who_saves_second_is_shown_so_and_keeps_the_own_text(client: TestClient) -> None:
    client.post("/wiki/2101/edit", data=FORMS["/wiki/2101/edit"])
    late = client.post("/wiki/2101/edit", data={**FORMS["/wiki/2101/edit"], "body": "<p>my work</p>"})
    assert late.status_code == 409
    assert "&lt;p&gt;my work&lt;/p&gt;" in late.text
    assert "<p>new</p>" in client.get("/wiki/2101").text


def test_a_resolved_ticket_is_resolved_for_jiras_readers_and_only_once(client: TestClient) -> None:
    client.post("/tickets/SAND-1101", data={"release": "3.4.0"})
    fields = client.get("/jira/rest/api/2/issue/SAND-1101").json()["fields"]
    assert fields["status"]["name"] == "Resolved"
    assert fields["fixVersions"] == [{"name": "3.4.0", "released": False}]
    assert client.post("/tickets/SAND-1101", data={"release": "3.5.0"}).status_code == 404


def test_a_person_posts_and_answers_in_slack_beside_kipflow(client: TestClient) -> None:
    token = {"Authorization": "Bearer xoxb-1"}
    first = client.post("/slack/api/chat.postMessage", json={"channel": "#proposals", "text": "news"}, headers=token)
    client.post("/slack", data={**FORMS["/slack"], "thread": first.json()["ts"], "text": "Thanks & <!here>"})
    asked = {"channel": "#proposals", "ts": first.json()["ts"]}
    replies = client.get("/slack/api/conversations.replies", params=asked, headers=token).json()["messages"]
    assert [(m["user"], m["text"]) for m in replies] == [
        ("U0KIPFLOW", "news"),
        ("U0AMARO", "Thanks &amp; &lt;!here&gt;"),
    ]
    assert "Ines Amaro" in client.get("/slack").text


def test_the_buttons_move_time_on_and_lead_back_to_the_page(client: TestClient) -> None:
    hour = client.post("/step", data={"advance": "1 hour", "back": "/list?about=KIP-93"}, follow_redirects=False)
    assert (hour.status_code, hour.headers["location"]) == (303, "/list?about=KIP-93")
    client.post("/step", data={"advance": "1 day"})
    assert client.get("/clock").json()["now"] == "2026-03-19T10:30:00.000Z"
    assert 'value="/list?about=KIP-93"' in client.get("/list", params={"about": "KIP-93"}).text


def test_watching_slack_loads_anew_and_shows_no_form_to_lose(client: TestClient) -> None:
    assert 'http-equiv="refresh"' not in client.get("/slack").text
    watched = client.get("/slack?watch=1").text
    assert 'http-equiv="refresh"' in watched
    assert 'action="/slack"' not in watched


# -- what is refused -------------------------------------------------------------------------------


@pytest.mark.parametrize("path", sorted(FORMS))
@pytest.mark.parametrize(
    "headers", [{"Sec-Fetch-Site": "cross-site"}, {"Origin": "https://evil.example"}, {"Origin": "null"}]
)
def test_a_form_of_another_site_changes_nothing(client: TestClient, path: str, headers: dict[str, str]) -> None:
    before = snapshot(client)
    answer = client.post(path, data=FORMS[path], headers=headers)
    assert answer.status_code == 403
    assert "another site" in answer.text
    assert snapshot(client) == before


@pytest.mark.parametrize("path", sorted(FORMS))
def test_the_same_form_of_this_site_changes_something_and_a_look_at_it_does_not(client: TestClient, path: str) -> None:
    before = snapshot(client)
    client.get(path, params=FORMS[path])
    assert snapshot(client) == before
    assert client.post(path, data=FORMS[path], headers={"Sec-Fetch-Site": "same-origin"}).status_code == 200
    assert snapshot(client) != before


@pytest.mark.parametrize(
    ("path", "changes", "status"),
    [
        ("/mail", {"who": "nobody"}, 422),
        ("/mail", {"words": ""}, 422),
        ("/mail", {"words": "x" * 20_001}, 422),
        ("/mail", {"subject": "x" * 301}, 422),
        ("/mail", {"answers": "no-such-mail"}, 404),
        ("/mail", {"words": "x" * MAX_BODY}, 413),
        ("/wiki/2101/edit", {"version": "soon"}, 422),
        ("/wiki/2105/edit", {}, 404),
        ("/wiki/none/edit", {}, 404),
        ("/tickets/SAND-1", {}, 404),
        ("/tickets/SAND-1101", {"release": "<b>"}, 422),
        ("/slack", {"channel": "#elsewhere"}, 404),
        ("/slack", {"thread": "1.2"}, 404),
        ("/step", {"advance": "-1 day"}, 422),
        ("/step", {"advance": "999999 days"}, 422),
        ("/step", {"back": "//evil.example/"}, 422),
        ("/step", {"back": "/\\evil.example/"}, 422),
        ("/step", {"back": "https://evil.example/"}, 422),
    ],
)
def test_a_form_that_makes_no_sense_is_refused_with_a_page(
    client: TestClient, path: str, changes: dict[str, str], status: int
) -> None:
    filled = FORMS.get(path, FORMS["/wiki/2101/edit" if "/wiki" in path else "/tickets/SAND-1101"])
    answer = client.post(path, data={**filled, **changes})
    assert answer.status_code == status
    assert "Nothing was changed" in answer.text
    assert is_balanced(answer.text)


def test_hostile_input_stays_text_on_every_page(client: TestClient) -> None:
    mail = send(client, subject=HOSTILE, words=HOSTILE)
    client.post("/slack", data={**FORMS["/slack"], "text": HOSTILE})
    client.post("/wiki/2101/edit", data={**FORMS["/wiki/2101/edit"], "body": HOSTILE, "message": HOSTILE})
    shown = [client.get(path) for path in (f"/thread/{mail}", "/list", "/slack", "/wiki/2101", "/wiki/2101/edit")]
    shown += [
        client.get("/write", params={"kind": "answer", "answers": mail}),
        client.get("/list", params={"about": HOSTILE}),
    ]
    shown.append(client.get("/slack", params={"a": HOSTILE}))
    assert all(map(is_harmless, shown))


def is_harmless(answer: Response) -> bool:
    assert answer.status_code == 200
    text = answer.text
    return is_balanced(text) and not any(bad in text for bad in ("<script", "<img", "<mark>", "onerror=alert(1)>"))


# -- restarts --------------------------------------------------------------------------------------


def test_what_visitors_wrote_resolved_and_posted_outlives_a_restart(
    make_client: Callable[..., TestClient], tmp_path: Path
) -> None:
    first = make_client(memory=tmp_path / "memory.json")
    for path, filled in FORMS.items():
        first.post(path, data=filled)
    mail = send(first, who="jsorensen", words="På gensyn")
    second = make_client(memory=tmp_path / "memory.json")
    assert snapshot(second)[:4] == snapshot(first)[:4]
    assert raw_source_of(second, mail) == raw_source_of(first, mail)
    assert send(second, who="jsorensen", words="På gensyn") != mail


def test_a_memory_from_before_there_were_forms_is_read(make_client: Callable[..., TestClient], tmp_path: Path) -> None:
    (tmp_path / "memory.json").write_text(json.dumps({"pages": {}, "posts": [], "now": ANCHOR.isoformat()}))
    assert make_client(memory=tmp_path / "memory.json").get("/").status_code == 200
