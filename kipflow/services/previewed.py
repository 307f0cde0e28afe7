"""Acts with a preview: importing into the roster, restoring it, and undoing an ingest.

The act requires the preview's `seen`, and is refused if by then it would change something else.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import date, datetime
from typing import TypeVar

from kipflow.domain.errors import ConfigError, UnreadableInput
from kipflow.domain.texts import digest_text, take_some
from kipflow.rosters.formats import Format, parse_listing
from kipflow.services import undo
from kipflow.services.desk import ActContext, Desk, Done, Preview, RosterText, Values, read_number
from kipflow.services.import_roster import ImportReport, find_difference, plan_change
from kipflow.services.roster_votes import find_roster_impact, say_roster_impact
from kipflow.services.ruling_checks import BadRuling
from kipflow.services.rulings import decide_again

T = TypeVar("T")
#: Conflicts and notes that are shown; the command line lists more.
_MAX_LINES = 40


# -- ingests ------------------------------------------------------------------------------------------
def preview_undo(desk: Desk, values: Values, at: datetime) -> Preview:
    found = undo.undo(desk, read_number(values["batch"]), at=at)
    return Preview(lines=tuple(undo.say_undone(found, desk.effects.prefix)), seen=found.digest)


def undo_batch(desk: Desk, values: Values, context: ActContext) -> Done:
    """Remove the facts of an ingest or import, and decide the affected proposals again."""
    batch = read_number(values["batch"])
    found = undo.undo(desk, batch, at=context.at, context=context, seen=values["seen"])
    return decide_again(desk, context, f"ingest {batch} undone", numbers=list(found.numbers))


# -- the roster ---------------------------------------------------------------------------------------
def preview_import(desk: Desk, values: Values, at: datetime) -> Preview:
    file = _find_file(desk)
    was = file.read()
    report = _plan_import(was, values)
    turned = _say_turned(desk, file, report.text, at)
    said = [f"{len(report.added)} added, {len(report.changed)} changed, {report.unchanged} as before"]
    for kind, texts in (("conflict, left out", report.conflicts), ("note", report.notes)):
        said += take_some([f"{kind}: {text}" for text in texts], _MAX_LINES, f"and {{}} more of the kind: {kind}")
    return Preview(
        lines=(said[0], *turned, *said[1:]),
        diff=tuple(find_difference(was, report.text)),
        seen=_sign(was, report.text),
    )


def import_into(desk: Desk, values: Values, context: ActContext) -> Done:
    """Add the people of a source to the roster's file."""
    return _replace(desk, values, context, lambda was: _plan_import(was, values).text, "the roster is saved")


def _say_turned(desk: Desk, file: RosterText, text: str, at: datetime) -> Iterator[str]:
    """The effect on stored votes of the roster in the text."""
    roster = _try(lambda: file.check(text))
    return say_roster_impact(find_roster_impact(desk.store, roster, policy=desk.policy, at=at), desk.effects.prefix)


def preview_restore(desk: Desk, _values: Values, at: datetime) -> Preview:
    file = _find_file(desk)
    was, before = file.read(), _find_before(file)
    lines = (
        "the roster is again what it was before it was saved here last",
        *_say_turned(desk, file, before, at),
    )
    return Preview(lines=lines, diff=tuple(find_difference(was, before)), seen=_sign(was, before))


def restore_roster(desk: Desk, values: Values, context: ActContext) -> Done:
    """Restore the roster's file to its text before the newest import."""
    file = _find_file(desk)
    return _replace(desk, values, context, lambda _: _find_before(file), "the roster is as it was before")


def _replace(desk: Desk, values: Values, context: ActContext, write: Callable[[str], str], said: str) -> Done:
    context.checked()
    file = _find_file(desk)
    was = file.read()
    text = write(was)
    if _sign(was, text) != values["seen"]:
        raise BadRuling(undo.CHANGED)
    if text == was:
        raise BadRuling("nothing of the roster would change")
    if not _try(lambda: file.save(text, instead_of=was)):
        raise BadRuling(undo.CHANGED)
    return Done(said=f"{said}; the next run decides again what that changes")


def _try(do: Callable[[], T]) -> T:
    try:
        return do()
    except ConfigError as error:
        raise BadRuling(f"kipflow would refuse the roster: {error}") from error
    except OSError as error:
        raise BadRuling(f"the roster's file cannot be written here: {error.strerror}") from error


def _plan_import(was: str, values: Values) -> ImportReport:
    form, project = values.get("format") or None, values.get("project") or None
    if form is not None and form not in set(Format):
        raise BadRuling(f"a form is one of {', '.join(Format)}, not {form!r}")
    try:
        day = date.fromisoformat(values["as_of"])
    except ValueError as error:
        raise BadRuling(f"{values['as_of']!r} is not a date such as 2026-03-02") from error
    try:
        listing = parse_listing([("the text", values["text"])], form=Format(form) if form else None, project=project)
        return plan_change(was, listing, source=values["source"], as_of=day)
    except UnreadableInput as error:
        raise BadRuling(str(error)) from error


def _find_file(desk: Desk) -> RosterText:
    if desk.rosters is None:
        raise BadRuling("this community names no roster")
    return desk.rosters


def _find_before(file: RosterText) -> str:
    before = file.find_before()
    if before is None:
        raise BadRuling("nothing was imported here yet")
    return before


def _sign(was: str, text: str) -> str:
    return digest_text(f"{len(was)}\n{was}{text}", 20)
