"""`new`, `lint`, `diff`: proposal pages."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import click

from kipflow.commands.now import find_now
from kipflow.commands.output import console, format_option, print_rows
from kipflow.commands.review import parse_number
from kipflow.domain.errors import ConfigError, KipflowError, UnreadableInput
from kipflow.domain.events import Transition
from kipflow.domain.facts import PageVersion, ProposalFacts
from kipflow.domain.pagefaults import PageFault
from kipflow.services.ports import Store
from kipflow.settings import load_community, read_settings
from kipflow.wiki.lint import lint_page, lint_text


@click.command()
@click.argument("title")
@click.option("--write", is_flag=True, help="Write the page; without it only the number is told.")
def new(title: str, write: bool) -> int:
    """Take the next number, write the page from the template."""
    from kipflow.commands.opening import open_parts
    from kipflow.services.pages import create_proposal

    parts = open_parts()
    if parts.wiki is None or parts.community.wiki is None:
        raise ConfigError(file=f"community {parts.community.name}", key="wiki", expected="a wiki to write to")
    if not title.strip():
        raise click.UsageError("a proposal needs a title")
    page = create_proposal(
        parts.store,
        parts.wiki,
        index_page=parts.community.wiki.index_page,
        prefix=parts.community.prefix,
        title=title,
        writes=write,
        now=find_now(parts),
    )
    told = page.url or page.page_id or "not written: add --write"
    console().print(f"{page.title} ({told})")
    return 0


@click.command()
@click.argument("pages", nargs=-1, required=True, metavar="PAGE…")
@format_option()
def lint(pages: tuple[str, ...], form: str) -> int:
    """Faults of proposal pages: PAGE is a file (storage format, HTML or text) or a proposal's number."""
    settings = read_settings()
    prefix = load_community(settings.community, settings.config).prefix
    rows: list[dict[str, str]] = []
    for page in pages:
        faults = _lint_file(Path(page), prefix) if Path(page).is_file() else _lint_stored(page)
        rows.extend(
            {"page": page, "severity": f.severity, "code": f.code, "place": f.place, "what": f.what, "mend": f.mend}
            for f in faults
        )
    print_rows(rows, form, columns=("page", "severity", "code", "place", "what", "mend"))
    return 1 if any(r["severity"] == "error" for r in rows) else 0


@click.command()
@click.argument("proposal", metavar="NUMBER")
@click.option("--since", type=click.Choice(["discussion", "vote"]), help="Default: the vote, else the discussion.")
@click.option("--from", "first", type=int, metavar="VERSION", help="Compare from this version of the page.")
@click.option("--to", "last", type=int, metavar="VERSION", help="Compare up to this version; default: the newest.")
@format_option()
def diff(proposal: str, since: str | None, first: int | None, last: int | None, form: str) -> int:
    """What changed on the page since discussion or vote opened, or between two versions, by section.

    A section marked "substance" changed in more than a status line, a link or a typo.
    """
    from kipflow.commands.opening import open_parts
    from kipflow.services.changes import compare_versions

    if since is not None and (first is not None or last is not None):
        raise click.UsageError("either --since or --from and --to")
    parts = open_parts()
    number = parse_number(parts, proposal)
    with parts.store.begin() as session:
        facts = session.load_facts(number)
        history = session.load_history(number)
        pair = _find_pair(facts, history, since, first, last)
        if pair is None:
            return 0
        changes = compare_versions(*pair, session.find_page_body)
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
    told = f"version {changes.before.version} → {changes.after.version}, {len(rows)} lines"
    console(stderr=True).print(f"{facts.key}: {told}")
    return 0


def _find_pair(
    facts: ProposalFacts, history: Sequence[Transition], since: str | None, first: int | None, last: int | None
) -> tuple[PageVersion, PageVersion] | None:
    """The two versions that are asked for; None, said on stderr, where there is nothing to compare."""
    from kipflow.services.changes import Since, find_moment, find_versions, find_versions_since, newest_page

    own = newest_page(facts.pages)
    if not own:
        raise KipflowError(f"{facts.key} has no page that was stored; run `kipflow sync`")
    if first is not None or last is not None:
        return find_versions(facts.pages, own[0].version if first is None else first, last or own[-1].version)
    moment = find_moment(history, Since(since) if since else None)
    if moment is None:
        raise KipflowError(f"{facts.key} has had no {since or 'discussion or vote'} yet; name versions: --from 1")
    pair = find_versions_since(facts.pages, moment)
    if pair is None:
        console(stderr=True).print(f"{facts.key}: the page did not change since {moment:%Y-%m-%d %H:%M} UTC")
    return pair


def _lint_file(path: Path, prefix: str) -> tuple[PageFault, ...]:
    try:
        text = path.read_text(encoding="utf-8")
    except UnicodeDecodeError as error:
        raise UnreadableInput(source=str(path), why=f"is not UTF-8 text ({error.reason})") from None
    if text.lstrip().startswith("<"):
        return lint_page(text, title="", prefix=prefix, source=str(path))
    return lint_text(text, title="", prefix=prefix)


def _lint_stored(page: str) -> tuple[PageFault, ...]:
    from kipflow.commands.opening import open_parts

    parts = open_parts()
    try:
        number = parse_number(parts, page)
    except click.BadParameter:
        raise KipflowError(f"{page}: neither a file nor a proposal's number") from None
    with parts.store.begin() as session:
        facts = session.load_facts(number)
    if not facts.pages:
        raise KipflowError(f"{facts.key} has no page that was stored; run `kipflow sync`")
    newest = facts.pages[-1]
    body = _load_body(parts.store, newest)
    return lint_page(body, title=newest.title, prefix=parts.community.prefix, source=f"page {newest.page_id}")


def _load_body(store: Store, page: PageVersion) -> str:
    with store.begin() as session:
        return session.find_page_body(page.page_id, page.version) or ""
