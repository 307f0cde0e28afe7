"""Configuration files: YAML checked against a model. What is wrong is one line: file, key, what was expected.

A file may be written by anybody, so reading is strict and bounded: duplicate keys, aliases (which can expand a small
file into a huge value), a second document and deep nesting are refused.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Any, TypeVar

import yaml
from pydantic import BaseModel, ValidationError

from kipflow.config.keys import suggest_key
from kipflow.domain.errors import ConfigError
from kipflow.domain.texts import as_printable, cut

M = TypeVar("M", bound=BaseModel)
#: A key, and what was expected there.
KeyFault = tuple[str, str]

#: A roster of all of Apache's committers has some 3 MB.
MAX_CHARS = 8_000_000
MAX_DEPTH = 100
MAX_SHOWN = 60
MAX_PLACE = 200

_VARIABLE = re.compile(r"\ue002\{([A-Z_][A-Z0-9_]*)(?::-([^}]*))?\}")
#: Marks the name of a variable that is not set, until its key is known; private characters that are valid in YAML.
_UNSET = re.compile("\ue000([A-Z0-9_]+)\ue001")
#: Replaces the dollar of an invalid variable; an escaped one ("\\x24{") is just text.
_MISSPELT = "\ue002{"

#: pydantic's error type → what was expected, in words.
_KINDS = {
    "string_type": "a text (in quotes, if it looks like a number or like yes and no)",
    "int_type": "a whole number",
    "int_parsing": "a whole number",
    "int_from_float": "a whole number",
    "tuple_type": "a list such as [one, another]",
    "too_short": "at least one entry",
    "too_long": "fewer entries",
    "date_from_datetime_parsing": "a date such as 2026-03-02",
    "date_type": "a date such as 2026-03-02",
    "model_type": "keys with values (see docs/configuration.md for the form)",
    "dict_type": "keys with values (see docs/configuration.md for the form)",
    "model_attributes_type": "keys with values (see docs/configuration.md for the form)",
    "missing": "a value; the key is missing",
}


def read_config(
    model: type[M], path: Path, check: Callable[[M], Iterator[KeyFault]]
) -> tuple[M | None, list[ConfigError]]:
    """The file at `path` as a `model`, and all faults: a misspelt key before the key that is therefore missing.

    `check` finds further faults in the model. `${NAME}` and `${NAME:-default}` stand for environment variables.
    """
    try:
        text = read_text(path)
    except ConfigError as fault:
        return None, [fault]
    return parse_config(model, text, str(path), check)


def parse_config(
    model: type[M], text: str, source: str, check: Callable[[M], Iterator[KeyFault]]
) -> tuple[M | None, list[ConfigError]]:
    """As `read_config`, of a text from `source`."""
    try:
        found = model.model_validate(parse_yaml(text, source))
        return found, [ConfigError(file=source, key=key, expected=expected) for key, expected in check(found)]
    except ConfigError as fault:
        return None, [fault]
    except ValidationError as error:
        every = error.errors()
        # if an entry is wrong, do not also report its list as too short
        within = {("too_short", e["loc"][:-1]) for e in every}
        wrong = [e for e in every if (e["type"], e["loc"]) not in within]
        wrong.sort(key=lambda e: e["type"] != "extra_forbidden")
        places = [(_name_place(e["loc"]), _say_expected(e, model)) for e in wrong]
        return None, [ConfigError(file=source, key=key, expected=expected) for key, expected in places]


def _say_expected(error: Any, model: type[BaseModel]) -> str:
    if error["type"] == "extra_forbidden":
        return f"no such key here; {suggest_key(error['loc'], model)}"
    expected = _KINDS.get(error["type"])
    if error["type"] == "greater_than_equal":
        expected = f"a number of at least {error['ctx']['ge']}"
    if error["type"] == "less_than_equal":
        expected = f"a number of at most {error['ctx']['le']}"
    if expected is None:
        expected = str(error["msg"]).removeprefix("Value error, ").removeprefix("Input should be ")
    if error["type"] == "missing" or isinstance(error["input"], dict | list | tuple):
        return expected
    return f"{expected}, got {_show(error['input'])}"


def _name_place(parts: tuple[object, ...]) -> str:
    """A place such as "policy.care.0", cut and without control characters: a key can be anything."""
    # for a fault of the key itself pydantic appends a part "[key]"
    place = ".".join(str(part) for part in (parts[:-1] if parts[-1:] == ("[key]",) else parts))
    return as_printable(place, "?")[:MAX_PLACE] or "(whole file)"


def _show(value: object) -> str:
    """A value as its file spells it, cut if it is long."""
    if value is None:
        return "nothing"
    if isinstance(value, bool):
        return "true (as YAML reads yes and on)" if value else "false (as YAML reads no and off)"
    shown = value.isoformat() if isinstance(value, date) else repr(value)
    # an address may carry a password, and what is printed goes into logs
    return cut(re.sub(r"//[^/@\s]{1,500}@", "//…@", shown), MAX_SHOWN)


class _Loader(getattr(yaml, "CSafeLoader", yaml.SafeLoader)):  # type: ignore[misc]
    """PyYAML's safe loader without double keys; an impossible date is a text."""

    def construct_mapping(self, node: Any, deep: bool = False) -> dict[Any, Any]:
        seen: set[str] = set()
        for key, _ in node.value if isinstance(node, yaml.MappingNode) else ():
            if not isinstance(key.value, str):
                continue
            if key.value in seen:
                problem = f"{key.value[:MAX_SHOWN]!r} is a duplicate key"
                raise yaml.constructor.ConstructorError(None, None, problem, key.start_mark)
            seen.add(key.value)
        mapping: dict[Any, Any] = super().construct_mapping(node, deep)
        return mapping

    def construct_yaml_int(self, node: Any) -> Any:
        # YAML 1.1 reads 010 as eight and 1:30 as ninety
        if not re.fullmatch(r"[-+]?(0|[1-9][0-9]*)", node.value):
            problem = f"{node.value[:MAX_SHOWN]} is no plain whole number; put it in quotes if it is a text"
            raise yaml.constructor.ConstructorError(None, None, problem, node.start_mark)
        return super().construct_yaml_int(node)

    def construct_yaml_timestamp(self, node: Any) -> Any:
        try:
            return super().construct_yaml_timestamp(node)
        except ValueError:  # "2013-13-01": the model names the key, and other faults beside it
            return node.value


