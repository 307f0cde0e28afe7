"""What people read in Slack: hostile text stays text, and limits hold."""

from __future__ import annotations

from datetime import UTC, datetime

from hypothesis import given
from hypothesis import strategies as st

from kipflow.domain.decisions import Decision, ReviewItem
from kipflow.domain.events import Actor, Evidence, Stage, Transition
from kipflow.domain.facts import SilenceWarning
from kipflow.services.slack_messages import SECTION_LIMIT, escape, render_review, render_transition, render_warning
from kipflow.services.wording import read_text

NOON = datetime(2026, 3, 2, 12, tzinfo=UTC)


WARNED = SilenceWarning(
    quiet_since=NOON,
    silent_at=NOON,
    as_of=NOON,
    warned_at=NOON,
    due_at=datetime(2026, 3, 16, 12, tzinfo=UTC),
    recorded_at=NOON,
)


def transition(line: str, url: str = "") -> Transition:
    return Transition(
        number=7,
        source=Stage.DISCUSSION,
        target=Stage.VOTE,
        at=NOON,
        rule="vote-thread",
        actor=Actor.MAIL,
        policy_version="test-1",
        evidence=(Evidence(kind="message", ref="<m@x.example>", line=line, url=url),),
    )


def decision(**more: object) -> Decision:
    return Decision(
        number=7,
        as_of=NOON,
        policy_version="test-1",
        stage=Stage.VOTE,
        since=NOON,
        history=(),
        **more,  # type: ignore[arg-type]
    )


def body(message: dict[str, object]) -> str:
    blocks = message["blocks"]
    assert isinstance(blocks, list)
    return str(blocks[0]["text"]["text"])


def test_a_subject_cannot_ping_a_channel() -> None:
    message = render_transition("KIP-7", transition("<!channel> <@U1> & <http://evil.example|ok>"), decision())
    assert "<!channel>" not in body(message)
    assert "<@U1>" not in body(message)
    assert "&lt;!channel&gt;" in body(message)


def test_a_permalink_is_a_link_only_if_it_is_a_plain_web_address() -> None:
    good = render_transition("KIP-7", transition("yes", "https://lists.example/thread/1"), decision())
    assert "<https://lists.example/thread/1|yes>" in body(good)
    for url in ("javascript:alert(1)", "https://x.example/a|b", "https://x.example/>&", "https://x.example/\n<!here>"):
        assert "|yes>" not in body(render_transition("KIP-7", transition("yes", url), decision()))


@given(line=st.text(max_size=400), question=st.text(max_size=6_000))
def test_no_text_breaks_out_or_exceeds_the_limits(line: str, question: str) -> None:
    item = ReviewItem(kind="ballot", subject="<m@x.example>", question=question, line=line)
    for message in (
        render_transition("KIP-7", transition(line), decision()),
        render_review("KIP-7", item),
        render_warning("KIP-7", WARNED, line),
    ):
        assert len(body(message)) <= SECTION_LIMIT
        assert len(str(message["text"])) <= SECTION_LIMIT
        assert body(message).count("<!") == body(message).count("<!date^")
        assert "<@" not in body(message)
        assert "<" not in str(message["text"])


def test_escaping_keeps_what_slack_does_not_read() -> None:
    assert escape("a & b < c > d") == "a &amp; b &lt; c &gt; d"


def test_a_message_reads_back_as_the_plain_text_that_it_escapes() -> None:
    asked = ReviewItem(kind="sender", subject="a = b", question="Mara Lind <mara@else.example> & co: is this &lt;?")
    assert read_text(render_review("KIP-7", asked)) == f"KIP-7 needs a person: {asked.question}"
    assert read_text({"text": "a &lt; b"}) == "a &lt; b", "only messages for Slack are escaped"
