"""Copying files to object storage: only what changed since the last time, as the manifest there tells."""

from __future__ import annotations

from collections.abc import Iterable

from airflow.sdk import ObjectStoragePath

from kipflow.adapters.sitefiles import MANIFEST, ForeignFolder, Written, find_digest, parse_manifest, render_manifest


def publish_files(target: ObjectStoragePath, files: Iterable[tuple[str, bytes]]) -> Written:
    """Bring `target` to hold these files (paths below it); what else is there stays.

    Raises:
        ForeignFolder: it holds files and no manifest of kipflow's.
        KipflowError: its manifest is damaged.
    """
    made = dict(files)
    digests = {name: find_digest(content) for name, content in made.items()}
    before = _read_manifest(target)
    changed = [name for name in made if before.get(name) != digests[name]]
    gone = [name for name in before if name not in made]
    if changed or gone:
        # what a killed run copied must be known as ours, and is copied again: it has no digest yet
        pending = {**before, **dict.fromkeys(changed, "")}
        _write(target, MANIFEST, render_manifest(pending).encode())
    for name in changed:
        _write(target, name, made[name])
    removed = sum(_remove(target / name) for name in gone)
    if changed or gone:
        _write(target, MANIFEST, render_manifest(digests).encode())
    return Written(written=len(changed), unchanged=len(made) - len(changed), removed=removed)


def _read_manifest(target: ObjectStoragePath) -> dict[str, str]:
    manifest = target / MANIFEST
    if manifest.exists():
        return parse_manifest(manifest.read_bytes().decode("utf-8", "replace"), str(target))
    if target.exists() and any(target.iterdir()):
        raise ForeignFolder(str(target))
    return {}


def _write(target: ObjectStoragePath, name: str, content: bytes) -> None:
    place = target / name
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_bytes(content)


def _remove(place: ObjectStoragePath) -> bool:
    if not place.exists():
        return False
    place.unlink()
    return True
