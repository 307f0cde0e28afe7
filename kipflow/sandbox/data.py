"""The story's files: YAML beside this module. What is read from them refuses an unknown key or a wrong value."""

from __future__ import annotations

from importlib.resources import files
from typing import Any

import yaml
from pydantic import ConfigDict
from pydantic.dataclasses import dataclass

#: What every record of the story refuses: a key that nobody reads.
STRICT = ConfigDict(extra="forbid")


def load_yaml(name: str) -> Any:
    # the C loader reads the same values ten times as fast, where PyYAML was built with it
    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    return yaml.load(files("kipflow.sandbox").joinpath(name).read_text("utf-8"), loader)  # noqa: S506 - a safe loader


@dataclass(frozen=True, slots=True, kw_only=True, config=STRICT)
class Talk:
    """Sentences from which the list's talk is made (`talk.yaml`), with slots for a `Topic`'s pieces.

    None of them casts a vote: ballots are written out in the proposals' own lines. An exchange is what a reader
    says and the answers that fit it; a thread uses each at most once.
    """

    openings: tuple[str, ...]
    opening_details: tuple[str, ...]
    remarks: tuple[str, ...]
    closings: tuple[str, ...]
    answer_greetings: tuple[str, ...]
    greetings: tuple[str, ...]
    ballot_prefaces: tuple[str, ...]
    ballot_afterwords: tuple[str, ...]
    periods: tuple[str, ...]
    calls: tuple[str, ...]
    exchanges: tuple[tuple[str, ...], ...]


TALK = Talk(**load_yaml("talk.yaml"))
