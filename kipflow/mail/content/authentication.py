"""Whether the receiving host confirmed that a mail comes from its author's domain (SPF, DKIM, DMARC)."""

from __future__ import annotations

import re
from collections.abc import Sequence

from kipflow.domain.senders import AddressSource, Authentication
from kipflow.mail.content.headers import Headers
from kipflow.mail.content.senders import Sender
from kipflow.mail.content.trace import Results, find_results, is_aligned

_METHOD = re.compile(r"\s*(dmarc|dkim|spf)\s*=\s*([a-z]{1,20})\b", re.IGNORECASE)
#: The property of a result that names the domain it is about.
_DOMAIN = {
    "dmarc": re.compile(r"(?<![\w.-])header\.from\s*=\s*\"?(?:[^\s;\"@]{0,200}@)?([^\s;\"@]{1,255})", re.IGNORECASE),
    "dkim": re.compile(r"(?<![\w.-])header\.(?:d|i)\s*=\s*\"?(?:[^\s;\"@]{0,200}@)?([^\s;\"@]{1,255})", re.IGNORECASE),
    "spf": re.compile(r"(?<![\w.-])smtp\.mailfrom\s*=\s*\"?<?(?:[^\s;\"@]{0,200}@)?([^\s;\"@>]{1,255})", re.IGNORECASE),
}


def find_authentication(headers: Headers, receivers: Sequence[str], sender: Sender) -> Authentication:
    """What the receiving hosts recorded about the domain of a mail's author; unknown if no hosts are configured.

    A result supports the author only if it is about the author's domain. A list that sends in its own name passes for
    its own domain, which says nothing about the writer. Three things count against the mail. The host found
    another domain in From than is read here (the author's or the list's), whatever else passed: it read an odd From
    differently. The domain's signature and SPF both failed, and nothing is signed: each alone may be due to a relay.
    Nothing passed for an address that a list is said to have hidden: lists hide addresses of domains whose failing
    mail is refused, and anybody can write ".INVALID".
    """
    domain, written = (address.rpartition("@")[2].lower() for address in (sender.address, sender.written))
    found = find_results(headers, receivers) if domain else Results()
    results = [result for line in found.trusted for result in line.split(";")]
    below = [result for line in found.below for result in line.split(";")]
    if any(_is_about_another(result, (domain, written)) for result in results):
        return Authentication.FAILED
    passed = {_find_passed(result, domain) for result in results} - {""}
    # without a line from outside nothing is trusted, and a pass may be the host's own
    is_passed = bool(passed) or (not found.has_entry and any(_find_passed(result, domain) for result in below))
    doubted = [] if is_passed else below
    refuted = any(_is_refused(result, domain) for result in (*results, *doubted))
    if passed - {"spf"} or (passed and not refuted):  # after a failed DMARC an SPF pass proves nothing
        return Authentication.PASSED
    outcomes = {(m[1].lower(), m[2].lower()) for m in map(_METHOD.match, results) if m is not None}
    is_signed = ("dkim", "pass") in outcomes  # by a relay, or by the author's sending host
    refuted = refuted or (not is_signed and _failed_both(results, domain))
    if sender.source is AddressSource.RECOVERED and any(outcome != "temperror" for _, outcome in outcomes):
        refuted = refuted or not any(_find_passed(result, written) for result in results)
    return Authentication.FAILED if refuted else Authentication.UNKNOWN


def _is_about_another(result: str, own: Sequence[str]) -> bool:
    author = _DOMAIN["dmarc"].search(result)
    return author is not None and not any(is_aligned(_clean(author[1]), domain) for domain in own)


def _read(result: str, domain: str) -> tuple[str, str]:
    """Method and outcome of a result that is about an author whose address is in `domain`."""
    method = _METHOD.match(result)
    about = _DOMAIN[method[1].lower()].search(result) if method is not None else None
    is_own = about is not None and is_aligned(_clean(about[1]), domain)
    return (method[1].lower(), method[2].lower()) if method is not None and is_own else ("", "")


def _find_passed(result: str, domain: str) -> str:
    """The method by which a result confirms `domain`; "" for any other result."""
    method, outcome = _read(result, domain)
    return method if outcome == "pass" else ""


def _is_refused(result: str, domain: str) -> bool:
    return _read(result, domain) == ("dmarc", "fail")


_FAILED = frozenset({"fail", "hardfail"})


def _failed_both(results: Sequence[str], domain: str) -> bool:
    """Whether the domain's signature failed, and SPF for any envelope: each alone proves nothing against a mail."""
    signature = any(_read(result, domain) in {("dkim", outcome) for outcome in _FAILED} for result in results)
    envelopes = (m for r in results if (m := _METHOD.match(r)) is not None and _DOMAIN["spf"].search(r))
    return signature and any(m[1].lower() == "spf" and m[2].lower() in _FAILED for m in envelopes)


def _clean(domain: str) -> str:
    return domain.lower().rstrip(".").removesuffix(".invalid")
