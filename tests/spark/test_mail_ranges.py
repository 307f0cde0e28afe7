"""Reading an mbox in parts gives what reading it whole gives."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given
from hypothesis import strategies as st

from kipflow.domain.facts import Message, Unreadable
from kipflow.mail.archive import read_mbox
from kipflow.mail.filereading import FileReading
from kipflow.mbox.ranges import count_mails, find_mail_start, is_splittable
from kipflow.mbox.separators import Form
from tests.examples import examples

HOW = FileReading(list_id="dev@list.example", month="2026-03", prefix="KIP")


def read_parts(path: Path, edges: Sequence[int]) -> list[Message | Unreadable]:
    items: list[Message | Unreadable] = []
    before = 0
    for start, end in pairwise(edges):
        items += read_mbox(path, HOW, part=(start, end), first_position=before)
        before += count_mails(path, start, end)
    return items


@pytest.fixture(scope="module")
def whole(odd_mbox: Path) -> list[Message | Unreadable]:
    return list(read_mbox(odd_mbox, HOW))


def test_the_odd_mails_are_what_the_other_tests_take_them_for(whole: list[Message | Unreadable]) -> None:
    messages = [item for item in whole if isinstance(item, Message)]
    assert {item.why for item in whole if isinstance(item, Unreadable)} >= {"no mail headers"}
    assert any(m.declared is not None and m.declared.names for m in messages)
    assert any(m.cancels for m in messages)
    assert any(m.expressions for m in messages)
    assert any(m.arrived_at is None or m.arrived_from != "date" for m in messages)


@examples(40, HealthCheck.function_scoped_fixture)
@given(data=st.data())
def test_parts_with_any_edges_give_the_same_mails_with_the_same_places(
    odd_mbox: Path, whole: list[Message | Unreadable], data: st.DataObject
) -> None:
    size = odd_mbox.stat().st_size
    edges = sorted({0, size, *data.draw(st.lists(st.integers(1, size - 1), max_size=6))})
    assert read_parts(odd_mbox, edges) == whole


def test_an_edge_at_every_byte_around_an_envelope_line_makes_no_difference(
    odd_mbox: Path, whole: list[Message | Unreadable]
) -> None:
    size = odd_mbox.stat().st_size
    begin = odd_mbox.read_bytes().index(b"\nFrom p@x.example")
    for edge in range(begin - 2, begin + 46):
        assert read_parts(odd_mbox, [0, edge, size]) == whole, edge


def test_a_part_inside_one_long_mail_holds_none(tmp_path: Path) -> None:
    path = tmp_path / "long.mbox"
    mail = b"From a@x.example Mon Mar  2 10:00:00 2026\nSubject: long\n\n" + b"words\n" * 900_000
    path.write_bytes(mail + mail)
    with path.open("rb") as stream:
        found = find_mail_start(stream, 1, Form())
        assert found is not None
        assert found.at == len(mail)
        assert find_mail_start(stream, len(mail) + 1, Form()) is None
    assert count_mails(path, 100, 2_000_000) == 0
    assert read_parts(path, [0, 100, 2_000_000, len(mail), 2 * len(mail)]) == list(read_mbox(path, HOW))


def test_a_mail_longer_than_the_limit_is_cut_alike_in_parts(tmp_path: Path) -> None:
    path = tmp_path / "huge.mbox"
    head = b"From a@x.example Mon Mar  2 10:00:00 2026\nSubject: [DISCUSS] KIP-1 huge\n\n"
    path.write_bytes(head + b"small\n\n" + head + b"0123456789abcde\n" * 1_150_000 + head + b"last\n")
    whole = list(read_mbox(path, HOW))
    assert any(isinstance(item, Unreadable) and "first 16 MiB" in item.why for item in whole)
    size = path.stat().st_size
    assert read_parts(path, [0, 40, 10_000_000, size]) == whole


def test_only_a_plain_mbox_is_read_in_parts(tmp_path: Path) -> None:
    for name, data, wanted in [
        ("mbox", b"\nFrom a@x.example Mon Mar  2 10:00:00 2026\n", True),
        ("gzip", b"\x1f\x8b\x08", False),
        ("mmdf", b"\x01\x01\x01\x01\nFrom a@x.example\n", False),
        ("mail", b"Subject: x\n\nbody", False),
    ]:
        (tmp_path / name).write_bytes(data)
        assert is_splittable(tmp_path / name) is wanted, name
    assert not is_splittable(tmp_path / "absent")


@pytest.mark.realdata
@pytest.mark.parametrize("name", ["maven-dev-2017-11-mailarchivesao.mbox", "commits_ponymail_apache_org_2016-06.mbox"])
def test_a_real_month_in_parts_is_the_real_month(name: str) -> None:
    path = Path(__file__).resolve().parents[3] / "shared" / "realdata" / "mail" / name
    if not path.is_file():
        pytest.skip(f"{name} is not beside the project")
    size = path.stat().st_size
    edges = [size * part // 23 for part in range(24)]
    assert read_parts(path, edges) == list(read_mbox(path, HOW))
