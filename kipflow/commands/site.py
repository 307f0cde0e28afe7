"""`site`: the public site as files."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path

import click

from kipflow.commands.opening import find_now, open_parts
from kipflow.commands.output import as_of_option, console, progress
from kipflow.domain.texts import say_count
from kipflow.wiring import find_ticket_links


@click.command()
@click.argument("folder", type=click.Path(path_type=Path), metavar="OUT")
@as_of_option
def site(folder: Path, as_of: datetime | None) -> int:
    """Write the public site into the folder OUT: only what changed since it was written last.

    It needs no server: list, proposals with their evidence, metrics, an Atom feed, a calendar of votes, and all of it
    as JSON. It holds no mail addresses and nothing that is for operators only.
    """
    from kipflow.adapters.sitefiles import write_files
    from kipflow.web.site.pages import Site, build_site

    parts = open_parts()
    now = find_now(parts, as_of)
    community = parts.community
    about = Site(community=community.name, title=community.title, tickets=find_ticket_links(community))
    with progress("writing the site"):
        done = write_files(folder, build_site(parts.store, about, now))
    written = say_count(done.written, "file")
    console().print(f"{folder}: {written} written, {done.unchanged} unchanged, {done.removed} removed")
    return 0
