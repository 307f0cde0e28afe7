"""What can go wrong, as one family, so that an entry point can catch `KipflowError` and nothing else.

Every error carries its data as attributes and says in one line what to do about it.
"""

from __future__ import annotations

import difflib
from collections.abc import Sequence
from typing import TypeVar

E = TypeVar("E", bound="KipflowError")


class KipflowError(Exception):
    """Base of every error that kipflow raises on purpose; `str()` of it is fit for a user."""


class ConfigError(KipflowError):
    """A configuration file is wrong: the file, the key, what was expected there. `message` replaces the usual text."""

    def __init__(self, *, file: str, key: str, expected: str, message: str = "") -> None:
        super().__init__(message or f"{file}: {key}: expected {expected}")
        self.file, self.key, self.expected = file, key, expected


class MissingFile(ConfigError):
    """A configuration file that does not exist: what was looked for, and which files there are."""

    def __init__(self, *, file: str, what: str, wanted: str, known: Sequence[str]) -> None:
        near = difflib.get_close_matches(wanted, known, n=1)
        guess = f"; did you mean {near[0]}?" if near else ""
        message = f"{file}: no such {what}{guess} (found there: {', '.join(known) or 'none'})"
        super().__init__(file=file, key="(file)", expected=what, message=message)


class UnknownProposal(KipflowError):
    """A proposal number that no stored fact mentions."""

    def __init__(self, number: int) -> None:
        super().__init__(f"no proposal {number} is known; run `kipflow status` for the ones that are")
        self.number = number


class IllegalTransition(KipflowError):
    """A transition that the stage table does not have."""

    def __init__(self, *, number: int, source: str, target: str) -> None:
        super().__init__(f"proposal {number}: no rule leads from {source} to {target}")
        self.number, self.source, self.target = number, source, target


class UnreadableInput(KipflowError):
    """A file, mail or page that could not be read at all; the run goes on without it."""

    def __init__(self, *, source: str, why: str) -> None:
        super().__init__(f"{source}: {why}")
        self.source, self.why = source, why


class ServiceUnavailable(KipflowError):
    """An outside service did not give a usable answer after the allowed retries."""

    def __init__(self, *, service: str, url: str, why: str) -> None:
        super().__init__(f"{service}: {url}: {why}")
        self.service, self.url, self.why = service, url, why


class SaveConflict(KipflowError):
    """Someone else saved the page first: read it again and decide again."""

    def __init__(self, *, page_id: str, version: int) -> None:
        super().__init__(f"page {page_id} is already past version {version}; read it again")
        self.page_id, self.version = page_id, version


class RateLimited(KipflowError):
    """The service asks to come back later."""

    def __init__(self, *, service: str, retry_after: float) -> None:
        super().__init__(f"{service} asks to wait {retry_after:g} s")
        self.service, self.retry_after = service, retry_after


class Withheld(RateLimited):
    """The service refuses everything until somebody fixes a setting there; all effects wait until then."""

    def __init__(self, *, service: str, why: str, retry_after: float) -> None:
        super().__init__(service=service, retry_after=retry_after)
        self.args = (f"{service} refuses everything: {why}; what waits is tried again in {retry_after / 60:g} minutes",)
        self.why = why


class Refused(ServiceUnavailable):
    """The service answered and did nothing: the request can safely be repeated."""


class DeliveryUnclear(KipflowError):
    """The service cannot say whether an effect went out: a person must look."""


class LaunchFailed(KipflowError):
    """A part of a local run could not start, or ended before its work was done.

    `log` is the log file with the details, if there is one.
    """

    def __init__(self, *, what: str, why: str, log: str | None = None) -> None:
        super().__init__(f"{what}: {why}" + (f" (log: {log})" if log else ""))
        self.what, self.why, self.log = what, why, log


#: The most errors that are named; nobody fixes more at once.
_MOST_NOTES = 50


def join_errors(errors: Sequence[E]) -> E:
    """The first error, with the next ones as its notes, which the command line prints as a line each."""
    for other in errors[1:_MOST_NOTES]:
        errors[0].add_note(str(other))
    if len(errors) > _MOST_NOTES:
        errors[0].add_note(f"… and {len(errors) - _MOST_NOTES:,} more errors")
    return errors[0]
