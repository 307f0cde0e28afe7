"""Generates docs/configuration.md from the models that validate the files.

The description of a key is the text below it in `kipflow/config`.
"""

from __future__ import annotations

import ast
import inspect
import re
from collections.abc import Iterator
from enum import Enum
from functools import cache
from typing import Any, Literal, get_args, get_origin

from pydantic import BaseModel
from pydantic.fields import FieldInfo

from kipflow.config.community import Community
from kipflow.config.keys import find_models
from kipflow.config.roster import RosterConfig

_HEAD = """# Configuration keys
Written by `make docs` from the models that validate the files. A key without a default is
required. Values can contain variables: `${NAME}`, or `${NAME:-default}`. `kipflow config check` lists all errors.
"""
#: Type in `kipflow.config.values` → its description.
_WORDS = {
    "Url": "http(s) address",
    "Permalink": "address with `{mid}`",
    "Period": '"90 days", "72 hours"',
    "Span": '"90 days", "72 hours"',
    "Month": '"2026-03"',
    "ListAddress": "list address",
    "Host": "host's name",
    "Server": "host's name, port",
    "Sender": "name and address",
    "Count": "number from 1 on",
    "int": "number",
    "bool": "`true`, `false`",
    "date": "day",
    "PageId": "page's number",
    "Prefix": "capital letters",
    "CommunityName": "small letters, digits, hyphens",
    "ProjectKey": "project's key",
    "Interface": "interface",
}


def render_page() -> str:
    """The page: the keys of a community's file, then those of a roster file."""
    return (
        _HEAD
        + "\n## A community: `config/communities/NAME.yaml`\n"
        + _render(Community)
        + "\n## A roster: `config/rosters/NAME.yaml`\n"
        + _render(RosterConfig)
    )


def _render(model: type[BaseModel]) -> str:
    rows = "".join(f"| {' | '.join(row)} |\n" for row in _list_rows(model, ""))
    return f"| key | value | default | means |\n|---|---|---|---|\n{rows}"


def _list_rows(model: type[BaseModel], above: str) -> Iterator[tuple[str, str, str, str]]:
    texts, annotations = _read_source(model)
    for name, field in model.model_fields.items():
        inner = list(find_models(field.annotation))
        kind = annotations[name]
        many = "tuple[" in kind
        value = "keys" if inner else _say_value(field, kind)
        means = texts[name].rstrip(".")
        yield f"`{above}{name}`", f"list of {value}" if many else value, _say_default(field), means
        for each in inner:
            yield from _list_rows(each, f"{above}{name}{'[]' if many else ''}.")


@cache
def _read_source(model: type[BaseModel]) -> tuple[dict[str, str], dict[str, str]]:
    """By key: the text below it, and the source of its type."""
    tree = ast.parse(inspect.getsource(model)).body[0]
    if not isinstance(tree, ast.ClassDef):
        raise TypeError(model)
    texts: dict[str, str] = {}
    annotations: dict[str, str] = {}
    for key, below in zip(tree.body, [*tree.body[1:], None], strict=True):
        if isinstance(key, ast.AnnAssign) and isinstance(key.target, ast.Name):
            annotations[key.target.id] = ast.unparse(key.annotation)
            said = below.value if isinstance(below, ast.Expr) else None
            if not isinstance(said, ast.Constant):
                raise LookupError(f"{model.__name__}.{key.target.id} has no text below it that says what it means")
            texts[key.target.id] = " ".join(str(said.value).split())
    return texts, annotations


def _say_value(field: FieldInfo, kind: str) -> str:
    choices = list(_find_choices(field.annotation))
    if choices:
        return ", ".join(f"`{choice}`" for choice in choices)
    if kind.startswith("Annotated[dict["):
        return "texts by name"
    named = [word for word in re.findall(r"\w+", kind) if word in _WORDS]
    return _WORDS[named[0]] if named else "text"


def _find_choices(annotation: Any) -> Iterator[str]:
    if get_origin(annotation) is Literal:
        yield from map(str, get_args(annotation))
    elif isinstance(annotation, type) and issubclass(annotation, Enum):
        yield from (str(one.value) for one in annotation)
    else:
        for inner in get_args(annotation):
            yield from _find_choices(inner)


def _say_default(field: FieldInfo) -> str:
    if field.is_required():
        return ""
    default = field.get_default(call_default_factory=True)
    if default is None or default in ("", (), {}) or isinstance(default, BaseModel):
        return "none"
    return f"`{str(default).lower() if isinstance(default, bool) else default}`"
