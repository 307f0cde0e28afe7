"""A mail's body to text: MIME trees, transfer encodings, charsets, flowed and HTML parts.

Written over bytes with caps on parts, depth and size, because a hostile mail must cost no more than an
honest one. What is left out (attachments, attached mails, parts past a cap) is no author's vote.
"""

from __future__ import annotations

import binascii
import re
from dataclasses import dataclass, field
from email.message import Message as _StdMessage
from functools import lru_cache

from kipflow.mail import limits
from kipflow.mail.content.charsets import decode
from kipflow.mail.content.headers import Headers, decode_base64, note_limits, split_mail
from kipflow.mail.content.html import parse_html
from kipflow.mail.content.text import unflow
from kipflow.mail.relevance import fold_case, has_any


@dataclass(slots=True)
class _Budget:
    """What is left to spend on one mail; `note` is told where it is not enough."""

    note: limits.Note
    parts: int = limits.PARTS.size
    text: int = limits.TEXT.size
    #: Alternatives of a text that was read.
    twins: list[bytes] = field(default_factory=list)


@dataclass(frozen=True, slots=True, kw_only=True)
class ContentType:
    """A Content-Type taken apart; names and the type itself in lower case."""

    type: str = "text/plain"
    params: dict[str, str] = field(default_factory=dict)


_PARAM = re.compile(r";\s*([\w*-]{1,40})\s*=\s*(?:\"([^\"]{0,300})\"|([^\s;]{0,300}))")


@lru_cache(maxsize=1024)
def parse_content_type(text: str) -> ContentType:
    """A Content-Type header; anything that is none counts as plain text."""
    head = text.split(";", 1)[0].strip().lower()
    params: dict[str, str] = {}
    for match in _PARAM.finditer(text[: limits.CONTENT_TYPE.size]):
        name = match.group(1).lower()
        value = match.group(2) if match.group(2) is not None else match.group(3)
        base = name.split("*")[0]
        if "*" in name:
            # boundary*0=…; boundary*1=… (RFC 2231): one value in pieces
            value = params.get(base, "") + (value.split("'")[-1] if name.endswith("*") else value)
        elif base in params:
            continue
        params[base] = value
    kind = head if re.fullmatch(r"[\w.+-]+/[\w.+-]+", head) else "text/plain"
    return ContentType(type=kind, params=params)


def find_text(headers: Headers, body: bytes, note: limits.Note = limits.ignore) -> str:
    """The text that a reader of this mail sees, quotes included, capped in length."""
    return find_texts(headers, body, note)[0]


def find_texts(headers: Headers, body: bytes, note: limits.Note = limits.ignore) -> tuple[str, list[bytes]]:
    """The text that a reader of this mail sees, and the parts that another reader may see in place of it."""
    budget = _Budget(note)
    texts = _collect(headers, body, depth=0, budget=budget)
    return "\n".join(t for t in texts if t)[: limits.TEXT.size], budget.twins


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
    text = _read_leaf(content, encoding, body[: limits.PART.size], budget.note)
    if len(text) > budget.text:
        budget.note(limits.TEXT)
    text = text[: budget.text]
    budget.text -= len(text)
    return [text]


def _is_left_out(content: ContentType, headers: Headers, depth: int) -> bool:
    """Whether a part is an attachment, or of a type that is not read (a calendar's entry, a visiting card, a patch)."""
    if not depth:
        return content.type.split("/")[0] in {"message", "application", "image", "audio", "video"}
    return content.type not in _READ_TYPES or _is_attachment(headers)


def _find_reached(depth: int, budget: _Budget) -> limits.Limit | None:
    """The bound that keeps a part from being looked at."""
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
        if kind == "multipart/alternative" and content.type == "text/plain" and _is_told(texts):
            budget.twins.extend(parts[index + 1 :])  # they need not be read, unless they say something else
            return texts
        if kind != "multipart/alternative" and any(texts for _, texts in found) and _is_file(content):
            continue  # "text/plain; name=fix.txt" below the words, disposition left out
        found.append((content.type, texts))
    if kind != "multipart/alternative":
        return [text for _, texts in found for text in texts]
    told = [(type_, texts) for type_, texts in found if any(text.strip() for text in texts)]
    plain = [texts for type_, texts in told if type_ == "text/plain"][:1]
    rich = [texts for type_, texts in told if type_ != "text/plain"][-1:]
    if plain and rich and _is_twin(plain[0], rich[0]):
        budget.twins.extend(parts)
        return plain[0]
    if plain and rich:
        return rich[0]
    return next(iter(plain + rich), [])


_PLACEHOLDER = re.compile(
    r"(?:html|mime|e-?mail client|mail reader)[^\n]{0,60}(?:support|view|display|capable|enable)"
    r"|(?:view|display|support)[^\n]{0,60}html",
    re.IGNORECASE,
)


# a vote or a quote: no program writes these in the words of its own
_TELLING = re.compile(r"[+\u2212-]\s?[01]\b|^\s*>", re.MULTILINE)
_LONGEST_PLACEHOLDER = 250


def _is_placeholder(text: str) -> bool:
    """Whether a text speaks of what shows HTML, as programs do that put nothing else into the plain part."""
    folded = fold_case(text)
    return has_any(("html", "mime", "mail"), folded) and _PLACEHOLDER.search(text) is not None


def _is_told(texts: list[str]) -> bool:
    """Whether a plain alternative surely holds what the mail says, told by itself."""
    text = "".join(texts).strip()
    if not text or _is_placeholder(text[:_LONGEST_PLACEHOLDER]):
        return len(text) >= _LONGEST_PLACEHOLDER
    return len(text) >= _LONGEST_PLACEHOLDER or _TELLING.search(text) is not None


