"""Cleans plain text from mails: clean lines, flowed paragraphs, bounded lengths."""

from __future__ import annotations

import re

from kipflow.mail import limits
from kipflow.mail.quotes.headblocks import is_groupwise

MAX_TEXT, MAX_LINE, MAX_LINES = limits.TEXT.size, limits.LINE.size, limits.LINES.size

# no-break and other blanks to a blank; zero-width characters and direction marks to nothing
_BLANKS = re.compile(r"[\u00a0\u1680\u2000-\u200a\u202f\u205f\u3000\t\f\v]")
_NOTHING = re.compile(r"[\u200b-\u200f\u202a-\u202e\u2060-\u2064\ufeff\u00ad\r]")

# full-width forms and the many dashes that mail programs put where a minus was typed
_PLAIN = str.maketrans(
    "＋﹢➕－（）：；，．！？０１２３４５６７８９［］【】〔〕＜＞−﹣‐‑⁺⁻٠١۰۱०१",
    "+++-():;,.!?0123456789[][]()<>----+-010101",
)
_DASH_BEFORE_DIGIT = re.compile(r"[–—](?=\s?[01](?:\D|$))")
_EMPHASIS = re.compile(r"(?<![\w*])[*_`~]{1,3}(?=[+\-\w(\[])|(?<=[\w.)!\]])[*_`~]{1,3}(?![\w*])")

# a line of the author's with an override of its direction, or with a value that is struck out
_TURNED = re.compile(
    r"^(?!>)(?=[^\n]*(?:[+\-\u2212]\s?[01](?!\w)|(?<!\w)[01]\s?[+\-\u2212]))[^\n]*[\u202b\u202d\u202e\u2067]"
    r"|^(?!>)[^\n]*(?:[+\-\u2212]|(?<!\w)[01])[\u0300-\u036f\u20d0-\u20e2\u20e4-\u20f0]",
    re.MULTILINE,
)


def plain(line: str) -> str:
    """A line with full-width signs, typographic minus and emphasis marks made plain."""
    if line.isascii():
        if not ("*" in line or "_" in line or "`" in line or "~" in line):
            return line
    else:
        line = _DASH_BEFORE_DIGIT.sub("-", line.translate(_PLAIN))
    return _EMPHASIS.sub("", line)


def clean_lines(text: str, note: limits.Note = limits.ignore) -> list[str]:
    """The lines of a mail text, blanks evened out, lengths capped. Trailing blanks stay ("-- ")."""
    if len(text) > MAX_TEXT:
        note(limits.TEXT)
    text = text[:MAX_TEXT]
    if "\r" in text:
        text = text.replace("\r\n", "\n").replace("\r", "\n")
    if "&nbsp;" in text:  # left over from HTML
        text = text.replace("&nbsp;", " ")
    if not text.isascii():
        if _TURNED.search(text) is not None:
            note(limits.TURNED)
        text = text.replace("\u2028", "\n").replace("\u2029", "\n")
        text = _NOTHING.sub("", _BLANKS.sub(" ", text))
    else:
        text = text.replace("\t", " ").replace("\f", " ").replace("\v", " ")
    lines = text.split("\n", MAX_LINES)
    if len(lines) > MAX_LINES and lines.pop().strip():
        note(limits.LINES)
    if max(map(len, lines)) <= MAX_LINE:
        return lines
    if any(len(line) > MAX_LINE and not line.startswith(">") for line in lines):
        note(limits.LINE)
    return [line[:MAX_LINE] for line in lines]


def unflow(text: str, *, delsp: bool = False, note: limits.Note = limits.ignore) -> str:
    """Join the soft breaks of format=flowed text (RFC 3676) within one depth of quoting."""
    if len(text) > MAX_TEXT:
        note(limits.TEXT)
    out: list[str] = []
    open_depth: int | None = None
    for raw in text[:MAX_TEXT].replace("\r\n", "\n").split("\n"):
        if is_groupwise(raw):
            out.append(raw)  # no quote of depth three: it introduces a quote without marks
            open_depth = None
            continue
        depth = len(raw) - len(raw.lstrip(">"))
        content = raw[depth:]
        if content.startswith(" "):
            content = content[1:]  # space-stuffing
        is_signature = content in ("-- ", "--")
        if open_depth is not None and open_depth == depth and not is_signature and len(out[-1]) < MAX_LINE:
            out[-1] += content
        else:
            out.append("> " * depth + content if depth else content)
        flows = content.endswith(" ") and not is_signature
        open_depth = depth if flows else None
        if flows and delsp:
            out[-1] = out[-1][:-1]
    return "\n".join(out)
