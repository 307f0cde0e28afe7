"""What mail programs put before a mail that they quote without marks: titles, header blocks, lines of their own."""

from __future__ import annotations

import re

HAS_DATE = re.compile(
    r"\b(?:19|20)\d\d\b|\b\d{1,2}[./-]\d{1,2}[./-]\d{2,4}\b|\b\d{1,2}:\d\d\b|\d{1,2}\s?月|"
    r"<[^<>\s]{1,200}@[^<>\s]{1,200}>"
    r"|\b(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*\b",
    re.IGNORECASE,
)
_DASHES = r"[-_—=*]{2,60}"
ORIGINAL = re.compile(
    rf"^\s*{_DASHES}\s*(?:original(?:\s+(?:message|mail|email|appointment))?|message\s+d['’]origine|message\s+original|"
    r"urspr[uü]ngliche\s+nachricht|urspr[uü]ngliche\s+mail|mensaje\s+original|mensagem\s+original|"
    r"messaggio\s+originale|"
    r"oorspronkelijk\s+bericht|originalmeddelande|ursprungligt\s+meddelande|oprindelig\s+meddelelse|"
    r"opprinnelig\s+melding|"
    r"alkuperäinen\s+viesti|wiadomość\s+oryginalna|исходное\s+сообщение|原始邮件|邮件原件|原始郵件|original\s+message|元のメッセージ|"
    r"forwarded\s+(?:message|by.{0,80})|forwarded\s+mail|weitergeleitete\s+nachricht|message\s+transf[ée]r[ée]|"
    r"mensaje\s+reenviado|回复的原邮件|转发邮件|reply\s+message|replied\s+message)\s*"
    rf"{_DASHES}\s*$|^\s*(?:begin\s+forwarded\s+message|original\s+message|début\s+du\s+message\s+(?:transféré|"
    rf"réexpédié)|"
    r"anfang\s+der\s+weitergeleiteten\s+(?:nachricht|e-?mail)|inicio\s+del\s+mensaje\s+reenviado)\s*:\s*$",
    re.IGNORECASE,
)
# the same without dashes
BARE_TITLE = re.compile(r"^\s*(?:original(?:\s+(?:message|mail|e-?mail))?|原始邮件|原始郵件)\s*$", re.IGNORECASE)
# any title between dashes: it begins a quote only with a header block below it
TITLE = re.compile(r"^\s*[-_—=*]{3,60}(?:&nbsp;|\s)?[^-_—=*\s].{0,120}?[-_—=*]{3,60}\s*$")
HEADER_LINE = re.compile(
    r"^\s*\*{0,2}\s*(from|sent|date|to|cc|subject|reply-to|importance|"
    r"von|gesendet|datum|an|betreff|kopie|de|envoyé|envoye|date|à|a|objet|enviado(?: el| em)?|enviada(?: em)?|fecha|"
    r"para|asunto|assunto|"
    r"data|"
    r"da|inviato|oggetto|van|verzonden|aan|onderwerp|från|fran|skickat|till|ämne|fra|sendt|til|emne|od|wysłano|do|"
    r"temat|"
    r"发件人|发送时间|发送日期|日期|时间|收件人|抄送|主题|寄件者|收件者|主旨|差出人|送信日時|宛先|件名|отправитель|от|отправлено|кому|тема|дата)"
    r"\s*\*{0,2}\s*[:：]\s*\*{0,2}\s*\S",
    re.IGNORECASE,
)
HEADER_FIRST = re.compile(
    r"^\s*\*{0,2}\s*(?:from|von|de|da|van|från|fra|od|发件人|寄件者|差出人|от|отправитель)\s*\*{0,2}\s*[:：]",
    re.IGNORECASE,
)
_ANY_HEADER = re.compile(r"^\s{0,3}\*{0,2}[^\W\d][^:：\n]{0,24}[:：](?!//)\s*\S")
_ADDRESS = re.compile(r"<?[^<>\s:]{1,200}@[^<>\s]{1,200}>?")
_ANSWERING_SUBJECT = re.compile(
    r"^[^:：\n]{1,26}[:：]\s*\*{0,2}\s*(?:[A-Za-z答回返Оо]\w{0,4}\s?[:：]|\[[^\[\]\n]{2,40}\])", re.MULTILINE
)
# GroupWise: ">>> Mara Lind <mara@x.example> 02.03.2026 11:00 >>>" with the quote bare below it
_GROUPWISE = re.compile(r"^>>> .{3,100}\d{1,2}[:.]\d\d.{0,12}>>>\s*$")
# Notes: a line with only the sender, then one with only the date
LOTUS_FIRST = re.compile(r"^\s*[^<>\n]{0,60}<[^<>\s]{1,100}@[^<>\s]{1,100}>(?:\s+wrote on)?\s*$")
LOTUS_DATE = re.compile(
    r"^\s*(?:sent by:.{0,60})?\d{1,4}[./-]\d{1,2}[./-]\d{2,4}[\s,]{1,3}\d{1,2}:\d\d.{0,20}$", re.IGNORECASE
)


