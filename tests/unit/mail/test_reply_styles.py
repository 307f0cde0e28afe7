"""However a program quotes the mail that it answers, no word of that mail is the answerer's."""

from __future__ import annotations

import html
import itertools
import json
from pathlib import Path

import pytest

from kipflow.domain.votes import Standing
from tests.unit.mail.onemail import read_one

pytestmark = pytest.mark.usefixtures("same_words_read_once")

DATA = Path(__file__).resolve().parents[2] / "data" / "words" / "reply_styles.json"
STYLES: dict[str, dict[str, str]] = json.loads(DATA.read_text(encoding="utf-8"))
HEAD = (
    "From: Ola Berg <ola@berg.example>\nSubject: Re: [VOTE] KIP-7: Shorter names\nIn-Reply-To: <root@mail.example>\n"
    "Date: Tue, 3 Mar 2026 10:00:00 +0000\nMessage-ID: <r@mail.example>\nContent-Type: text/{kind}; charset=utf-8\n\n"
)
OWN = {
    "+1": "+1",
    "+1 (binding)\n\nOla": "+1",
    "-1 (non-binding), for these reasons:\n\n1. It renames too much.\n2. Docs: none yet.": "-1",
    "What happens at 10:00 UTC on 2026-03-04?\nOla": None,
    "LGTM, +1 from my side.\nSee https://x.example/a?b=1": "+1",
}
QUOTED = (
    "-0 (binding), no.\n\nJun",
    "Hi,\n\nI vote:\n+1 (binding)\n\nOn Mon, Mar 2, 2026 at 8:00 AM Mara Lind <mara@lind.example> wrote:\n\n> [ ] +1\n",
)


def read(body: str, kind: str) -> tuple[str, str | None]:
    """The own words, evened out, and the vote."""
    message = read_one(HEAD.format(kind=kind) + body, list_id="dev@commons.example")
    vote = None
    for expression in message.expressions:
        vote = "review" if expression.standing is not Standing.CLEAR else expression.choice
    return " ".join(message.own_text.split()), vote


def marked(text: str) -> str:
    return "\n".join(f"> {line}" for line in text.split("\n"))


def as_lines(text: str) -> str:
    return "".join(f"<div>{html.escape(line) or '<br>'}</div>" for line in text.split("\n"))


@pytest.mark.parametrize("name", STYLES["attributions"])
def test_a_marked_quote_below_an_attribution(name: str) -> None:
    attribution = STYLES["attributions"][name]
    for (own, vote), quoted in itertools.product(OWN.items(), QUOTED):
        expected = (" ".join(own.split()), vote)
        assert read(f"{own}\n\n{attribution}\n\n{marked(quoted)}\n", "plain") == expected
        assert read(f"{own}\n{attribution}\n{marked(quoted)}\n", "plain") == expected
        assert read(f"{attribution}\n{marked(quoted)}\n\n{own}\n", "plain") == expected


@pytest.mark.parametrize("name", STYLES["blocks"])
def test_a_quote_without_marks(name: str) -> None:
    block = STYLES["blocks"][name]
    for (own, vote), quoted in itertools.product(OWN.items(), QUOTED):
        expected = (" ".join(own.split()), vote)
        assert read(f"{own}\n\n{block}\n\n{quoted}\n", "plain") == expected
        assert read(f"{own}\n{block}\n{quoted}\n", "plain") == expected
        assert read(as_lines(f"{own}\n\n{block}\n\n{quoted}\n"), "html") == expected


@pytest.mark.parametrize("name", STYLES["html"])
def test_a_quote_in_html(name: str) -> None:
    template = STYLES["html"][name]
    for (own, vote), quoted in itertools.product(OWN.items(), QUOTED):
        body = template.replace("{own}", as_lines(own)).replace("{quoted}", as_lines(quoted))
        assert read(body, "html") == (" ".join(own.split()), vote)
