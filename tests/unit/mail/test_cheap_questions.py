"""Questions that are asked cheaply before a pattern is: they never say no where the pattern would say yes."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kipflow.mail.quotes import attributions, footers, headblocks, unmarked
from kipflow.mail.subjects import _RESULT_WORDS, _even_out_keys

_BITS = (
    *("On", "Tue,", "3 Mar 2026", "at 09:14", "Jun Okafor", "<jun@okafor.example>", "wrote:", "wrote", "schrieb:", ":"),
    *("：", "--", "-- ", ">>>", ">>> ", ">", "-----Original Message-----", "________________", "From:", "Sent:", "To:"),
    *("Subject: Re: x", "Original Message", "sent from my phone", "Sent from my iPhone", "Gesendet von meinem Handy"),
    *("get outlook for", "Enviado desde mi móvil", "iPhone", "gmail", "0", "0.5", "10", "a 0", "my vote is 0", "vote"),
    *("so 0 from me", "0 (binding)", "no opinion: 0", "+1", "the", "a", "utc", "than", "from", ",", ".", "\t"),
    "\u2003",
    *("\u2003", "ſo", "THE", "Results of the", "vote passed", "x mailing list"),
    "https://list.example/mailman/listinfo/dev",
    *("*****", "=====================", "confidential", "-----BEGIN PGP SIGNED MESSAGE-----", "KIP-7", "K\u0131P_7"),
    *("-----END PGP SIGNATURE-----", "Hash: SHA1", "- -1", "\u212aIP\uff0d7", "kip_7", "", " ", "  "),
)
_GAPS = st.sampled_from(("", " "))
_LINE = st.builds(lambda gap, bits: gap.join(bits), _GAPS, st.lists(st.sampled_from(_BITS), max_size=5))
_LINES = st.lists(_LINE, min_size=1, max_size=9)


@given(line=_LINE)
def test_a_phones_own_line_is_known_by_how_it_begins(line: str) -> None:
    asked = (footers._SENT_FROM.match(line), footers._SENT_FROM_HINT.search(line), not footers._SIGNED.search(line))
    assert footers.is_sent_from(line) == (len(line) <= footers._LONGEST_SENT_FROM and all(asked))


@given(line=_LINE)
def test_senders_and_times_are_found_as_their_patterns_find_them(line: str) -> None:
    ends = line.rstrip().endswith((":", "："))
    assert headblocks.is_groupwise(line) == (headblocks._GROUPWISE.match(line) is not None)
    assert headblocks.is_sender(line) == ("@" in line and headblocks._SENDER_END.search(line) is not None)
    assert headblocks.is_sender_and_time(line) == (
        ends and headblocks._SENDER.search(line) is not None and headblocks.has_time(line)
    )


@given(line=_LINE)
def test_what_begins_an_attribution_holds_a_digit(line: str) -> None:
    opens = attributions.OPENS.match(line) or attributions._DATE_OPENS.match(line)
    expected = (opens is not None and headblocks.has_time(line)) or headblocks.is_dated_sender(line)
    assert attributions.begins_attribution(line) == expected


@given(lines=_LINES, marks=st.lists(st.sampled_from("ooqx"), min_size=9, max_size=9))
def test_a_line_that_may_not_introduce_a_quote_introduces_none(lines: list[str], marks: list[str]) -> None:
    for index, line in enumerate(lines):
        near = "".join(lines[index : index + 4])
        is_near = line.lstrip()[:1] in set("-_—=*>") or ":" in near or "：" in near
        if marks[index] == unmarked.OWN and is_near and not unmarked._may_introduce(lines, marks, index):
            assert not line.strip() or unmarked._find_unmarked_quote(lines, marks[: len(lines)], index) is None


@given(lines=_LINES)
def test_what_programs_add_is_dropped_as_by_each_rule_alone(lines: list[str]) -> None:
    each = footers.drop_disclaimers(footers.drop_footers(footers.drop_pgp(list(lines))))
    assert footers.drop_added(list(lines)) == each


@given(text=_LINE, prefix=st.sampled_from(("KIP", "kip", "FLIP")))
def test_a_subject_without_the_prefix_has_no_key_to_fix(text: str, prefix: str) -> None:
    key = re.compile(rf"(?<![A-Za-z0-9])({prefix})[_\u2010-\u2015\u2212\ufe63\uff0d](?=\d)", re.IGNORECASE)
    assert _even_out_keys(text, prefix) == key.sub(r"\1-", text)


@pytest.mark.parametrize("text", ["The results of the vote on x", "x - vote passed", "Call for voting on x"])
def test_words_of_results_hold_what_is_looked_for_before_them(text: str) -> None:
    assert _RESULT_WORDS.search(text) is not None
    assert any(sign in text.lower() for sign in ("vot", "result", "outcome"))
