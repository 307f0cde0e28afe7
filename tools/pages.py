"""Writes every generated page of the documents: `python -m tools.pages`."""

from __future__ import annotations

from tools import (
    command_page,
    configuration_page,
    dag_page,
    package_picture,
    reading_results,
    reading_votes,
    stage_table,
    stories,
)

#: Each writes only its own page with `python -m`.
GENERATED = (
    *(command_page, configuration_page, dag_page, package_picture),
    *(reading_results, reading_votes, stage_table, stories),
)


if __name__ == "__main__":
    for each in GENERATED:
        each.PAGE.write_text(each.render_page(), encoding="utf-8")
