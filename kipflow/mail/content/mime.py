"""Decodes a mail's body to text: the parts of a MIME tree that a reader sees.

Written over bytes with caps on parts, depth and size, because a hostile mail must cost no more than an
honest one. What is left out (attachments, attached mails, parts past a cap) is never a vote.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from kipflow.mail import limits
from kipflow.mail.content.headers import Headers, note_limits, split_mail
from kipflow.mail.content.leaves import ContentType, Wanted, parse_content_type, read_leaf
from kipflow.mail.relevance import fold_case, has_any


@dataclass(slots=True)
class _Budget:
    """The remaining budget for one mail; `note` is called if it is exceeded, HTML is read only if it `is_wanted`."""

    note: limits.Note
    is_wanted: Wanted
    parts: int = limits.PARTS.size
    text: int = limits.TEXT.size
    #: Alternatives to a text that was read.
    alternatives: list[bytes] = field(default_factory=list)


def want_all(source: str) -> bool:
    del source
    return True


def find_texts(
    headers: Headers, body: bytes, note: limits.Note, is_wanted: Wanted = want_all
) -> tuple[str, list[bytes]]:
    """The text that a reader of this mail sees, and the parts that another program may show instead.

    The text includes quotes and is capped in length; HTML is included only if wanted.
    """
    budget = _Budget(note, is_wanted)
    texts = _collect(headers, body, depth=0, budget=budget)
    return "\n".join(t for t in texts if t)[: limits.TEXT.size], budget.alternatives


#: Parts that hold what the mail says; a whole body of another text type is read as plain text.
_READ_TYPES = frozenset(
    {"text/plain", "text/html", "text/enriched", "text/richtext", "text/markdown", "text/x-markdown"}
)


def _collect(headers: Headers, body: bytes, *, depth: int, budget: _Budget) -> list[str]:
    budget.parts -= 1
    if (reached := _find_reached(depth, budget)) is not None:
        budget.note(reached)
        return []
    declared = headers.text("content-type")
    if len(declared) > limits.CONTENT_TYPE.size:
        budget.note(limits.CONTENT_TYPE)
    content = parse_content_type(declared)
    if content.type.startswith("multipart/"):
        parts = split_parts(body, content.params.get("boundary", ""), limit=budget.parts + 1)
        if len(parts) > budget.parts:
            budget.note(limits.PARTS)
            del parts[budget.parts :]
        if parts:
            return _collect_multipart(content.type, parts, depth=depth, budget=budget)
        content = ContentType()  # a multipart without parts: read it as the text it is
    elif _is_left_out(content, headers, depth):
        budget.note(limits.ATTACHED)
        return []
    elif not content.type.startswith("text/"):
        content = ContentType()
    if len(body) > limits.PART.size:
        budget.note(limits.PART)
    encoding = headers.text("content-transfer-encoding")
    text = read_leaf(content, encoding, body[: limits.PART.size], budget.note, budget.is_wanted)
    if len(text) > budget.text:
        budget.note(limits.TEXT)
    text = text[: budget.text]
    budget.text -= len(text)
    return [text]


def _is_left_out(content: ContentType, headers: Headers, depth: int) -> bool:
    """Whether a part is an attachment, or of a type that is not read (a calendar's entry, a visiting card, a patch)."""
    if not depth:
        return content.type.split("/")[0] in {"message", "application", "image", "audio", "video"}
    disposition = headers.text("content-disposition").lower()
    # an inline part with a file name is a patch or a log; patches hold lines that start with +1
    return content.type not in _READ_TYPES or disposition.startswith("attachment") or "filename" in disposition


def _find_reached(depth: int, budget: _Budget) -> limits.Limit | None:
    """The limit that keeps a part from being read."""
    if budget.parts < 0:
        return limits.PARTS
    if depth > limits.DEPTH.size:
        return limits.DEPTH
    return limits.TEXT if budget.text <= 0 else None


def _collect_multipart(kind: str, parts: list[bytes], *, depth: int, budget: _Budget) -> list[str]:
    if kind == "multipart/digest":
        budget.note(limits.ATTACHED)
        return []
    if kind in {"multipart/signed", "multipart/related", "multipart/report"}:
        parts = parts[:1]
    found: list[tuple[str, list[str]]] = []
    for index, part in enumerate(parts):
        headers, body = split_mail(part)
        note_limits(part, headers, budget.note)
        content = parse_content_type(headers.text("content-type"))
        texts = _collect(headers, body, depth=depth + 1, budget=budget)
        if kind == "multipart/alternative" and content.type == "text/plain" and _is_complete(texts):
            budget.alternatives.extend(parts[index + 1 :])  # they need not be read, unless they say something else
            return texts
        if kind != "multipart/alternative" and any(texts for _, texts in found) and _is_file(content):
            continue  # "text/plain; name=fix.txt" after the text, without a disposition
        found.append((content.type, texts))
    if kind != "multipart/alternative":
        return [text for _, texts in found for text in texts]
    filled = [(type_, texts) for type_, texts in found if any(text.strip() for text in texts)]
    plain = [texts for type_, texts in filled if type_ == "text/plain"][:1]
    rich = [texts for type_, texts in filled if type_ != "text/plain"][-1:]
    if plain and rich and _is_twin(plain[0], rich[0]):
        budget.alternatives.extend(parts)
        return plain[0]
    if plain and rich:
        return rich[0]
    return next(iter(plain + rich), [])


_PLACEHOLDER = re.compile(
    r"(?:html|mime|e-?mail client|mail reader)[^\n]{0,60}(?:support|view|display|capable|enable)"
    r"|(?:view|display|support)[^\n]{0,60}html",
    re.IGNORECASE,
)


# a vote or a quote: no program writes these in a text of its own
_VOTE_LIKE = re.compile(r"[+\u2212-]\s?[01]\b|^\s*>", re.MULTILINE)
_LONGEST_PLACEHOLDER = 250


def _is_placeholder(text: str) -> bool:
    """Whether a text asks for an HTML viewer, as the plain part from some programs does."""
    folded = fold_case(text)
    return has_any(("html", "mime", "mail"), folded) and _PLACEHOLDER.search(text) is not None


def _is_complete(texts: list[str]) -> bool:
    """Whether a plain alternative certainly holds what the mail says, judged by itself."""
    text = "".join(texts).strip()
    return len(text) >= _LONGEST_PLACEHOLDER or (_VOTE_LIKE.search(text) is not None and not _is_placeholder(text))


def _is_twin(plain: list[str], rich: list[str]) -> bool:
    """Whether a short plain alternative says the same as its HTML, not only that there is some ("use a browser")."""
    if _PLACEHOLDER.search("".join(plain)) is not None:
        return False
    words = set(re.findall(r"\w{3,}", "".join(plain).casefold()))
    shown = set(re.findall(r"\w{3,}", "".join(rich).casefold()))
    return len(words & shown) * 2 >= len(words)


def _is_file(content: ContentType) -> bool:
    return re.search(r"\.\w{1,8}$", content.params.get("name", "").strip()) is not None


def split_parts(body: bytes, boundary: str, *, limit: int = limits.PARTS.size) -> list[bytes]:
    """The parts of a multipart body. A missing end is forgiven, text around the parts is dropped."""
    if not boundary:
        return []
    mark = b"--" + boundary.encode("latin-1", "replace").strip()
    parts: list[bytes] = []
    start = -1
    position = 0 if body.startswith(mark) else _next_mark(body, mark, 0)
    while position >= 0 and len(parts) < limit:
        if start >= 0:
            parts.append(body[start : max(start, position - 1)])
        after = position + len(mark)
        line_end = body.find(b"\n", after)
        closing = body[after : after + 2] == b"--"
        if line_end < 0 or closing:
            return parts
        start = line_end + 1
        position = _next_mark(body, mark, line_end)
    if start >= 0 and len(parts) < limit:
        parts.append(body[start:])
    return parts


def _next_mark(body: bytes, mark: bytes, position: int) -> int:
    """Where the next boundary line starts. A longer boundary with the same beginning is another one."""
    while True:
        found = body.find(b"\n" + mark, position)
        if found < 0:
            return -1
        tail = body[found + 1 + len(mark) : found + 200 + len(mark)].split(b"\n", 1)[0].strip()
        if tail in (b"", b"--"):
            return found + 1
        position = found + 1
