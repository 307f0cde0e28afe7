"""Whether the receiving host found a mail to come from its author's domain (SPF, DKIM, DMARC)."""

from __future__ import annotations

import re
from collections.abc import Sequence

from kipflow.domain.senders import Authentication
from kipflow.mail.content.headers import Headers
from kipflow.mail.content.senders import Sender
from kipflow.mail.content.trace import find_results, is_aligned

_METHOD = re.compile(r"\s*(dmarc|dkim|spf)\s*=\s*([a-z]{1,20})\b", re.IGNORECASE)
#: The property of a result that names the domain it is about.
_DOMAIN = {
    "dmarc": re.compile(r"(?<![\w.-])header\.from\s*=\s*\"?(?:[^\s;\"@]{0,200}@)?([^\s;\"@]{1,255})", re.IGNORECASE),
    "dkim": re.compile(r"(?<![\w.-])header\.(?:d|i)\s*=\s*\"?(?:[^\s;\"@]{0,200}@)?([^\s;\"@]{1,255})", re.IGNORECASE),
    "spf": re.compile(r"(?<![\w.-])smtp\.mailfrom\s*=\s*\"?<?(?:[^\s;\"@]{0,200}@)?([^\s;\"@>]{1,255})", re.IGNORECASE),
}


def find_authentication(headers: Headers, receivers: Sequence[str], sender: Sender) -> Authentication:
    """What the receiving hosts recorded about the domain of a mail's author; unknown where none are configured.

    A result speaks for the author only if it is about the author's domain. Where a list sends in its own name, its
    domain passes, and says nothing of who wrote. A host that found another domain in From than is read here, the
    author's or the list's, speaks against the mail, whatever passed besides: it says what an odd From meant to it.
    """
    domain, written = (address.rpartition("@")[2].lower() for address in (sender.address, sender.written))
    lines = find_results(headers, receivers) if domain else ()
    results = [result for line in lines for result in line.split(";")]
    if any(_is_about_another(result, (domain, written)) for result in results):
        return Authentication.FAILED
    found = {_judge(result, domain) for result in results}
    return next((kind for kind in (Authentication.PASSED, Authentication.FAILED) if kind in found), _UNKNOWN)


_UNKNOWN = Authentication.UNKNOWN


def _is_about_another(result: str, own: Sequence[str]) -> bool:
    author = _DOMAIN["dmarc"].search(result)
    return author is not None and not any(is_aligned(_clean(author[1]), domain) for domain in own)


def _judge(result: str, domain: str) -> Authentication:
    """What one result says of an author whose address is in `domain`."""
    method = _METHOD.match(result)
    about = _DOMAIN[method[1].lower()].search(result) if method is not None else None
    if method is None or about is None or not is_aligned(_clean(about[1]), domain):
        return _UNKNOWN
    outcome = method[2].lower()
    if outcome == "pass":
        return Authentication.PASSED
    return Authentication.FAILED if method[1].lower() == "dmarc" and outcome == "fail" else _UNKNOWN


def _clean(domain: str) -> str:
    return domain.lower().rstrip(".").removesuffix(".invalid")