_Loader.add_constructor("tag:yaml.org,2002:int", _Loader.construct_yaml_int)
_Loader.add_constructor("tag:yaml.org,2002:timestamp", _Loader.construct_yaml_timestamp)


def read_text(path: Path) -> str:
    """The text of a file, variables filled in.

    Raises:
        ConfigError: it cannot be read.
    """
    try:
        with path.open(encoding="utf-8-sig") as file:
            text = file.read(MAX_CHARS + 1)
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError(file=str(path), key="(file)", expected=f"a readable UTF-8 file ({error})") from None
    # ${NAME:-default}: addresses of a local sandbox are only known when it has started
    return _VARIABLE.sub(lambda m: os.environ.get(m.group(1)) or _find_default(m), text.replace("${", _MISSPELT))


def parse_yaml(text: str, source: str) -> Any:
    """The one document of a YAML text. Variables are not filled in: others' texts must not read the environment.

    Raises:
        ConfigError: it is too large, or no plain YAML.
    """
    if len(text) > MAX_CHARS:
        raise ConfigError(file=source, key="(file)", expected=f"at most {MAX_CHARS:,} characters")
    try:
        _check_events(text)
        raw = yaml.load(text, Loader=_Loader)  # noqa: S506 - the safe loader, stricter
    except RecursionError:
        raise ConfigError(file=source, key="(whole file)", expected="values nested less deeply") from None
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        where = f"line {mark.line + 1}" if mark is not None else "(whole file)"
        problem = getattr(error, "problem", None) or getattr(error, "reason", None)
        expected = "valid YAML" + (f" ({problem})" if problem else "")
        raise ConfigError(file=source, key=where, expected=expected) from None
    except ValueError as error:
        # a number of more digits than Python converts
        raise ConfigError(file=source, key="(whole file)", expected=f"plain values ({error})") from None
    for place, value in _walk(raw):
        _check_plain(value, _name_place(place), source)
    return raw


def _check_events(text: str) -> None:
    depth = 0
    for event in yaml.parse(text, Loader=_Loader):
        # a dozen nested aliases expand to more than fits into memory when the value is printed
        if isinstance(event, yaml.AliasEvent):
            place: Any = event.start_mark  # libyaml's marks are of a type of their own
            raise yaml.composer.ComposerError(None, None, "aliases (*name) are not read", place)
        depth += isinstance(event, yaml.CollectionStartEvent) - isinstance(event, yaml.CollectionEndEvent)
        if depth > MAX_DEPTH:
            raise RecursionError


def _find_default(variable: re.Match[str]) -> str:
    name, default = variable.groups()
    return default if default is not None else f"\ue000{name}\ue001"


def _walk(raw: Any) -> Iterator[tuple[tuple[object, ...], Any]]:
    """Every key and every value of a document with its place; a key's place is that of its mapping."""
    waiting: list[tuple[tuple[object, ...], Any]] = [((), raw)]
    while waiting:
        place, value = waiting.pop()
        yield place, value
        if isinstance(value, dict):
            for key in value:
                yield place, key if isinstance(key, str) else _Misnamed(key)
        if isinstance(value, dict | list):
            inner = list(value.items() if isinstance(value, dict) else enumerate(value))
            waiting.extend(((*place, name), item) for name, item in reversed(inner))


def _check_plain(value: Any, place: str, source: str) -> None:
    """Refuse values and keys of other types, and variables without a value."""
    unset = _UNSET.search(value) if isinstance(value, str) else None
    if unset is not None:
        expected = f"a value; variable {unset[1]} is not set: set it, or write ${{{unset[1]}:-default}}"
    elif isinstance(value, str) and _MISSPELT in value:
        expected = f"${{NAME}} or ${{NAME:-default}}, got {_show(value.replace(_MISSPELT, '${'))}"
    elif isinstance(value, _Misnamed):
        expected = f"a key that is a text, got {_show(value.key)}"
    elif not isinstance(value, str | int | float | date | dict | list | None):
        expected = f"a text, a number, a date, keys or a list, got {_show(value)}"
    else:
        return
    raise ConfigError(file=source, key=place, expected=expected)


@dataclass(frozen=True, slots=True)
class _Misnamed:
    """A key that is no text: `7: x`."""

    key: object
