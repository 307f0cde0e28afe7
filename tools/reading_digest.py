"""Records a digest of each source of the mail reader, with the version of the reading rules.

    python -m tools.reading_digest [--reads-the-same]

Writes `tests/data/reading.digest`. Fails if a source changed and `READING_RULES` was not raised, unless
`--reads-the-same` confirms that every mail is read as before.
"""

from __future__ import annotations

import argparse
import ast
import hashlib
import re
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path

from kipflow.mail.version import READING_RULES

ROOT = Path(__file__).resolve().parents[1]
DIGEST = ROOT / "tests" / "data" / "reading.digest"
#: The module that parses a mail's bytes into a `Message`.
READER = "kipflow.mail.messages"
#: Two lines per source, so that changes of neighbouring ones merge without conflict.
_ENTRY = re.compile(r"^(\w\S*)\n  (\w+)$", re.MULTILINE)
WHAT_TO_DO = (
    "the reader changed: raise READING_RULES in kipflow/mail/version.py if a stored mail could be read differently, "
    "then run `python -m tools.reading_digest` (with --reads-the-same where none could)"
)


def find_sources() -> list[Path]:
    """The reader's modules in `kipflow/mail`, found by imports, and the lexicons in their folders."""
    found: dict[str, Path] = {}
    names = [READER]
    while names:
        name = names.pop()
        path = ROOT / Path(*name.split("."))
        path = path / "__init__.py" if path.is_dir() else path.with_suffix(".py")
        if name not in found and path.is_file():
            found[name] = path
            names.extend(_find_imports(path))
    folders = {path.parent for path in found.values()}
    data = (path for folder in folders for path in folder.iterdir() if path.suffix in {".toml", ".yaml", ".json"})
    return sorted({*found.values(), *data})


def _find_imports(path: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(path.read_bytes())):
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("kipflow.mail"):
            yield str(node.module)
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def digest_sources() -> dict[str, str]:
    """Path → digest of each source."""
    return {
        str(path.relative_to(ROOT)): hashlib.sha256(path.read_bytes().replace(b"\r\n", b"\n")).hexdigest()[:16]
        for path in find_sources()
    }


def load_recorded() -> dict[str, str]:
    """The recorded digests by path, with "READING_RULES" as one key; merge conflict markers are ignored."""
    return dict(_ENTRY.findall(DIGEST.read_text(encoding="utf-8"))) if DIGEST.is_file() else {}


def is_change_recorded(recorded: Mapping[str, str]) -> bool:
    return dict(recorded) == {"READING_RULES": str(READING_RULES), **digest_sources()}


def main() -> int:
    parser = argparse.ArgumentParser(description="Record the reader's sources and the version of its rules.")
    parser.add_argument("--reads-the-same", action="store_true", help="every mail reads as before: the rules stay")
    options = parser.parse_args()
    recorded = load_recorded()
    raised = int(recorded.get("READING_RULES", "0")) < READING_RULES
    if not (raised or options.reads_the_same or is_change_recorded(recorded)):
        print(WHAT_TO_DO, file=sys.stderr)
        return 1
    lines = {"READING_RULES": str(READING_RULES), **digest_sources()}
    DIGEST.write_text("".join(f"{name}\n  {value}\n" for name, value in lines.items()), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
