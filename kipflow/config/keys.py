"""The keys that a configuration file can have, by its model."""

from __future__ import annotations

import difflib
from collections.abc import Iterator
from typing import Any, get_args

from pydantic import BaseModel


def suggest(key: str, model: type[BaseModel]) -> str:
    """What a key may have been meant for: it is known elsewhere, or one is spelt nearly as it is."""
    places = list_keys(model)
    same = [place for place in places if place.rpartition(".")[2] == key]
    if same:
        below = [place.removesuffix(key).rstrip(".") for place in same]
        return f"it belongs {' or '.join(f'below {b}' if b else 'to the left margin' for b in below)}"
    alike = difflib.get_close_matches(key, sorted({place.rpartition(".")[2] for place in places}), n=1)
    return f"did you mean {alike[0]!r}?" if alike else "remove it or fix its spelling"


def list_keys(model: type[BaseModel], above: str = "") -> list[str]:
    """Every key of a file, with those that it stands below: `policy.care.quorum`."""
    found = []
    for name, field in model.model_fields.items():
        found.append(f"{above}{name}")
        for inner in find_models(field.annotation):
            found += list_keys(inner, f"{above}{name}.")
    return found


def find_models(annotation: Any) -> Iterator[type[BaseModel]]:
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        yield annotation
    for argument in get_args(annotation):
        yield from find_models(argument)
