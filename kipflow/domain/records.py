"""Records as plain values and back, derived from their dataclasses alone.

A plain value has lists for tuples, the text of an enumeration and a dictionary for a record. Times become text for
JSON, and stay times for tables that have a type for them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import fields, is_dataclass
from datetime import UTC, date, datetime
from enum import Enum
from functools import cache, partial
from types import NoneType, UnionType
from typing import Any, TypeVar, Union, get_args, get_origin, get_type_hints

T = TypeVar("T")

Plain = dict[str, Any]
_Read = Callable[[Any], Any]


def to_plain(value: Any, *, write_time: Callable[[datetime], Any] = datetime.isoformat) -> Any:
    """A record, or a value within one, as plain values."""
    if isinstance(value, Enum):
        return value.value
    if value is None or isinstance(value, str | int | float):
        return value
    if isinstance(value, date):
        return write_time(value) if isinstance(value, datetime) else value.isoformat()
    if isinstance(value, list | tuple):
        return [to_plain(v, write_time=write_time) for v in value]
    if isinstance(value, Mapping):
        return {key: to_plain(v, write_time=write_time) for key, v in value.items()}
    if is_dataclass(value):
        return {f.name: to_plain(getattr(value, f.name), write_time=write_time) for f in fields(value)}
    return value


def pick_fields(record: Any, *names: str, write_time: Callable[[datetime], Any] | None = None) -> Plain:
    """These fields of a record as plain values, in this order; times stay times without `write_time`."""
    write = write_time or (lambda moment: moment)
    return {name: to_plain(getattr(record, name), write_time=write) for name in names}


def from_plain(kind: Callable[..., T], raw: Mapping[str, Any], **given: Any) -> T:
    """The record of this kind in `raw`, which may have other keys too; `given` are field values to use unchanged.

    A field that is missing in `raw` gets its default: it was added after `raw` was written.
    """
    values = {
        name: raw[name] if read is None else read(raw[name])
        for name, read in _list_readers(kind)
        if name in raw and name not in given
    }
    return kind(**values, **given)


def list_types(kind: type) -> Mapping[str, Any]:
    """Field → its type, in order."""
    hints = get_type_hints(kind)
    return {f.name: hints[f.name] for f in fields(kind)}


def split_optional(hint: Any) -> tuple[Any, bool]:
    """A type without its None, and whether it had one."""
    if get_origin(hint) in {Union, UnionType}:
        rest = [h for h in get_args(hint) if h is not NoneType]
        return rest[0], True
    return hint, False


@cache
def _list_readers(kind: Any) -> tuple[tuple[str, _Read | None], ...]:
    return tuple((name, _find_reader(hint)) for name, hint in list_types(kind).items())


def _find_reader(hint: Any) -> _Read | None:
    """What makes a plain value one of this type; None where it is one already."""
    inner, optional = split_optional(hint)
    read = _find_plain_reader(inner)
    if optional and read is not None:
        return lambda raw: None if raw is None else read(raw)
    return read


def _find_plain_reader(hint: Any) -> _Read | None:
    if get_origin(hint) is tuple:
        return _find_tuple_reader(*get_args(hint))
    if get_origin(hint) is dict:
        read = _find_reader(get_args(hint)[1])
        return None if read is None else lambda raw: {key: read(value) for key, value in raw.items()}
    if isinstance(hint, type) and is_dataclass(hint):
        return partial(from_plain, hint)
    if hint is datetime:
        return _read_time
    return hint if isinstance(hint, type) and issubclass(hint, Enum) else None


def _find_tuple_reader(*hints: Any) -> _Read:
    readers = [_find_reader(hint) for hint in hints if hint is not Ellipsis]
    if hints[-1] is not Ellipsis:
        return lambda raw: tuple(v if read is None else read(v) for read, v in zip(readers, raw, strict=True))
    (read,) = readers
    if read is None:
        return lambda raw: tuple(raw or ())
    return lambda raw: tuple([read(value) for value in raw or ()])


def _read_time(raw: str | datetime) -> datetime:
    # Arrow's UTC is equal, but prints otherwise than the rest of kipflow
    return (datetime.fromisoformat(raw) if isinstance(raw, str) else raw).astimezone(UTC)
