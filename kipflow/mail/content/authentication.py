"""Whether the receiving host found a mail to come from its author's domain (SPF, DKIM, DMARC)."""

from __future__ import annotations

import re
from collections.abc import Sequence

from kipflow.domain.senders import Authentication
from kipflow.mail.content.headers import Headers
from kipflow.mail.content.trace import find_results

_COMMENT = re.compile(r"\([^()]{0,500}\)")
_METHOD = re.compile(r"\s*(dmarc|dkim|spf)\s*=\s*([a-z]{1,20})\b", re.IGNORECASE)
#: The property of a result that names the domain it is about.
_DOMAIN = {
    "dmarc": re.compile(r"\bheader\.from\s*=\s*\"?(?:[^\s;\"@]{0,200}@)?([^\s;\"@]{1,255})", re.IGNORECASE),
    "dkim": re.compile(r"\bheader\.(?:d|i)\s*=\s*\"?(?:[^\s;\"@]{0,200}@)?([^\s;\"@]{1,255})", re.IGNORECASE),
    "spf": re.compile(r"\bsmtp\.mailfrom\s*=\s*\"?<?(?:[^\s;\"@]{0,200}@)?([^\s;\"@>]{1,255})", re.IGNORECASE),
}


def find_authentication(headers: Headers, receivers: Sequence[str], address: str) -> Authentication:
    """What the receiving hosts recorded about the domain of `address`; unknown where none are configured.

    A result speaks for the author only if it is about the author's domain. Where a list sends in its own name, its
    domain passes, and says nothing of who wrote.
    """
    domain = address.rpartition("@")[2].lower()
    failed = False
    for results in find_results(headers, receivers) if domain else ():
        for result in _COMMENT.sub(" ", results).split(";"):
            method = _METHOD.match(result)
            about = _DOMAIN[method[1].lower()].search(result) if method is not None else None
            if method is None or about is None or not is_aligned(about[1].lower().rstrip("."), domain):
                continue
            if method[2].lower() == "pass":
                return Authentication.PASSED
            failed |= method[1].lower() == "dmarc" and method[2].lower() == "fail"
    return Authentication.FAILED if failed else Authentication.UNKNOWN


def is_aligned(one: str, other: str) -> bool:
    """Whether two domains are one organization's: equal, or one below the other.

    Siblings are not: that would need the list of public suffixes. A domain of one label is nobody's.
    """
    above = min(one, other, key=len)
    return "." in above and (one == other or f".{max(one, other, key=len)}".endswith(f".{above}"))
