"""Mail on disk: found, told apart and named."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest

from kipflow.adapters.files import MailFile, find_mail, parse_name
from kipflow.domain.errors import UnreadableInput
from tests.integration.adapters.faulty import mails

EML = b"Message-ID: <1@x.example>\nSubject: hi\n\nwords\n"


def kinds(*paths: Path) -> list[tuple[str, str]]:
    return [(f.path.name, f.kind) for f in find_mail(paths)]


def test_a_folder_gives_every_kind_of_mail_in_order_and_nothing_else(tmp_path: Path) -> None:
    (tmp_path / "b.mbox").write_bytes(mails(1))
    (tmp_path / "a.mbox.gz").write_bytes(gzip.compress(mails(1)))
    (tmp_path / "c.eml").write_bytes(EML)
    (tmp_path / "d.json").write_text(json.dumps({"emails": [{"message-id": "x"}]}))
    (tmp_path / "other.json").write_text('{"colour": "red"}')
    (tmp_path / "notes.txt").write_text("From here on it goes well.\nwords")
    (tmp_path / "README.md").write_text("# words")
    (tmp_path / ".2024-01.mbox.json").write_text("{}")
    (tmp_path / "list.tar.gz").write_bytes(gzip.compress(b"x"))
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub" / "plain").write_bytes(mails(2))
    for name in ("cur", "new", "tmp"):
        (tmp_path / "box" / name).mkdir(parents=True)
    (tmp_path / "box" / "cur" / "1:2,S").write_bytes(EML)
    assert kinds(tmp_path) == [
        ("a.mbox.gz", "mbox.gz"),
        ("b.mbox", "mbox"),
        ("c.eml", "eml"),
        ("d.json", "json"),
        ("box", "maildir"),
        ("plain", "mbox"),
    ]


def test_a_file_named_twice_or_by_its_folder_too_comes_once(tmp_path: Path) -> None:
    path = tmp_path / "a.mbox"
    path.write_bytes(mails(1))
    assert kinds(path, tmp_path, path) == [("a.mbox", "mbox")]


def test_a_link_back_into_the_folder_does_not_run_in_circles(tmp_path: Path) -> None:
    (tmp_path / "a.mbox").write_bytes(mails(1))
    (tmp_path / "again").symlink_to(tmp_path)
    assert kinds(tmp_path) == [("a.mbox", "mbox")]


def test_an_empty_mbox_is_an_empty_mbox(tmp_path: Path) -> None:
    (tmp_path / "a.mbox").touch()
    assert kinds(tmp_path / "a.mbox") == [("a.mbox", "mbox")]


@pytest.mark.parametrize(("name", "content"), [("a.png", b"\x89PNG"), ("b.txt", b"words"), ("c.json", b'{"a": 1}')])
def test_a_named_file_without_mail_is_refused_with_a_reason(tmp_path: Path, name: str, content: bytes) -> None:
    (tmp_path / name).write_bytes(content)
    with pytest.raises(UnreadableInput, match="neither mbox"):
        list(find_mail([tmp_path / name]))


def test_a_path_that_is_not_there_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UnreadableInput, match="no such file"):
        list(find_mail([tmp_path / "gone.mbox"]))


@pytest.mark.parametrize(
    ("path", "list_id", "month"),
    [
        ("raw/dev@kafka.apache.org/2024-01.mbox", "dev@kafka.apache.org", "2024-01"),
        ("dev_kafka_apache_org-2024-01.mbox", "dev@kafka.apache.org", "2024-01"),
        ("dev@kafka.apache.org-2024-01.mbox.gz", "dev@kafka.apache.org", "2024-01"),
        ("dev@kafka.apache.org_2024-12.mbox", "dev@kafka.apache.org", "2024-12"),
        ("commits_ponymail_apache_org_2016-06.mbox", "commits@ponymail.apache.org", "2016-06"),
        ("dev@kafka.apache.org/202401.mbox", "dev@kafka.apache.org", "2024-01"),
        ("Dev@Kafka.apache.org/2024-13.mbox", "dev@kafka.apache.org", None),
        ("maven-dev-2017-11-mboxvm.mbox", None, "2017-11"),
        ("inbox.mbox", None, None),
        ("120240199.mbox", None, None),
    ],
)
def test_a_name_tells_list_and_month_where_it_can(path: str, list_id: str | None, month: str | None) -> None:
    assert parse_name(Path(path)) == (list_id, month)


def test_what_a_name_tells_is_kept_with_the_file(tmp_path: Path) -> None:
    path = tmp_path / "dev@x.example" / "2024-01.mbox"
    path.parent.mkdir()
    path.write_bytes(mails(1))
    assert list(find_mail([tmp_path])) == [MailFile(path=path, kind="mbox", list_id="dev@x.example", month="2024-01")]
