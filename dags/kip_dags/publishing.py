"""Object storage as a place for the public site: what its manifest says is there is not read again."""

from __future__ import annotations

from airflow.sdk import ObjectStoragePath


class Bucket:
    """A folder or bucket by its URL."""

    def __init__(self, root: ObjectStoragePath) -> None:
        self._root, self.where = root, str(root)

    def is_empty(self) -> bool:
        return not self._root.exists() or not any(self._root.iterdir())

    def read(self, name: str) -> bytes | None:
        place = self._root / name
        return place.read_bytes() if place.exists() else None

    def holds(self, _name: str, _content: bytes, *, noted: bool) -> bool:
        return noted

    def write(self, name: str, content: bytes) -> None:
        place = self._root / name
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(content)

    def remove(self, name: str) -> bool:
        place = self._root / name
        if not place.exists():
            return False
        place.unlink()
        return True
