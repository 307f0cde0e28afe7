"""Whether a box ended as boxes do, or was broken off: one definition for downloads, files and parts of large files."""

from __future__ import annotations

import re

from kipflow.mbox.separators import Form

#: Bytes in which a multipart mail declares its boundary.
_HEAD = 64 * 1024
_BLANK = re.compile(rb"\n\r?\n")
_HEADER = re.compile(rb"[!-9;-~]{1,76}:")
_MULTIPART = re.compile(rb"\n(?i:content-type)[ \t]*:[ \t\r\n]*(?i:multipart)/(?:[^\r\n]|\r?\n[ \t]){0,2000}")
_BOUNDARY = re.compile(rb"(?i:boundary)\s*=\s*(?:\"([^\"\r\n]{1,200})\"|([^\s;\"]{1,200}))")

DAMAGED = "where the file is damaged"
MID_LINE = "in the middle of a line"
IN_HEADERS = "within the headers of its last mail"
IN_PARTS = "before the parts of its last mail end"
NO_LINE_LEFT = "without the empty line that ends every other mail of it"


def find_cut(mail: bytes, form: Form, *, after_others: bool, whole: bool) -> str:
    """How the end of a box's last mail shows that it was cut off; empty if nothing shows that.

    Args:
        mail: its bytes, from the line that separates it from the one before.
        form: what the box's mails have in common.
        after_others: whether other mails come before it.
        whole: the archive itself confirms that this is all; then a mail whose sender left its parts open is no sign.
    """
    is_boxed = mail.startswith(b"From ")
    ends_line = mail.endswith((b"\n", b"\r"))
    if not ends_line and is_boxed:
        return MID_LINE
    blank = _BLANK.search(mail)
    if blank is None and (is_boxed or (not ends_line and _HEADER.match(mail) is not None)):
        return IN_HEADERS
    if blank is None or whole or (not is_boxed and ends_line):
        return ""
    if not _is_closed(mail, blank.start()):
        return IN_PARTS
    # archives write an empty line after every mail; boxes made by hand may not
    is_odd = form.traced and is_boxed and after_others and not mail.endswith((b"\n\n", b"\n\r\n"))
    return NO_LINE_LEFT if is_odd else ""


def _is_closed(mail: bytes, headers_end: int) -> bool:
    """Whether the mail is of one part, or the last of its parts is followed by the line that ends them."""
    declared = _MULTIPART.search(mail, 0, min(headers_end + 1, _HEAD))
    boundary = None if declared is None else _BOUNDARY.search(declared.group())
    if boundary is None:
        return True
    mark = b"\n--" + (boundary.group(1) or boundary.group(2)).rstrip()
    # a mail that never opens its parts is no multipart
    return mail.find(mark + b"--", headers_end) >= 0 or mail.find(mark, headers_end) < 0
