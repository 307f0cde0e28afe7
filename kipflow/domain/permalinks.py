"""Where a mail can be read by a person."""

from __future__ import annotations

from urllib.parse import quote

from kipflow.domain.sameids import find_given_id

#: Ids that kipflow made for mails that came without one, or with one too long to keep: no archive knows them.
_OWN = ("@missing>", "@long>")


def render_permalink(template: str, message_id: str) -> str:
    """The address in `template` (with "{mid}") of a mail; empty where no archive can have it.

    >>> render_permalink("https://lists.x.example/thread/{mid}", "<a/b?c#d@x.example>")
    'https://lists.x.example/thread/a%2Fb%3Fc%23d@x.example'
    >>> render_permalink("https://lists.x.example/thread/{mid}", "<kipflow.9f86d0@missing>")
    ''
    """
    name = find_given_id(message_id.strip())
    if not template or not name.strip("<>") or name.endswith(_OWN):
        return ""
    return template.replace("{mid}", quote(name.strip("<>"), safe="@", errors="replace"))