_LONGEST_SENDER = 200
# only a weekday may come before the figures of a date
_DATE_FIRST = re.compile(r"^\s*(?:[^\W\d]{1,12}\.?,?\s)?\d")
_TITLE_IN_FRONT = re.compile(rf"^\s*{_DASHES}(?:\s*[^-_—=*:：]{{1,40}}{_DASHES})?\s*(?=\S)")
_HEADER_WORD = re.compile(
    r"(?<=\s)(?:sent|date|to|cc|subject|gesendet|datum|an|betreff|envoyé|date|à|objet|enviado|para|asunto|发送时间|收件人|主题)"
    r"\s?[:：](?=\s)",
    re.IGNORECASE,
)
# a year or a clock: the parts of a date that are alike in all languages
_YEAR_OR_CLOCK = re.compile(r"\b(?:19|20)\d\d(?:\b|年|년)|\b\d{1,2}[.:]\d\d\b|\b\d{1,2}[./-]\d{1,2}[./-]\d{2,4}\b")
_IN_ANGLES = re.compile(r"<(?:mailto:)?[^<>\s@]{1,200}@[^<>\s]{1,200}>")
_SENDER_END = re.compile(r"\w.{0,120}<[^<>\s@]{1,80}@[^<>\s]{1,80}>[^\w:：]{0,3}[:：]\s*$")
_SENDER = re.compile(r"[^<>\s@:]{1,200}@[^<>\s@]{1,200}\.[^<>\s@]{2,60}")


def is_groupwise(line: str) -> bool:
    """Whether a line is what GroupWise puts above a quote."""
    return line.startswith(">>> ") and line.rstrip().endswith(">>>") and _GROUPWISE.match(line) is not None


def has_time(text: str) -> bool:
    """Whether `text` holds a year, a clock time or a date in figures."""
    return _YEAR_OR_CLOCK.search(_IN_ANGLES.sub("", text)) is not None


def is_sender_and_time(text: str) -> bool:
    """Whether a line ends in a colon and names a sender by address and a time, as above a quote."""
    return "@" in text and text.rstrip().endswith((":", "：")) and _SENDER.search(text) is not None and has_time(text)


def is_sender(text: str) -> bool:
    """Whether a short line names a sender and ends in a colon: "Quoting Jun <jun@okafor.example>:"."""
    # the cheap tests first: this runs for nearly every line
    return (
        "@" in text
        and len(text) < _LONGEST_SENDER
        and text.rstrip().endswith((":", "："))
        and _SENDER_END.search(text) is not None
    )


def is_dated_sender(text: str) -> bool:
    """Whether a line is a date, a name and an address in brackets, up to its colon: some programs write no "wrote"."""
    return is_sender(text) and has_time(text) and _DATE_FIRST.match(text) is not None


def is_single_line(line: str) -> bool:
    """Whether a header block was run together: "From: … Sent: … To: … Subject: …"."""
    bare = _TITLE_IN_FRONT.sub("", line[:1_000])
    return len(line) < 1_000 and HEADER_FIRST.match(bare) is not None and len(_HEADER_WORD.findall(bare)) >= 3


def find_header_block(lines: list[str], start: int) -> int | None:
    """The end of a block like From/Sent/To/Subject in any language; None if none begins at `start`.

    Known by its shape: three or more lines "word: value", with an address, a date and the subject of a reply.
    """
    if "@" not in "".join(lines[start : start + 8]) or not _ANY_HEADER.match(lines[start]):
        return None
    end, count = start + 1, 1
    # in HTML, each line may be a paragraph of its own: then a blank line follows each
    gap = int(end < len(lines) and not lines[end].strip())
    while end + gap < len(lines) and count < 12 and not (gap and lines[end].strip()):
        if not _ANY_HEADER.match(lines[end + gap]):
            break
        end, count = end + gap + 1, count + 1
    block = "\n".join(line[:400] for line in lines[start:end])
    if count < 3 or not HAS_DATE.search(_ADDRESS.sub("", block)) or not _ANSWERING_SUBJECT.search(block):
        return None
    return end


def skip_header_lines(lines: list[str], start: int) -> int:
    """The line after a block of From/Sent/To/Subject lines, folded ones and blanks before it included."""
    end = start
    while end < len(lines) and end - start < 2 and not lines[end].strip():
        end += 1
    seen = False
    while end < len(lines) and end - start < 20:
        if HEADER_LINE.match(lines[end]):
            seen = True
        elif seen and not lines[end].strip() and end + 1 < len(lines) and HEADER_LINE.match(lines[end + 1]):
            pass  # each header line is a paragraph of its own in HTML
        elif not (seen and lines[end].startswith(" ") and lines[end].strip()):
            break
        end += 1
    return end
