"""The result mail of a vote, in its author's style."""

from __future__ import annotations

from kipflow.sandbox.people import PEOPLE
from kipflow.sandbox.plans import Announcement

#: Spelled-out numbers, as announcements like to write them.
_COUNT_WORDS = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight")


def render_result(result: Announcement) -> str:
    """The words of a result mail."""
    verdict = "passes" if result.passed else "does not pass"
    plus, other, zero, minus = (
        [PEOPLE[who].name for who in who_said]
        for who_said in (result.plus, result.plus_other, result.zero, result.minus)
    )
    if result.style == "terse":
        voters = ", ".join(plus)
        return (
            f"Thanks everybody. The vote {verdict} with {len(plus)} binding +1 votes ({voters}) and no -1. Closing it."
        )
    if result.style == "table":
        rows = [f"+1 (binding): {', '.join(plus)}"]
        rows += [f"+1 (non-binding): {', '.join(other)}"] if other else []
        rows += [f"-1 (binding): {', '.join(minus)}"] if minus else ["-1: none"]
        return f"The voting period is over and the vote {verdict}:\n\n" + "\n".join(rows) + "\n\nThanks for voting."
    if result.style == "list":
        blocks = [f"Hi all,\n\nthe vote {verdict}. The result:"]
        for label, people in (
            ("Binding +1", plus),
            ("Non-binding +1", other),
            ("0", zero),
            ("Binding -1", minus),
        ):
            if people:
                blocks.append(f"{label}: {len(people)}\n" + "\n".join(f" * {name}" for name in people))
        return "\n\n".join([*blocks, "Thank you all for the discussion and the votes."])
    parts = [f"{_COUNT_WORDS[len(plus)]} binding +1 ({', '.join(plus)})"]
    parts += [f"{_COUNT_WORDS[len(other)]} non-binding +1 ({', '.join(other)})"] if other else []
    parts += [f"{_COUNT_WORDS[len(minus)]} binding -1 ({', '.join(minus)})"] if minus else ["no -1"]
    listed = f"{', '.join(parts[:-1])} and {parts[-1]}"
    return (
        f"Hi all,\n\nthe vote {verdict} with {listed}.\n\nThank you to everybody who took part. I will update the page."
    )
