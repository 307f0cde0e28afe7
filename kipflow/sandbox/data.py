"""What all parts of the story share: YAML files (unknown keys and wrong values are errors), times, random choices."""

from __future__ import annotations

import random
from datetime import datetime, timedelta
from importlib.resources import files
from typing import Any

import yaml
from pydantic import ConfigDict
from pydantic.dataclasses import dataclass

#: The story's records reject unknown keys.
STRICT = ConfigDict(extra="forbid")
SEED = 7


def moment(origin: datetime, days: float) -> datetime:
    """The time `days` after `origin`, to the second."""
    return (origin + timedelta(days=days)).replace(microsecond=0)


def make_rng(label: str) -> random.Random:
    """A random generator for one part, so that changes to one part leave the others unchanged."""
    return random.Random(f"{SEED}|{label}")


def load_yaml(name: str) -> Any:
    # the C loader reads the same values ten times as fast, where PyYAML was built with it
    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    return yaml.load(files("kipflow.sandbox").joinpath(name).read_text("utf-8"), loader)  # noqa: S506 - a safe loader


@dataclass(frozen=True, slots=True, kw_only=True, config=STRICT)
class Talk:
    """Sentences for the list's discussions (`talk.yaml`), with slots for a `Topic`'s pieces.

    None of them casts a vote: ballots are written out in the proposals' own lines. An exchange is a remark and the
    answers that fit it; a thread uses each at most once.
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
