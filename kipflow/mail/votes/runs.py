"""Lines that begin with a written vote, and runs of such lines: a legend, a list, or votes on several things."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from kipflow.mail.votes.technical import is_technical
from kipflow.mail.votes.values import find_values, skip_bullet

FIRST_PERSON = re.compile(r"\b(?:i|my|me|mine|i['’]m|myself)\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class LeadingValue:
    """A line that starts with a written vote: `after` is what follows the value."""

    index: int
    value: str
    after: str


# a zero in a list of choices; alone on its line it may be a vote like any other
_LISTED_ZERO = re.compile(r"^\s*(?:[-*•]\s+)?(?P<value>0)(?:\s*[:=–-]\s|\s+[A-Za-z(]|\s*$)")


def find_leading_values(lines: Sequence[str]) -> list[LeadingValue]:
    """Lines (made plain) that begin with a written vote."""
    found = []
    for index, line in enumerate(lines):
        if "0" not in line and "1" not in line:
            continue
        zero = _LISTED_ZERO.match(line)
        if zero is not None:
            found.append(LeadingValue(index, "0", line[zero.end("value") :]))
            continue
        start = skip_bullet(line)
        values = find_values(line)
        if (
            values
            and values[0].start() <= start
            and not is_technical(line[: values[0].start()], line[values[0].end() :])
        ):
            found.append(LeadingValue(index, "".join(values[0].group("value").split()), line[values[0].end() :]))
    return found


_ON_PART = re.compile(
    r"^\s*(?:\([^()]{0,20}\)\s*)?(?:(?:on|for|to|with)\s+(?!(?:yes|no|accept|approv|agree|releas|reject|disagree|"
    r"in favou?r)\w*)\w|\(?(?:non[- ]?)?binding\b)",
    re.IGNORECASE,
)
_EXPLAINS = re.compile(
    r"\b(?:vot(?:e|es|ing)|reply|respond|use|means?|options?|legend|choices)\b[^.]{0,60}:?\s*$", re.IGNORECASE
)


def votes_on_parts(run: Sequence[LeadingValue], lines: Sequence[str]) -> bool:
    """Whether two differing values each go on to say what they are for: votes of somebody, not a legend.

    "+1 for the sources / -1 for the images" says something of this release; "+1 approve / -1 disapprove",
    or any list below "Please vote:", says how to vote.
    """
    if not all(_ON_PART.match(v.after) for v in run) or any(v.value.strip("+-") == "0" for v in run):
        return False
    above = next((x for x in reversed(lines[: run[0].index]) if x.strip()), "")
    return _EXPLAINS.search(above) is None or FIRST_PERSON.search(above) is not None


_VERSION = re.compile(r"^[^.\d]{0,24}(\d{1,4}\.\d{1,4}(?:\.\w{1,8})*)")


def name_versions(run: Sequence[LeadingValue]) -> bool:
    """Whether each line names a version of its own: "+1 (1.1.4)", "-1 (1.2.1)"."""
    named = {match.group(1) for v in run if (match := _VERSION.match(v.after)) is not None}
    return len(run) > 1 and len(named) == len(run)


def find_runs(leading: list[LeadingValue], lines: Sequence[str]) -> list[list[LeadingValue]]:
    """Leading values with nothing but blank lines (or one short line) between them."""
    runs: list[list[LeadingValue]] = []
    for value in leading:
        if runs:
            between = [line for line in lines[runs[-1][-1].index + 1 : value.index] if line.strip()]
            if not between or (len(between) <= 1 and len(runs[-1]) > 1 and len(between[0]) < 90):
                runs[-1].append(value)
                continue
        runs.append([value])
    return runs
