"""The report as plain text and as JSON. The same data give the same bytes."""

from __future__ import annotations

import json
import textwrap
from collections.abc import Iterator
from dataclasses import asdict

from tools.accuracy.findings import Disagreement, Section, is_good

WIDTH = 100
MAX_SHOWN = 160


def render_json(sections: tuple[Section, ...]) -> str:
    """All figures, demands, disagreements and lists."""
    told = [{**asdict(s), "unexplained": len(s.unexplained)} for s in sections]
    return json.dumps({"schema": 1, "good": is_good(sections), "sections": told}, indent=2, ensure_ascii=False)


def render_text(sections: tuple[Section, ...]) -> str:
    """For a person: each section with figures, demands, then what differs and why."""
    lines = ["How kipflow reads real mail", "=" * 27]
    for section in sections:
        lines += ["", section.title, f"  {section.about}", *_render_figures(section)]
        lines += [f"  {'ok    ' if d.met else 'MISSED'} {_clean(d.name)}" for d in section.demands]
        if section.disagreements:
            lines += ["", f"  differs ({len(section.disagreements)})"]
            for difference in section.disagreements:
                lines += _render_difference(difference)
        if section.listed:
            lines += ["", f"  {section.listed_title}"]
            for name, why in section.listed:
                lines += _wrap(f"{name}: {why}", indent=4)
    return "\n".join([*lines, "", *_render_end(sections), ""])


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
    return "".join(c if c.isprintable() else " " for c in " ".join(text.split()))
