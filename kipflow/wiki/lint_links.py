"""Faults of the links on a page: the thread in which it is discussed, and its ticket."""

from __future__ import annotations

import re
from urllib.parse import urlsplit

from kipflow.domain.pagefaults import Norms, PageFault
from kipflow.domain.texts import cut, is_web_address
from kipflow.wiki.pages import Field
from kipflow.wiki.plaintext import ADDRESS
from kipflow.wiki.template import has_hint

#: Hosts that show the threads of lists, with their sub-domains.
LIST_HOSTS = (
    *("lists.apache.org", "mail-archives.apache.org", "mail-archives.eu.apache.org", "mail-archive.com"),
    *("markmail.org", "marc.info", "s.apache.org", "nabble.com"),
)
_TICKET = re.compile(r"\b[A-Z][A-Z0-9]{1,15}-[1-9]\d{0,6}\b")


def lint_discussion(field: Field | None, norms: Norms) -> list[PageFault]:
    fix = "link the [DISCUSS] thread in the list's archive"
    if field is None and "discussion" not in norms.fields:
        return []
    if field is None:
        return [PageFault(code="K06", place="Status", what="no discussion thread", fix=fix)]
    hosts = {urlsplit(a).hostname or "" for a in find_addresses(field)}
    if not hosts:
        what = "discussion thread is the template's" if has_hint(field.value) else _say("discussion thread", field)
    elif not any(is_list_host(host, norms) for host in hosts):
        what = f"discussion thread is on {', '.join(sorted(hosts))}, not on the list"
    elif has_hint(field.value):
        what, fix = "the template's hint is still beside the discussion thread", "delete the hint"
    else:
        return []
    return [PageFault(code="K06", place="Status", what=what, fix=fix)]


def find_addresses(field: Field) -> list[str]:
    addresses = [a for a in field.links if is_web_address(a)]
    return [*addresses, *ADDRESS.findall(field.value)]


def is_list_host(host: str, norms: Norms) -> bool:
    known = (*LIST_HOSTS, *norms.list_hosts)
    return host.startswith("lists.") or any(host == h or host.endswith(f".{h}") for h in known)


def lint_ticket(field: Field | None, prefix: str, norms: Norms) -> list[PageFault]:
    project = norms.project
    fix = f"name the ticket that tracks the work{f' ({project}-N)' if project else ''}"
    if "jira" not in norms.fields:
        return []
    if field is None:
        return [PageFault(code="K07", place="Status", what="no JIRA ticket", fix=fix)]
    # the template links KAFKA-1; the first ticket of a project is older than its proposals
    untouched = {"KAFKA-1", f"{project}-1"}
    text = " ".join([field.value, *field.links, *field.tickets])
    hint = has_hint(field.value)
    keys = [k for k in dict.fromkeys(_TICKET.findall(text)) if not k.startswith(f"{prefix}-") and k not in untouched]
    foreign = bool(project and keys) and not any(k.startswith(f"{project}-") for k in keys)
    if not keys:
        what = "JIRA is the template's" if hint else _say("JIRA", field)
    elif foreign:
        what = f"{keys[0]} is no ticket of {project}" + (", and the template's hint is still beside it" if hint else "")
    elif hint:
        what, fix = "the template's hint is still beside the ticket", "delete the hint"
    else:
        return []
    return [PageFault(code="K07", place="Status", what=what, fix=fix)]


def _say(name: str, field: Field) -> str:
    return f"{name} is {quote(field.value)}" if field.value else f"{name} is empty"


def quote(text: str) -> str:
    """Somebody's words in quotation marks, cut if they are long."""
    return f'"{cut(text, 80)}"'
