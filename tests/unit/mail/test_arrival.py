"""When a mail arrived, and what says so: the archive's record before the sender's claim."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from kipflow.domain.facts import Message
from kipflow.domain.senders import Authentication
from tests.unit.mail.onemail import read_one

HOSTS = ("village.example",)
ARCHIVE = (
    "Received: from mx.village.example (mx.village.example [192.0.2.1]) by lists.village.example (Postfix)"
    "\n\tid a1; Mon, 02 Mar 2026 09:00:07 +0000"
)
ENTRY = (
    "Received: from out.x.example (out.x.example [192.0.2.7]) by mx.village.example with ESMTPS id 7"
    "\n\tfor <dev@village.example>; Mon, 02 Mar 2026 10:00:02 +0100"
)
EARLIER = "Received: from home (unknown [203.0.113.9]) by out.x.example; Thu, 26 Feb 2026 09:00:00 +0000"
ARRIVED = datetime(2026, 3, 2, 9, 0, 2, tzinfo=UTC)
DATED = datetime(2026, 2, 26, 9, tzinfo=UTC)
RESULTS = "Authentication-Results: mx.village.example; {}"
PASSED = Authentication.PASSED
SPF = (
    "Received-SPF: {} identity=mailfrom; client-ip=192.0.2.7; helo=out.x.example; envelope-from={}; receiver=<UNKNOWN>"
)
ALIGNED = RESULTS.format("dkim=pass (2048-bit key) header.d=berg.example; spf=none smtp.mailfrom=x.example")


def read(
    *lines: str,
    date: str | None = "Thu, 26 Feb 2026 09:00:00 +0000",
    envelope: str = "",
    sender: str = "Ola Berg <ola@berg.example>",
    receivers: tuple[str, ...] = HOSTS,
) -> Message:
    head = [*lines, f"From: {sender}", "Subject: Re: [VOTE] KIP-7: Tidy shelves", "Message-ID: <a@x.example>"]
    head += [f"Date: {date}"] if date else []
    data = (f"{envelope}\n" if envelope else "") + "\n".join(head) + "\n\n+1\n"
    return read_one(data, list_id="dev@village.example", receivers=receivers)


def test_the_receiving_hosts_line_says_when_a_mail_arrived_whatever_its_date() -> None:
    found = read(ENTRY, EARLIER)
    assert (found.arrived_at, found.arrived_from, found.dated_at) == (ARRIVED, "received", DATED)
    assert found.month == "2026-03"


@pytest.mark.parametrize("receivers", [HOSTS, ()])
def test_a_received_line_below_those_of_the_receiving_host_is_never_looked_at(receivers: tuple[str, ...]) -> None:
    forged = "Received: from a by mx.village.example; Thu, 26 Feb 2026 09:00:00 +0000"
    assert read(ENTRY, forged, receivers=receivers).arrived_at == ARRIVED


def test_below_a_line_of_another_host_nothing_is_looked_at() -> None:
    forged = "Received: from a by mx.village.example; Thu, 26 Feb 2026 09:00:00 +0000"
    found = read(EARLIER, forged, date="Fri, 27 Feb 2026 09:00:00 +0000")
    assert (found.arrived_from, found.arrived_at) == ("date", datetime(2026, 2, 27, 9, tzinfo=UTC))


def test_a_line_that_names_its_giver_and_not_its_writer_is_another_hosts() -> None:
    nameless = "Received: from out.x.example (out.x.example [192.0.2.7]); Mon, 02 Mar 2026 09:00:02 +0000"
    forged = ENTRY.replace("Mon, 02 Mar", "Mon, 23 Feb")
    assert read(nameless, forged).arrived_from == "date"
    assert read(ALIGNED, nameless, ENTRY).authentication is Authentication.UNKNOWN


def test_a_step_within_a_host_names_no_host_and_is_passed_over() -> None:
    step = "Received: (qmail 48013 invoked by uid 500); 2 Mar 2026 09:00:05 -0000"
    assert read(step, ENTRY).arrived_at == ARRIVED


@pytest.mark.parametrize(
    ("line", "source", "arrived"),
    [
        ("From dev-return@village.example Mon Mar  2 09:00:02 2026", "envelope", ARRIVED),
        # exporters' lines and git's; a time before the mail was written
        ("From MAILER-DAEMON Sun Nov 22 09:00:00 2026", "date", DATED),
        ("From - Mon Mar  2 09:00:02 2026", "date", DATED),
        ("From 0a1b2c3d Mon Sep 17 00:00:00 2001", "date", DATED),
        ("From x@x.example Thu Jan  1 00:00:00 1970", "date", DATED),
        ("From x@x.example Mon Jan  5 00:00:00 2026", "date", DATED),
        # it only repeats the Date
        ("From x@x.example Thu Feb 26 09:00:00 2026", "date", DATED),
        # what an archive's JSON calls "epoch"
        ("From epoch.export.kipflow 2026-03-02T09:00:02Z", "epoch", ARRIVED),
    ],
)
def test_an_envelope_line_is_a_record_where_an_archive_wrote_it(line: str, source: str, arrived: datetime) -> None:
    found = read(envelope=line)
    assert (found.arrived_from, found.arrived_at) == (source, arrived)


def test_an_envelope_line_from_before_the_mail_was_under_way_is_made_up() -> None:
    found = read(EARLIER, envelope="From x@x.example Mon Feb  2 09:00:02 2026", date="Sun, 1 Feb 2026 09:00:00 +0000")
    assert found.arrived_from == "date"


def test_without_any_record_the_date_stands_in_and_without_a_date_nothing_does() -> None:
    assert (read().arrived_from, read().arrived_at) == ("date", DATED)
    assert (read(date=None).arrived_from, read(date=None).arrived_at) == ("none", None)
    made_up = read(date=None, envelope="From MAILER-DAEMON Mon Mar  2 09:00:02 2026")
    assert (made_up.arrived_from, made_up.arrived_at) == ("none", ARRIVED)


def test_a_header_of_kipflows_own_is_the_senders_like_any_other() -> None:
    assert read("X-Kipflow-Epoch: 1772442000").arrived_from == "date"


@pytest.mark.parametrize(
    ("results", "expected"),
    [
        ("dkim=pass header.d=berg.example", Authentication.PASSED),
        ("dkim=pass header.i=@mail.berg.example", Authentication.PASSED),
        ("spf=pass smtp.mailfrom=ola@berg.example", Authentication.PASSED),
        ("dmarc=pass (p=reject) header.from=berg.example", Authentication.PASSED),
        ("dmarc=fail header.from=berg.example; dkim=none", Authentication.FAILED),
        # somebody else's domain
        ("dkim=pass header.d=x.example; spf=pass smtp.mailfrom=x.example", Authentication.UNKNOWN),
        ("dkim=pass header.d=notberg.example", Authentication.UNKNOWN),
        ("dkim=pass header.d=example", Authentication.UNKNOWN),
        ("dkim=fail header.d=berg.example", Authentication.UNKNOWN),
        ("spf=fail smtp.mailfrom=ola@berg.example", Authentication.UNKNOWN),
        ("dkim=fail header.d=berg.example; spf=softfail smtp.mailfrom=berg.example", Authentication.UNKNOWN),
        # each alone may come from a relay, both together don't
        ("dkim=fail header.d=berg.example; spf=fail smtp.mailfrom=berg.example", Authentication.FAILED),
        ("dkim=fail header.d=berg.example; spf=hardfail smtp.mailfrom=x.example", Authentication.FAILED),
        ("dkim=fail header.d=berg.example; spf=pass smtp.mailfrom=berg.example", Authentication.PASSED),
        ("dkim=fail header.d=x.example; spf=fail smtp.mailfrom=x.example; dkim=pass header.d=berg.example", PASSED),
        # what DMARC refuses has no SPF that says anything
        ("spf=pass smtp.mailfrom=berg.example; dmarc=fail header.from=berg.example", Authentication.FAILED),
        ("dkim=pass header.d=berg.example; dmarc=fail header.from=berg.example", Authentication.PASSED),
        # another From than is read here
        ("dmarc=pass header.from=village.example", Authentication.FAILED),
        ("dkim=pass header.d=berg.example; dmarc=pass header.from=evil.example", Authentication.FAILED),
        ("dkim=pass header.d=berg.example; dmarc=pass header.from=mail.berg.example", Authentication.PASSED),
        ("dkim=none (dkim=pass header.d=berg.example)", Authentication.UNKNOWN),
        ("none", Authentication.UNKNOWN),
        # as long as the author's domain, and another
        ("dkim=pass header.d=evil.example", Authentication.UNKNOWN),
        # the sender's own words, quoted or within a comment
        ('spf=pass smtp.mailfrom="a; dkim=pass header.d=berg.example"@evil.example', Authentication.UNKNOWN),
        ('spf=pass smtp.mailfrom="berg.example; "@evil.example', Authentication.UNKNOWN),
        ('spf=pass smtp.mailfrom="berg.example"@evil.example', Authentication.UNKNOWN),
        ('dkim=fail reason="\\"; dkim=pass header.d=berg.example" header.d=evil.example', Authentication.UNKNOWN),
        ('dkim=fail reason="; dkim=pass header.d=berg.example', Authentication.UNKNOWN),
        ("dkim=none (a (b) ; dkim=pass header.d=berg.example)", Authentication.UNKNOWN),
        ("dkim=none (a ; dkim=pass header.d=berg.example", Authentication.UNKNOWN),
        ('dkim=pass reason="it (fits" header.d="berg.example"', Authentication.PASSED),
    ],
)
def test_what_the_receiving_host_recorded_says_whether_the_senders_domain_is_proven(
    results: str, expected: Authentication
) -> None:
    assert read(RESULTS.format(results), ENTRY).authentication is expected


def test_results_within_the_receiving_hosts_lines_and_sealed_ones_count() -> None:
    assert read(ARCHIVE, ALIGNED, ENTRY).authentication is Authentication.PASSED
    arc = "ARC-Authentication-Results: i=1; mx.village.example 1; dkim=pass header.d=berg.example"
    assert read(arc, ARCHIVE, ENTRY).authentication is Authentication.PASSED


@pytest.mark.parametrize(
    "lines",
    [
        (ENTRY, ALIGNED),  # below the line by which the mail came in: the sender's own
        (ARCHIVE, ENTRY, ALIGNED, ENTRY),
        (ALIGNED.replace("mx.village.example", "mx.evil.example"), ENTRY),  # another host's word
        (EARLIER, ALIGNED, ENTRY),
        (ALIGNED,),  # no line says that it came through the receiving host
        # a host that only calls itself the receiver
        (ENTRY.replace("out.x.example (out.x.example", "mx.village.example (evil.example"), ALIGNED, ENTRY),
        (ENTRY.replace("out.x.example (out.x.example", "mx.village.example (unknown"), ALIGNED, ENTRY),
        (ENTRY.replace("out.x.example (out.x.example ", "mx.village.example ("), ALIGNED, ENTRY),
        (ENTRY.replace("out.x.example (out.x.example ", "localhost ("), ALIGNED, ENTRY),
        (ENTRY.replace("(out.x.example [", "(HELO mx.village.example) (["), ALIGNED, ENTRY),
    ],
)
def test_results_that_a_sender_could_have_written_prove_nothing(lines: tuple[str, ...]) -> None:
    assert read(*lines).authentication is Authentication.UNKNOWN


@pytest.mark.parametrize(
    ("results", "expected"),
    [
        ("dkim=none; dmarc=fail (p=reject) header.from=berg.example", Authentication.FAILED),
        ("dkim=none; dmarc=fail (p=none) header.from=berg.example", Authentication.UNKNOWN),
        ("spf=fail smtp.mailfrom=berg.example; dmarc=fail (p=none) header.from=berg.example", Authentication.FAILED),
    ],
)
def test_failures_right_below_the_entry_count_as_nobody_forges_them(results: str, expected: Authentication) -> None:
    assert read(ENTRY, RESULTS.format(results)).authentication is expected


REFUSED = RESULTS.format("dmarc=fail (p=quarantine) header.from=berg.example")


@pytest.mark.parametrize(
    ("lines", "expected"),
    [
        ((ARCHIVE, REFUSED), Authentication.FAILED),
        ((REFUSED,), Authentication.FAILED),
        # a line of the sender's below it hides nothing
        ((ARCHIVE, REFUSED, EARLIER), Authentication.FAILED),
        # a later host found it broken, by a footer for instance
        ((REFUSED, ARCHIVE, RESULTS.format("dmarc=pass header.from=berg.example")), Authentication.UNKNOWN),
        # below the line from outside a pass may be the sender's own
        ((ENTRY, REFUSED, RESULTS.format("dkim=pass header.d=berg.example")), Authentication.FAILED),
        # no policy: a word that the host writes in a comment, and a sender elsewhere
        ((RESULTS.format("dmarc=fail (p=none) header.from=berg.example"),), Authentication.UNKNOWN),
        (
            (
                RESULTS.format(
                    "dmarc=fail (p=reject) header.from=berg.example; spf=pass smtp.mailfrom=p=none@e.example"
                ),
            ),
            Authentication.FAILED,
        ),
    ],
)
def test_failures_count_without_a_line_from_outside_unless_a_host_passed_it(
    lines: tuple[str, ...], expected: Authentication
) -> None:
    assert read(*lines).authentication is expected


def test_without_configured_hosts_nothing_is_proven() -> None:
    assert read(ALIGNED, ENTRY, receivers=()).authentication is Authentication.UNKNOWN


def test_results_about_the_lists_own_domain_say_nothing_of_who_wrote() -> None:
    lines = (RESULTS.format("dmarc=pass header.from=village.example"), ENTRY, "Reply-To: Ola Berg <ola@berg.example>")
    found = read(*lines, sender="Ola Berg via dev <dev@village.example>")
    assert (found.author_address, found.authentication) == ("ola@berg.example", Authentication.UNKNOWN)


def test_a_list_writes_for_its_author_and_for_nobody_elses_domain() -> None:
    lines = (RESULTS.format("dmarc=pass header.from=evil.example"), ENTRY, "Reply-To: Ola Berg <ola@berg.example>")
    found = read(*lines, sender="Ola Berg via dev <dev@village.example>")
    assert (found.author_address, found.authentication) == ("ola@berg.example", Authentication.FAILED)


@pytest.mark.parametrize(
    ("lines", "expected"),
    [
        ((SPF.format("Pass (mailfrom)", "ola@berg.example"), ENTRY), Authentication.PASSED),
        ((SPF.format("Pass (mailfrom)", "w@evil.example"), ENTRY), Authentication.UNKNOWN),
        ((SPF.format("Fail (mailfrom)", "ola@berg.example"), ENTRY), Authentication.UNKNOWN),
        ((RESULTS.format("dkim=fail header.d=berg.example"), SPF.format("Fail", "o@x.example"), ENTRY), "fail"),
        # below the line by which the mail came in it is the sender's own
        ((ENTRY, SPF.format("Pass (mailfrom)", "ola@berg.example")), Authentication.UNKNOWN),
        # what another host calls itself, and a local part, are the sender's to choose
        ((SPF.format("Pass", "w@e.example").replace("out.x.", "x; envelope-from=o@berg."), ENTRY), "unknown"),
        ((SPF.format("Pass", '"a; envelope-from=o@berg.example"@evil.example'), ENTRY), Authentication.UNKNOWN),
        ((SPF.format("Pass (helo)", "o@berg.example").replace("=mailfrom", "=helo"), ENTRY), Authentication.UNKNOWN),
        # from before the RFC: nothing but a remark names the domain
        (("Received-SPF: pass (mx.village.example: domain of o@berg.example designates 192.0.2.7)", ENTRY), "unknown"),
    ],
)
def test_the_receiving_hosts_own_line_on_spf_counts_like_its_results(lines: tuple[str, ...], expected: str) -> None:
    assert read(*lines).authentication == expected


@pytest.mark.parametrize(
    ("lines", "expected"),
    [
        ((ALIGNED, ENTRY), Authentication.PASSED),
        ((SPF.format("Pass (mailfrom)", "ola@berg.example"), ENTRY), Authentication.PASSED),
        # nothing is recorded, as in old archives
        ((ENTRY,), Authentication.UNKNOWN),
        ((RESULTS.format("auth=none"), ENTRY), Authentication.UNKNOWN),
        # its writer may have put ".INVALID" there
        ((RESULTS.format("dkim=pass header.d=evil.example"), ENTRY), Authentication.FAILED),
        ((RESULTS.format("dkim=none"), ENTRY), Authentication.FAILED),
        ((SPF.format("None (mailfrom)", "w@evil.example"), ENTRY), Authentication.FAILED),
        ((SPF.format("Pass (helo)", "").replace("=mailfrom", "=helo"), ENTRY), Authentication.FAILED),
    ],
)
def test_an_address_that_a_list_is_said_to_have_hidden_needs_a_pass_where_results_are_recorded(
    lines: tuple[str, ...], expected: Authentication
) -> None:
    by_mark = read(*lines, sender="Ola Berg <ola@berg.example.INVALID>")
    behind = read(*lines, "Reply-To: ola@berg.example", sender="Ola Berg via dev <dev@village.example>")
    for found in (by_mark, behind):
        assert (found.author_address, found.authentication) == ("ola@berg.example", expected)
