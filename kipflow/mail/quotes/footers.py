"""What programs add to a mail in its writer's name: list footers, "Sent from my …", PGP armour."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import groupby, pairwise

from kipflow.mail.relevance import has_any

#: A rule of dashes or the like on a line of its own.
RULE = re.compile(r"^\s*[-_=*]{10,}\s*$")
_FOOTER = re.compile(
    r"^\s*(?:to unsubscribe[, ].{0,200}|for (?:additional|further) (?:commands|help|information),? .{0,200}|"
    r"unsubscribe:.{0,200}|"
    r"for queries about this service.{0,200}|this is an automated message from.{0,200}|to respond to the message, "
    r"please log on.{0,200}|"
    r"url to github and use the.{0,100}|.{0,60} mailing list(?:\s+--\s+\S{1,120})?\s*$|"
    r"https?://\S{0,120}/mailman(?:/listinfo/|3/lists/)\S{0,80}|"
    r"you received this message because you are subscribed.{0,200}|to view this discussion on the web.{0,300}|"
    r"view this message in context: https?://.{0,300}|sent from the .{1,80} mailing list archive at .{1,60})\s*$",
    re.IGNORECASE,
)
_FOOTER_HINTS = (
    *("nsubscri", "additional", "further", "queries", "automated", "respond", "github", "mailing list", "mailman"),
    *("received", "discussion", "in context"),
)
# "Sent from my phone" in the languages of the phones; a device or program must be named
_DEVICE = (
    r"(?:iphone|ipad|ipod|galaxy|android|samsung|huawei|xiaomi|blackberry|windows|nokia|pixel|mobile|handy|outlook|"
    r"smartphone|telefon\w{0,4}|téléphone|móvil|celular|cellulare|手机|\w{0,12}mail|spark|proton|superhuman|thunderbird)"
)
_SENT_FROM = re.compile(
    rf"^\s*(?:sent from my \w+\b.{{0,40}}$|sent (?:from|via|with|using) .{{0,50}}{_DEVICE}|"
    rf"(?:von meine[mr]|gesendet (?:von|mit|aus)|envoyé (?:de|depuis|à partir d|avec|via)|"
    rf"envi?ado (?:desde|do|de|a partir d|con|com)|inviato (?:da|dal|con)|verstuurd vanaf|"
    rf"verzonden (?:vanaf|met|via)|skickat från|sendt fra|lähetetty|wysłan[eo] z|odesláno z|отправлено (?:с|из)|"
    rf"发自|發自|来自|來自|寄自|(?:从|從)\s?我的|나의|내)\b.{{0,30}}?{_DEVICE}|(?:发自|發自|来自|來自|寄自|从|從).{{0,12}}{_DEVICE}|"
    rf"{_DEVICE}(?:から送信|에서 보냄|'?\w{{0,6}} gönderildi)|get \[?outlook for|holen sie sich outlook|"
    rf"outlook für \w{{3,8}} (?:beziehen|herunterladen)|(?:obtenir|télécharger|obtener|obter|obter o|ottieni|"
    rf"download|downloaden|获取)\s?outlook )",
    re.IGNORECASE,
)
_SENT_FROM_HINT = re.compile(
    r"[Ss]ent |SENT |[Oo]utlook|[Gg]esendet|meine|[Ee]nvi|[Ii]nviato|[Vv]er[sz]|[Ss]kickat|[Ss]endt|ähetet|ys[łl]an|"
    r"[Oo]desl|тправлено|自|从|從|나의|내|から|에서|gönder"
)
# how such a line begins in ASCII: in other languages it has letters that are not ASCII
_SENT_FROM_STARTS = (
    *("sent ", "von meine", "gesendet ", "enviado ", "envado ", "inviato ", "verstuurd ", "verzonden ", "sendt "),
    *("get ", "holen sie ", "obtenir", "obtener", "obter", "ottieni", "download"),
)
# a vote in a line keeps the line: nothing that may be the writer's own is dropped
_SIGNED = re.compile(r"(?:^|[\s(*])[+\u2212-]\s?[01](?![\d:])")
_LONGEST_SENT_FROM = 100
_PGP_BEGIN = re.compile(r"^-----BEGIN PGP SIGNED MESSAGE-----\s*$")
_PGP_SIGNATURE = re.compile(r"^-----BEGIN PGP (?:SIGNATURE|PUBLIC KEY BLOCK|MESSAGE)-----\s*$")
_PGP_END = re.compile(r"^-----END PGP [A-Z ]{1,30}-----\s*$")


def is_sent_from(line: str) -> bool:
    """Whether a line is a mail program's own ("Sent from my iPhone", "发自我的iPhone")."""
    return (
        len(line) <= _LONGEST_SENT_FROM
        and (not line.isascii() or line.lstrip().lower().startswith(_SENT_FROM_STARTS))
        and _SENT_FROM.match(line) is not None  # before the hint: it fails at a line's first letters
        and _SENT_FROM_HINT.search(line) is not None
        and _SIGNED.search(line) is None
    )


def drop_added(lines: list[str]) -> list[str]:
    """The lines without PGP's own, and with what lists and gateways append blanked out."""
    # most of a mail is quoted, and added text begins its line: the few other beginnings show what to look for
    starts = {line[:5] for line in lines if line[:1] != ">"}
    lines = drop_footers(drop_pgp(lines) if "-----" in starts else lines)
    return lines if _RULES.isdisjoint(starts) else drop_disclaimers(lines)


