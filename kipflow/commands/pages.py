"""`new`, `diff`: proposal pages."""

from __future__ import annotations

from collections.abc import Sequence

import click

from kipflow.commands.opening import find_now, open_parts
from kipflow.commands.output import console, format_option, print_rows
from kipflow.commands.sayings import missing_page_error, parse_number
from kipflow.domain.errors import KipflowError
from kipflow.domain.events import Transition
from kipflow.domain.pages import PageVersion
from kipflow.domain.proposals import format_key
from kipflow.domain.texts import say_count
from kipflow.domain.times import say_moment
from kipflow.services.assembly import load_facts
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
