"""`new`, `lint`, `diff`: proposal pages."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path

import click

from kipflow.commands.opening import find_now, open_parts
from kipflow.commands.output import console, format_option, print_rows
from kipflow.commands.sayings import missing_page_error, parse_number
from kipflow.config.loading import load_community
from kipflow.config.settings import read_settings
from kipflow.domain.errors import KipflowError, UnreadableInput
from kipflow.domain.events import Transition
from kipflow.domain.pagefaults import Norms, PageFault
from kipflow.domain.pages import PageVersion
from kipflow.domain.proposals import format_key
from kipflow.domain.records import pick_fields
from kipflow.domain.texts import say_count
from kipflow.domain.times import say_moment
from kipflow.services.assembly import load_facts
from kipflow.wiki.lint import lint_page, lint_text
from kipflow.wiring import page_norms


@click.command()
@click.argument("title")
@click.option("--write", is_flag=True, help="Write the page; without it only the number is printed.")
@click.option("--number", "chosen", type=int, metavar="N", help="Take this one; default: the one after the highest.")
@click.option("--again", is_flag=True, help="Also where a proposal of this title exists already.")
def new(title: str, write: bool, chosen: int | None, again: bool) -> int:
    """Take the next number, write the page from the template.

    Two people who do so at once get different numbers. A number in TITLE is dropped: the next free one is taken. Pages,
    the index and rulings say which are taken; a number that is only claimed in mail is skipped if somebody in the
    roster wrote about it. If a number lies far beyond all others, you are asked.
    """
    from kipflow.services.pages import create_proposal

    parts = open_parts()
    if parts.wiki is None or parts.community.wiki is None:
        raise KipflowError(f"{parts.community.name} has no wiki to write a page to: its file names one under wiki")
    if write and not parts.sends:
        raise KipflowError("dry-run: nothing is written (effects.mode of the community, KIPFLOW_DRY_RUN)")
    page = create_proposal(
        parts.store,
        parts.wiki,
        index_page=parts.community.wiki.index_page,
        prefix=parts.community.prefix,
        title=title,
        writes=write,
        again=again,
        chosen=chosen,
        norms=page_norms(parts.community),
        now=find_now(parts),
    )
    summary = page.url or page.page_id or "not written: add --write"
    console().print(f"{page.title} ({summary})")
    for number in page.skipped:
        key = format_key(parts.community.prefix, number)
        settle = f'`kipflow review number {number} refuse --reason "…"` frees it'
        console(stderr=True).print(f"{key} was passed over: it is claimed in mail; {settle}")
    if page.page_id is not None:
        console(stderr=True).print(
            f"next: fill it in; `kipflow sync`, then `kipflow lint {page.number}` names what is left of the template\n"
            f"then: start its thread on {parts.community.lists[0]}: [DISCUSS] {page.title}\n"
            "the round-up lists it from the next run on"
        )
    return 0


@click.command()
@click.argument("proposal", metavar="NUMBER")
@click.option("--since", type=click.Choice(["discussion", "vote"]), help="Default: the vote, else the discussion.")
@click.option("--from", "first", type=int, metavar="VERSION", help="Compare from this version of the page.")
@click.option("--to", "last", type=int, metavar="VERSION", help="Compare up to this version; default: the newest.")
@format_option
def diff(proposal: str, since: str | None, first: int | None, last: int | None, form: str) -> int:
    """What changed on the page since discussion or vote opened, or between two versions, by section.

    A section marked "substance" changed in more than a status line, a link or a typo.
    """
    from kipflow.services.changes import compare_versions, find_own

    if since is not None and (first is not None or last is not None):
        raise click.UsageError("either --since or --from and --to")
    parts = open_parts()
    number = parse_number(parts, proposal)
    with parts.store.begin() as session:
        facts = load_facts(session, number)
        history = session.history.load(number)
        own = find_own(facts.pages, number)
        if not own:
            raise missing_page_error(parts, facts)
        pair = _find_pair(facts.key, own, history, since, first, last)
        if pair is None:
            return 0
        changes = compare_versions(*pair, session.pages.find_body)
    rows = [
        {
            "section": change.title,
            "kind": kind,
            "substance": "yes" if change.title in changes.substance else "",
            "line": line,
        }
        for change in changes.sections
        for kind, lines in (("removed", change.removed), ("added", change.added))
        for line in lines
    ]
    print_rows(rows, form, columns=("section", "kind", "substance", "line"))
    summary = f"version {changes.before.version} → {changes.after.version}, {say_count(len(rows), 'line')}"
    console(stderr=True).print(f"{facts.key}: {summary}")
    return 0


def _find_pair(
    key: str,
    own: Sequence[PageVersion],
    history: Sequence[Transition],
    since: str | None,
    first: int | None,
    last: int | None,
) -> tuple[PageVersion, PageVersion] | None:
    """The two requested versions; None, with a note on stderr, if there is nothing to compare."""
    from kipflow.services.changes import Since, find_moment, find_versions, find_versions_since

    if first is not None or last is not None:
        return find_versions(own, first, last)
    moment = find_moment(history, Since(since) if since else None)
    if moment is None:
        raise KipflowError(f"{key} has had no {since or 'discussion or vote'} yet; name versions: --from 1")
    pair = find_versions_since(own, moment)
    if pair is None:
        console(stderr=True).print(f"{key}: the page did not change since {say_moment(moment)}")
    return pair


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
    """The file itself, or the pages in a folder, in order of their names. Raises KipflowError if it holds none."""
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