#: "This is an automated message from the Apache Git Service."
_AUTOMATED = re.compile(r"\s*[Tt]his is an automated message from the [A-Z]")


def find_automated(lines: Sequence[str]) -> list[int]:
    """Where lines say that a program wrote the mail by itself."""
    return [index for index, line in enumerate(lines) if "utomated" in line and _AUTOMATED.match(line)]


def drop_pgp(lines: list[str]) -> list[str]:
    """Without PGP's headers, signatures and keys; its escaped dashes put back."""
    if "-----BEGIN PGP" not in "\n".join(lines):
        return lines
    out: list[str] = []
    in_header = in_armour = signed = False
    for line in lines:
        if _PGP_BEGIN.match(line):
            in_header = signed = True
        elif in_header:
            in_header = bool(line.strip())
        elif _PGP_SIGNATURE.match(line):
            in_armour = True
        elif _PGP_END.match(line):
            in_armour = signed = False
        elif not in_armour:
            # clear-signed text escapes a leading dash: "- -1" stands for "-1"
            out.append(line[2:] if signed and line.startswith("- ") else line)
    return out


def drop_footers(lines: list[str]) -> list[str]:
    """Blank out what list servers append, anywhere in the mail, and the rule above it."""
    hints = _find_hints(lines)
    for index, line in enumerate(lines) if hints else ():
        if len(line) > 300 or not has_any(hints, line) or not _FOOTER.match(line):
            continue
        lines[index] = ""
        for above in range(index - 1, max(-1, index - 4), -1):
            if RULE.match(lines[above]):
                lines[above] = ""
                break
            if lines[above].strip():
                break
    return lines


#: What companies' mail gateways add between two rules: legal text, no words of the writer.
_DISCLAIMS = re.compile(
    r"\b(?:intended (?:only |solely )?(?:for|recipient|addressee)|addressees?\b|confidential|privileged|disclaimer|"
    r"received (?:it|this)(?: e-?mail| message)? (?:in error|by mistake)|"
    r"vertraulich|empfänger|confidentiel|destinataire|confidencial|destinatario|riservat\w+)\b",
    re.IGNORECASE,
)
_LONGEST_DISCLAIMER = 25
#: A vote on a line of its own, or with its claim: whatever is around it, somebody cast it.
_PLAIN_VOTE = re.compile(r"^\s*[+\u2212-]\s?[01]\s*(?:$|[(\[]?(?:non[- ]?)?binding\b)", re.IGNORECASE | re.MULTILINE)
#: Somebody speaks, or votes: without a second rule below it, such text is no gateway's.
_OWN_WORDS = re.compile(
    r"\b(?:I|my|me)\b|[+\u2212-]\s?[01](?!\w|[ -]?\(?\d{3})|\b(?:plus|minus)[ -]one\b|\b(?:vot|stimm|lgtm|approv)\w*",
    re.IGNORECASE,
)
#: What a disclaimer is about, in a last paragraph without a rule above it.
_THIS_MAIL = re.compile(
    r"\b(?:this (?:e-?mail|message|communication|transmission)|if you (?:are not|have received)"
    r"|diese (?:e-?mail|nachricht)|ce (?:message|courriel)|cet e-?mail|este (?:mensaje|correo|e-?mail)"
    r"|esta (?:mensagem|comunicación)|quest[oa] (?:messaggio|e-?mail)|deze e-?mail|dit bericht)\b",
    re.IGNORECASE,
)


def drop_disclaimers(lines: list[str]) -> list[str]:
    """Blank out a gateway's disclaimer between two rules of stars and the like, or below the last."""
    rules = [index for index, line in enumerate(lines) if line[:5] in _RULES and RULE.match(line)]
    for start, end in pairwise([*rules, len(lines)]):
        somebodys = _PLAIN_VOTE if end < len(lines) else _OWN_WORDS
        if _is_disclaimer(lines[start + 1 : end], somebodys):
            lines[start : end + 1] = [""] * len(lines[start : end + 1])
    return lines


def drop_own_disclaimers(lines: list[str], own: Sequence[int]) -> None:
    """Blank out the paragraphs of the own lines that are disclaimers, whatever is quoted below them."""
    said = [index for index in own if lines[index].strip() and not RULE.match(lines[index])]
    if _DISCLAIMS.search("\n".join(lines[index] for index in said)) is None:
        return
    for _, paragraph in groupby(enumerate(said), lambda at: at[1] - at[0]):
        at = [index for _, index in paragraph]
        within = lines[at[0] : at[-1] + 1]
        if at[0] and _is_disclaimer(within, _OWN_WORDS) and _THIS_MAIL.search("\n".join(within)):
            lines[at[0] : at[-1] + 1] = [""] * len(within)


def _is_disclaimer(within: list[str], somebodys: re.Pattern[str]) -> bool:
    said = "\n".join(within)[:4_000]
    is_law = 0 < len(within) <= _LONGEST_DISCLAIMER and _DISCLAIMS.search(said) is not None
    return is_law and somebodys.search(said) is None


_RULES = frozenset({"*****", "_____", "=====", "-----"})
#: Part of the only footer that may follow a quote mark ("X mailing list"): all others begin their line.
_SIGN_ANYWHERE = "ailing "


def _find_hints(lines: list[str]) -> list[str]:
    """The hints of footers in these lines. Most of a mail is quoted and need not be searched for all of them."""
    text = "\n".join(lines)
    if _SIGN_ANYWHERE not in text:
        text = "\n".join([line for line in lines if line[:1] != ">"])
    return [hint for hint in _FOOTER_HINTS if hint in text]
