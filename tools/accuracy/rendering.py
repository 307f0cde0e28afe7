"""The report as plain text and as JSON. The same data give the same bytes."""

from __future__ import annotations

import itertools
import json
import textwrap
from collections.abc import Iterator, Sequence
from dataclasses import asdict

from kipflow.domain.texts import as_printable
from tools.accuracy.findings import Disagreement, Section, is_good

TITLE = "How kipflow reads and decides"
WIDTH = 100
MAX_SHOWN = 160


def render_json(sections: tuple[Section, ...], skipped: Sequence[str] = ()) -> str:
    """All figures, demands, disagreements and lists."""
    shown = [{**asdict(s), "unexplained": len(s.unexplained)} for s in sections]
    report = {"schema": 1, "good": is_good(sections), "skipped": list(skipped), "sections": shown}
    return json.dumps(report, indent=2, ensure_ascii=False)


def render_text(sections: tuple[Section, ...], skipped: Sequence[str] = ()) -> str:
    """For people: a summary on the first screen, then each section: figures, demands, differences and reasons."""
    lines = [TITLE, "=" * len(TITLE)]
    for part, group in _by_part(sections):
        lines += ["", part, *(_render_summary(section) for section in group)] if part else []
    lines += ["", *(f"skipped: {what}" for what in skipped)] if skipped else []
    lines += ["", *_render_end(sections)]
    for part, group in _by_part(sections):
        lines += ["", "", part.upper(), "-" * len(part)] if part else []
        for section in group:
            lines += _render_section(section)
    return "\n".join([*lines, "", *_render_end(sections), ""])


def _by_part(sections: Sequence[Section]) -> Iterator[tuple[str, list[Section]]]:
    for part, group in itertools.groupby(sections, key=lambda s: s.part):
        yield part, list(group)


def _render_summary(section: Section) -> str:
    """One line: the state, the first figure, the number of differences."""
    good = all(d.met for d in section.demands) and not section.unexplained
    figure = section.figures[0] if section.figures else None
    part = f"{figure.right:>5} of {figure.total:<5} {_clean(figure.name)}" if figure else ""
    many = len(section.disagreements)
    differs = f"{many} differ{'s' if many == 1 else ''}, " if many else ""
    why = f"{len(section.unexplained)} UNEXPLAINED" if section.unexplained else "explained"
    state = "ok    " if good else "NOT OK"
    return f"  {state} {section.title:<33} {part:<46} {differs + why if differs else ''}".rstrip()


def _render_section(section: Section) -> Iterator[str]:
    yield from ("", section.title, f"  {section.about}", *_render_figures(section))
    yield from (f"  {'ok    ' if d.met else 'MISSED'} {_clean(d.name)}" for d in section.demands)
    if section.disagreements:
        yield from ("", f"  differs ({len(section.disagreements)})")
        for difference in section.disagreements:
            yield from _render_difference(difference)
    if section.listed:
        yield from ("", f"  {section.listed_title}")
        for name, why in section.listed:
            yield from _wrap(f"{name}: {why}", indent=4)


def _render_figures(section: Section) -> Iterator[str]:
    width = max((len(f.name) for f in section.figures), default=0)
    for figure in section.figures:
        yield f"  {figure.name:<{width}}  {figure.right:>5} of {figure.total:<5} {figure.share:7.1%}"


def _render_difference(difference: Disagreement) -> Iterator[str]:
    mark = "" if difference.because else "   UNEXPLAINED"
    yield f"    {difference.id}: expected {difference.expected}, read {difference.read}{mark}"
    if difference.shown:
        text = _clean(difference.shown)
        yield f"      | {text if len(text) <= MAX_SHOWN else text[: MAX_SHOWN - 1] + '…'}"
    if difference.because:
        yield from _wrap(difference.because, indent=6, hanging=0)


def _render_end(sections: tuple[Section, ...]) -> Iterator[str]:
    missed = sum(not d.met for s in sections for d in s.demands)
    differing = sum(len(s.disagreements) for s in sections)
    unexplained = sum(len(s.unexplained) for s in sections)
    yield "-" * 27
    yield f"{sum(len(s.demands) for s in sections) - missed} demands met, {missed} missed"
    yield f"{differing} disagreements, {differing - unexplained} explained, {unexplained} UNEXPLAINED"
    yield "good" if is_good(sections) else "NOT good: see MISSED and UNEXPLAINED above"


def _wrap(text: str, *, indent: int, hanging: int = 2) -> list[str]:
    pad = " " * indent
    return textwrap.wrap(_clean(text), WIDTH, initial_indent=pad, subsequent_indent=pad + " " * hanging)


def _clean(text: str) -> str:
    # real mail may hold control characters that drive a terminal
    return as_printable(" ".join(text.split()), " ")
