"""The kinds of odd mail in the story."""

from __future__ import annotations

from enum import StrEnum


class Oddity(StrEnum):
    """What can be odd about a mail as it is written or archived."""

    HTML = "html"  # text/html only
    ALTERNATIVE = "alternative"  # text/plain and text/html
    BASE64 = "b64"
    QUOTED_PRINTABLE = "qp"
    FLOWED = "flowed"
    LATIN1 = "latin1"
    UNKNOWN_CHARSET = "unknowncharset"
    VIA_REPLY_TO = "viareply"  # "Name via dev", the real address in Reply-To
    VIA_CC = "viacc"  # the same, the real address as last Cc
    INVALID = "invalid"  # name@company.INVALID
    OTHER_ADDRESS = "alt"  # writes from their second address
    NEW_ADDRESS = "newaddr"  # writes from an address that the roster does not have
    NO_DATE = "nodate"  # no Date, but Received lines
    NO_DATE_AT_ALL = "nodateatall"  # no Date, and a Received without a time
    SLOW_CLOCK = "slowclock"  # a Date that is eleven days old
    NO_ID = "noid"
    NO_SUBJECT = "nosubject"
    TWICE = "twice"  # the archive holds it twice
    FROM_LINE = "fromline"  # a body line "From …" left unescaped
    TWO_DIGIT_YEAR = "year2"
    NO_WEEKDAY = "noweekday"
    GMT = "gmt"
    FOLDED = "folded"  # a subject over several lines
    REPEATED = "re2"  # Re: Re: Fwd:
    RE_UPPER = "upper"  # RE:
    AW = "aw"
    FORWARD = "fwd"
    TOP = "top"
    BOTTOM = "bottom"
    INLINE = "inline"
    OUTLOOK = "outlook"  # From/Sent/To/Subject block above the quoted mail
    BARE = "bare"  # nothing but these words, no greeting, quote or signature
    FOOTER = "footer"  # the list's footer under the mail
    TEMPLATE = "template"  # quotes the ballot template
    ATTRIBUTION = "attribution"  # an attribution line with a +0100 in it
