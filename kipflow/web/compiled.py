"""Templates as they were compiled before in this process."""

from __future__ import annotations

from jinja2 import BytecodeCache
from jinja2.bccache import Bucket


class CompiledBefore(BytecodeCache):
    """For environments that differ in their globals alone: to compile a board's templates takes longer than its pages.

    A template that was changed since is compiled anew: its bucket knows the source.
    """

    def __init__(self) -> None:
        self._held: dict[str, bytes] = {}

    def load_bytecode(self, bucket: Bucket) -> None:
        held = self._held.get(bucket.key)
        if held is not None:
            bucket.bytecode_from_string(held)

    def dump_bytecode(self, bucket: Bucket) -> None:
        self._held[bucket.key] = bucket.bytecode_to_string()
