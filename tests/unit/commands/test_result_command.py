"""`kipflow result`: the draft as text or as a mail file, and what an announcement got wrong."""

from __future__ import annotations

from contextlib import nullcontext
from dataclasses import replace
from types import SimpleNamespace

import pytest

from kipflow.cli import run
from kipflow.services.board import ProposalView
from tests.unit.commands.conftest import Cli
from tests.unit.services.test_result_mail import DECLARED, NOW, OPENED, passed


def give(monkeypatch: pytest.MonkeyPatch, view: ProposalView) -> None:
    mail = SimpleNamespace(find_references=lambda _message_id: ("<talk@x.example>",))
    store = SimpleNamespace(proposal=lambda _number, _as_of: view, read=lambda: nullcontext(SimpleNamespace(mail=mail)))
    parts = SimpleNamespace(store=store, community=SimpleNamespace(prefix="KIP"))
    monkeypatch.setattr("kipflow.commands.publishing.open_parts", lambda: parts)


THREAD = b"In-Reply-To: <root@x.example>\r\nReferences: <talk@x.example>\r\n <root@x.example>\r\nFrom: Kim Osei"


def announced(*differences: str) -> ProposalView:
    view = passed()
    state = view.votes[0]
    vote = replace(state.vote, declared=DECLARED)
    return replace(view, votes=(replace(state, vote=vote, differences=differences),))


def test_it_prints_the_draft(monkeypatch: pytest.MonkeyPatch, cli: Cli) -> None:
    give(monkeypatch, passed())
    shown = cli("result", "KIP-7", "--as-of", NOW.isoformat()).out
    assert "Subject: [RESULT] [VOTE] KIP-7: Names\n" in shown
    assert "The vote on KIP-7 has passed." in shown


@pytest.mark.parametrize(
    ("form", "begins"),
    [
        ("--eml", THREAD),
        ("--mbox", b"From kipflow "),
    ],
)
def test_it_writes_a_mail_file(
    monkeypatch: pytest.MonkeyPatch, capfdbinary: pytest.CaptureFixture[bytes], form: str, begins: bytes
) -> None:
    give(monkeypatch, passed())
    assert run(["result", "7", form, "--as-of", NOW.isoformat()]) == 0
    assert capfdbinary.readouterr().out.startswith(begins)


@pytest.mark.parametrize(("differences", "code"), [((), 0), (("it says 4 binding +1, counted are 3",), 1)])
def test_of_an_announced_result_it_prints_what_differs(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], differences: tuple[str, ...], code: int
) -> None:
    give(monkeypatch, announced(*differences))
    assert run(["result", "7", "--as-of", NOW.isoformat()]) == code
    shown = capsys.readouterr().out
    assert "announced by Kim" in shown
    assert "Subject:" not in shown
    assert all(line in shown for line in differences)


def test_an_announcement_of_unknown_date_is_shown_without_one(monkeypatch: pytest.MonkeyPatch, cli: Cli) -> None:
    view = announced()
    [state] = view.votes
    undated = replace(state, vote=replace(state.vote, declared=replace(DECLARED, announced_at=None)))
    give(monkeypatch, replace(view, votes=(undated,)))
    assert "KIP-7: announced by Kim: passed" in cli("result", "7", "--as-of", NOW.isoformat()).out


def test_a_running_vote_has_no_draft(monkeypatch: pytest.MonkeyPatch, cli: Cli) -> None:
    give(monkeypatch, passed())
    assert "closes no earlier than 2026-03-04" in cli("result", "7", "--as-of", OPENED.isoformat(), code=2).err
