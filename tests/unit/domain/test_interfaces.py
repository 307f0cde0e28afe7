"""Which interfaces a page's lines touch, and which they only speak of."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kipflow.domain.interfaces import INTERFACES, classify_interfaces, find_interfaces


def names(*lines: str) -> list[str]:
    return [touch.interface for touch in classify_interfaces(lines)]


@pytest.mark.parametrize(
    ("line", "touched"),
    [
        ("The record batch header gets a new attribute bit.", ["log-format"]),
        ("Message format version 3 is introduced", ["log-format"]),
        ("Segment files on disk carry a checksum", ["log-format"]),
        ("A new RPC, DescribeShelves, is added", ["protocol"]),
        ("ShelfFetchRequest v4 has an optional field", ["protocol"]),
        ("The wire protocol of shelves grows by one field", ["protocol"]),
        ("api key 77 is taken", ["protocol"]),
        ("GET /shelves is added to Connect's REST API", ["protocol"]),
        ("org.apache.kafka.clients.shelf.Shelf is added", ["client-api"]),
        ("public interface ShelfListener {", ["client-api"]),
        ("A new method in the Admin client lists shelves", ["client-api"]),
        ("shelf.retention.max.ms = 5000", ["configuration"]),
        ("New broker setting for the depth of a shelf", ["configuration"]),
        ("We introduce shelf.depth.max with a default of 3", ["configuration"]),
        ("A gauge of empty shelves", ["monitoring"]),
        ("New MBean kafka.server:type=shelf-keeper", ["monitoring"]),
        ("kafka-shelves.sh gets --empty-only", ["command-line"]),
        ("A flag --dry-run for the tool", ["command-line"]),
        ("Binary log format: each record is padded to eight bytes", ["log-format"]),
        ("Configuration | shelf.depth.max", ["configuration"]),
        ("A new type of control record", ["log-format"]),
        ("An error code STALE_SHELF (77)", ["protocol"]),
        ("Shelf#depth(long) is deprecated", ["client-api"]),
        ("The Shelf class gets a constructor", ["client-api"]),
        ("Keeper.SHELF_DEPTH_CONFIG may be null", ["configuration"]),
        ("keeper.server:type=ShelfKeeper,name=Empty", ["monitoring"]),
        ("PATCH /shelves/{name}/config of the REST API", ["protocol"]),
        ("Operators must rebuild their shelves", ["other"]),
        ("The default order of shelves changes, which may surprise users", ["other"]),
    ],
)
def test_a_line_touches_what_it_says_it_changes(line: str, touched: list[str]) -> None:
    assert names(line) == touched


@pytest.mark.parametrize(
    "line",
    [
        "No change to the protocol",
        "There are no changes to the log format, the wire protocol or the configuration.",
        "This proposal does not change the message format",
        "It doesn't touch any public API",
        "The wire protocol remains unchanged",
        "The record format is not modified by this",
        "The network protocol and its version will not be changed",
        "None",
        "None.",
        "N/A",
        "No public interfaces are changed.",
        "Not applicable",
        "Binary log format: No",
        "Neither the on-disk format nor the protocol changes",
        "We don\u2019t plan any changes to metrics",
        "Configuration changes: none so far",
        "Existing configs will not be changed",
        "Will the record format change? No",
        "Monitoring: N/A",
        "Configuration: none",
        "Command line tools and arguments | No change",
        "Monitoring – nothing",
        "Protocol: there are no changes",
        "An alternative was a new RPC for shelves",
        "We rejected a change of the log format",
        "New metrics are left to a follow-up",
        "Changing the message format is out of scope",
        "See KIP-98 for the message format",
        "This is similar to the existing shelf.depth.max",
        "Clients are unaffected because the protocol has versions",
        "The error message format of the page is kept",
        "In this KIP no wire-level protocol changes are proposed",
        "https://cwiki.apache.org/confluence/display/SHELF",
        "",
        "—",
        "TBD",
        "The authors thank everybody",
    ],
)
def test_what_a_line_denies_or_leaves_is_not_touched(line: str) -> None:
    assert names(line) == []


@pytest.mark.parametrize(
    ("line", "touched"),
    [
        ("No change to the protocol, but a new metric counts shelves", ["monitoring"]),
        ("The log format stays as it is; a new config turns padding on", ["configuration"]),
        ("Not only the log format but also the protocol changes", ["log-format", "protocol"]),
        ("A new config that does not break the protocol", ["configuration"]),
        ("There is no new RPC, we add a config", ["configuration"]),
        ("Without new metrics. The CLI prints one more column.", ["command-line"]),
        ("This is not backward compatible with the old protocol", ["protocol"]),
        ("Brokers that do not know the new RPC answer as before", ["protocol"]),
        ("The config shelf.depth.max is no longer supported", ["configuration"]),
        ("Does this change the protocol? No. It adds a metric.", ["monitoring"]),
        ("Does the log format change? Yes", ["log-format"]),
        ("security.protocol.map.name gets a second value", ["configuration"]),
    ],
)
def test_a_denial_reaches_no_further_than_its_statement(line: str, touched: list[str]) -> None:
    assert names(line) == touched


def test_each_interface_is_named_once_with_its_first_line_most_care_first() -> None:
    touches = find_interfaces(["A new metric", "Another metric", "RPC version 4", "On-disk layout"])
    assert [(t.interface, t.line) for t in touches] == [
        ("log-format", "On-disk layout"),
        ("protocol", "RPC version 4"),
        ("monitoring", "A new metric"),
    ]


@given(st.lists(st.text(max_size=200), max_size=6))
def test_any_lines_are_classified_without_error(lines: list[str]) -> None:
    assert set(names(*lines)) <= set(INTERFACES)
