"""`lint`: the faults of proposal pages, from files or as they were stored."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path

import click

from kipflow.commands.opening import open_parts
from kipflow.commands.output import console, format_option, print_rows
from kipflow.commands.sayings import missing_page_error, parse_number
from kipflow.config.loading import load_community
from kipflow.config.settings import read_settings
from kipflow.domain.errors import KipflowError, UnreadableInput
from kipflow.domain.pagefaults import Norms, PageFault
from kipflow.domain.records import pick_fields
from kipflow.domain.texts import say_count
from kipflow.services.assembly import load_facts
from kipflow.wiki.lint import lint_page, lint_text
from kipflow.wiring import page_norms

#: Suffixes of files in a folder that are read as pages.
_PAGE_FILES = frozenset({".txt", ".md", ".html", ".htm", ".xhtml", ".xml"})
_COLUMNS = ("severity", "code", "place", "what", "fix")


@click.command()
@click.argument("pages", nargs=-1, required=True, metavar="PAGE…")
@format_option
def lint(pages: tuple[str, ...], form: str) -> int:
    """Faults of proposal pages.

    PAGE is a file (storage format, HTML, Markdown or text), a folder of such files, or the number of a proposal whose
    page was stored. A page that calls itself a Draft may be unfinished: what it lacks is a note, no error.
    """
    settings = read_settings()
    community = load_community(settings.community, settings.config)
    prefix, norms = community.prefix, page_norms(community)
    found: list[tuple[str, Sequence[PageFault]]] = []
    for page in pages:
        if Path(page).exists():
            found.extend((str(path), _lint_file(path, prefix, norms)) for path in _find_files(Path(page)))
        else:
            found.extend(_lint_stored(page, norms))
    rows = [{"page": page, **pick_fields(fault, *_COLUMNS)} for page, faults in found for fault in faults]
    if form == "table":
        _print_pages(found)
    else:
        print_rows(rows, form, columns=("page", *_COLUMNS))
    return 1 if any(row["severity"] == "error" for row in rows) else 0


def _print_pages(found: Sequence[tuple[str, Sequence[PageFault]]]) -> None:
    out = console()
    for page, faults in found:
        counts = sorted(Counter(fault.severity for fault in faults).items())
        out.print(f"{page}: {', '.join(say_count(n, what) for what, n in counts) or 'no fault found'}")
        if faults:
            print_rows([pick_fields(f, *_COLUMNS) for f in faults], "table", columns=_COLUMNS)


def _find_files(path: Path) -> Iterator[Path]:
    """The file itself, or the pages in a folder, in order of their names.

    Raises:
        KipflowError: the folder holds no page.
    """
    if not path.is_dir():
        yield path
        return
    files = sorted(p for p in path.iterdir() if p.is_file() and p.suffix.lower() in _PAGE_FILES)
    if not files:
        raise KipflowError(f"{path}: no page in this folder ({', '.join(sorted(_PAGE_FILES))})")
    yield from files


def _lint_file(path: Path, prefix: str, norms: Norms) -> tuple[PageFault, ...]:
    try:
        text = path.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError as error:
        raise UnreadableInput(source=str(path), why=f"is not UTF-8 text ({error.reason})") from None
    # a Markdown file may begin with a comment: a licence, say
    if text.lstrip().startswith("<") and path.suffix.lower() != ".md":
        return lint_page(text, title="", prefix=prefix, source=str(path), norms=norms)
    return lint_text(text, title="", prefix=prefix, norms=norms)


def _lint_stored(page: str, norms: Norms) -> list[tuple[str, Sequence[PageFault]]]:
    """The faults of every stored page with a proposal's number."""
    from kipflow.services.checks import find_faults

    parts = open_parts()
    try:
        number = parse_number(parts, page)
    except click.BadParameter:
        raise KipflowError(f"{page}: neither a file or folder nor a proposal's number") from None
    with parts.store.begin() as session:
        own = [p for p in session.pages.load_checked() if p.number == number]
        found: list[tuple[str, Sequence[PageFault]]] = [
            (f"{p.title} (version {p.version})", find_faults(session, p, prefix=parts.community.prefix, norms=norms))
            for p in own
        ]
        if not found:
            raise missing_page_error(parts, load_facts(session, number))
    return found