def _is_twin(plain: list[str], rich: list[str]) -> bool:
    """Whether a short plain alternative says what its HTML does, rather than that there is one ("use a browser")."""
    if _PLACEHOLDER.search("".join(plain)) is not None:
        return False
    words = set(re.findall(r"\w{3,}", "".join(plain).casefold()))
    shown = set(re.findall(r"\w{3,}", "".join(rich).casefold()))
    return len(words & shown) * 2 >= len(words)


def _is_attachment(headers: Headers) -> bool:
    disposition = headers.text("content-disposition").lower()
    # an inline part with a file name is a patch or a log; patches hold lines that start with +1
    return disposition.startswith("attachment") or "filename" in disposition


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
    """Where the next boundary line starts. A longer boundary that begins alike is not this one."""
    while True:
        found = body.find(b"\n" + mark, position)
        if found < 0:
            return -1
        tail = body[found + 1 + len(mark) : found + 200 + len(mark)].split(b"\n", 1)[0].strip()
        if tail in (b"", b"--"):
            return found + 1
        position = found + 1


def _read_leaf(content: ContentType, encoding: str, body: bytes, note: limits.Note) -> str:
    data = _decode_transfer(encoding.lower(), body)
    charset = content.params.get("charset")
    if content.type == "text/html" and not charset and (meta := _META_CHARSET.search(data, 0, 4_000)) is not None:
        charset = meta.group(1).decode("ascii")
    if charset and "utf7" in charset.lower().replace("-", "").replace("_", ""):
        note(limits.UTF_7)
    text = decode(data, charset)
    start = text[:200].lstrip().lower()
    if content.type == "text/html" or start.startswith(("<html", "<!doctype html")):
        return parse_html(text, note)
    if content.type in {"text/enriched", "text/richtext"}:
        return _read_enriched(text)
    if content.params.get("format", "").lower() == "flowed":
        return unflow(text, delsp=content.params.get("delsp", "").lower() == "yes", note=note)
    return text


_META_CHARSET = re.compile(rb"<meta[^<>]{0,200}charset\s{0,8}=\s{0,8}[\"']?([\w.:-]{2,40})", re.IGNORECASE)


_PADDED_BREAK = re.compile(rb"=[ \t]{1,80}(?=\r?\n)")
_MAX_PIECES = 200


def _decode_transfer(encoding: str, body: bytes) -> bytes:
    if "base64" in encoding:
        encoded, rest = _cut_base64(body)
        pieces = encoded.split(b"=", _MAX_PIECES)
        # encoded piece by piece, each with a padding of its own
        whole = all(piece.strip() == b"" for piece in pieces[1:])
        decoded = decode_base64(encoded) if whole else b"".join(decode_base64(piece) or b"" for piece in pieces)
        return body if not encoded or decoded is None else decoded + rest
    if "quoted" in encoding:
        # some servers pad lines with blanks, which hides a soft line break from a strict reader
        return binascii.a2b_qp(_PADDED_BREAK.sub(b"=", body) if b"= " in body or b"=\t" in body else body)
    if "uuencode" in encoding:
        part = _StdMessage()
        part["Content-Transfer-Encoding"] = "x-uuencode"
        part.set_payload(body.decode("latin-1"))
        plain = part.get_payload(decode=True)
        return plain if isinstance(plain, bytes) else body
    return body


# two words with a blank between them stand in no line of base64
_PLAIN_LINE = re.compile(rb"^[ \t]*[^\s]+[ \t]+[^\s]", re.MULTILINE)


def _cut_base64(body: bytes) -> tuple[bytes, bytes]:
    """Base64, and the plain text that a list server put below it; all is plain where the claim is wrong."""
    # most base64 holds no blank at all, and the pattern takes long to say so
    plain = _PLAIN_LINE.search(body) if b" " in body or b"\t" in body else None
    if plain is None:
        return body, b""
    encoded, rest = body[: plain.start()], body[plain.start() :]
    # a word or a rule right above belongs to the text: an encoded line is longer, or ends in padding
    lines = encoded.split(b"\n")
    while lines and not _is_base64_line(lines[-1].strip()):
        rest = lines.pop() + b"\n" + rest
    if lines:
        return b"\n".join(lines), b"\n" + rest
    decoded = decode_base64(encoded) or b"\0"  # torn lines, rubbish among them: what comes out tells
    return (encoded, body[plain.start() :]) if _CONTROL.search(decoded) is None else (b"", body)


_CONTROL = re.compile(rb"[\x00-\x08\x0e-\x1f\x7f-\xff]")


def _is_base64_line(line: bytes) -> bool:
    return len(line) % 4 == 0 and re.fullmatch(rb"[A-Za-z0-9+/]{4,}={0,2}", line) is not None


_ENRICHED_TAG = re.compile(r"<(/?)([A-Za-z0-9-]{1,60})>")
_ENRICHED_PARAM = re.compile(r"<param>[^<]{0,500}</param>", re.IGNORECASE)


def _read_enriched(text: str) -> str:
    """RFC 1896 text: an excerpt is a quote, other markup is dropped."""
    text = _ENRICHED_PARAM.sub("", text)
    lines: list[str] = []
    depth = 0
    for line in text.split("\n"):
        depth += len(re.findall(r"<excerpt>", line, re.IGNORECASE))
        plain = _ENRICHED_TAG.sub("", line).replace("<<", "<")
        lines.append("> " * min(depth, 5) + plain if depth else plain)
        depth = max(0, depth - len(re.findall(r"</excerpt>", line, re.IGNORECASE)))
    return "\n".join(lines)
