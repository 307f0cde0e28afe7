"""The keys that a configuration file can have, by its model."""

from __future__ import annotations

import difflib
from collections.abc import Iterator, Sequence
from typing import Any, get_args

from pydantic import BaseModel


def suggest_key(place: Sequence[object], model: type[BaseModel]) -> str:
    """A hint for the unknown key at `place`: a similar key there, or where this key belongs."""
    *above, key = (str(part) for part in place if not isinstance(part, int))
    known = [name.rpartition(".")[::2] for name in list_keys(model)]
    beside = list(dict.fromkeys(name for level, name in known if level == ".".join(above)))
    below = [level for level, name in known if name == key]
    if below:
        return f"it belongs {' or '.join(f'below {level}' if level else 'to the left margin' for level in below)}"
    alike = difflib.get_close_matches(key, beside, n=1)
    return f"did you mean {alike[0]!r}?" if alike else f"the keys here are {', '.join(beside)}"


def list_keys(model: type[BaseModel], above: str = "") -> list[str]:
    """Every key of a file with its full path, such as `policy.care.quorum`."""
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
