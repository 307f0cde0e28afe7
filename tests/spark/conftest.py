"""One local Spark for all tests here: a start costs more than most of them."""

from __future__ import annotations

import logging
import os
import shlex
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from kipflow.java import SHORT_JOB, spark_environment

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


@pytest.fixture(scope="session")
def spark_variables(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    # Java's folder for what is temporary: a JVM that is killed leaves it, below pytest's own, which is cleared
    scratch = f"-Djava.io.tmpdir={tmp_path_factory.mktemp('scratch')}"
    return {**spark_environment(tmp_path_factory.mktemp("home")), "SPARK_SUBMIT_OPTS": scratch}


@pytest.fixture(scope="session")
def spark(spark_variables: dict[str, str], tmp_path_factory: pytest.TempPathFactory) -> Iterator[SparkSession]:
    before = dict(os.environ)
    warehouse = tmp_path_factory.mktemp("spark")
    # arguments that the driver's JVM must have at its start, with the options that kipflow's jobs start with
    submit = f"--master local[2] --driver-memory 1g --conf spark.sql.warehouse.dir={warehouse}"
    submit += f" --driver-java-options {shlex.quote(SHORT_JOB)} pyspark-shell"
    os.environ.update(spark_variables, PYSPARK_SUBMIT_ARGS=submit)
    from kipflow_spark.session import open_session

    session = open_session("kipflow tests")
    yield session
    session.stop()
    # its connections say goodbye when Python ends, into a log that is closed by then
    logging.getLogger("py4j").setLevel(logging.WARNING)
    os.environ.clear()
    os.environ.update(before)


def _mail(subject: str, author: str, body: str, *more: str, at: str = "Mon, 2 Mar 2026 09:00:00 +0000") -> bytes:
    """A mail from its parts; `more` are further headers, `at` its Date."""
    return "\n".join([f"Subject: {subject}", f"From: {author}", f"Date: {at}", *more, "", body, ""]).encode()


_REPLY = ("In-Reply-To: <open@x.example>", "References: <open@x.example>")
_RESULT = "The vote passes with 3 binding +1 votes (Mara Lind, Ola Berg, Ines Roth), 1 non-binding +1 (Tao Lin)."
_LOOKS_LIKE_AN_ENVELOPE = "From the desk of: nobody\nFrom a@b.example Mon Mar  2 10:00:00 2026\nno header\n>From x"

ODD_MAILS: dict[str, bytes] = {
    "a vote, opened": _mail(
        "[VOTE] KIP-7: Faster joins", "Kim <kim@x.example>", "Vote!", "Message-ID: <open@x.example>"
    ),
    "a rewritten sender, a ballot below a quoted one": _mail(
        "Re: [VOTE] KIP-7: Faster joins",
        "Mara Lind via dev <dev@list.example>",
        "> Vote!\n> -1\n\n+1 (binding)",
        "Reply-To: mara@x.example",
        "Message-ID: <ballot@x.example>",
        *_REPLY,
    ),
    "a conditional vote": _mail(
        "Re: [VOTE] KIP-7: Faster joins", "o@x.example.INVALID", "+1 if it is renamed.", *_REPLY
    ),
    "a result with names": _mail("[RESULT] [VOTE] KIP-7: Faster joins", "kim@x.example", _RESULT, *_REPLY),
    "a cancel": _mail("[CANCELLED] [VOTE] KIP-8 Slower joins", "kim@x.example", "I cancel this vote."),
    "an id seen before": _mail("other", "tao@x.example", "Same id.", "Message-ID: <open@x.example>"),
    "no date, no id": b"Subject: Re: [DISCUSS] KIP-9\nFrom: ines@x.example\n\nI wonder.\n",
    "a folded, encoded subject and a short date": _mail(
        "=?utf-8?q?=5BDISCUSS=5D_KIP-10=3A_Gr=C3=BC=C3=9Fe?=\n =?utf-8?b?IPCfmoA=?=",
        "=?iso-8859-1?q?J=F6rg?= <joerg@x.example>",
        "Hi.",
        at="4 Mar 26 10:00 GMT",
    ),
    "a base64 body": _mail(
        "Re: [VOTE] KIP-7",
        "b@x.example",
        "KzEgKG5vbi1iaW5kaW5nKSDinIU=",
        "Content-Type: text/plain; charset=utf-8",
        "Content-Transfer-Encoding: base64",
        *_REPLY,
    ),
    "HTML only": _mail(
        "Re: [VOTE] KIP-7",
        "h@x.example",
        "<p>+1&nbsp;(binding)</p><blockquote>-1</blockquote>",
        "Content-Type: text/html",
    ),
    "an unknown charset, wrong bytes, NUL": (
        b"Subject: Re: [DISCUSS] KIP-9 \xff\xfe\xed\xa0\x80\nFrom: \x80 <w@x.example>\n"
        b"Content-Type: text/plain; charset=x-martian\n\nbad \xed\xa0\x80 \x00 \xf0\x28 bytes\n"
    ),
    "lines in the body that only look like an envelope": _mail("Re: KIP-9", "a@x.example", _LOOKS_LIKE_AN_ENVELOPE),
    "CRLF throughout": _mail("[DISCUSS] KIP-11", "c@x.example", "One.\nTwo.").replace(b"\n", b"\r\n"),
    "an envelope without a mail": b"\njust text\n",
    "no header of a mail": b"X-Nothing: at all\n\njust text\n",
    "a very long line": _mail("Re: [DISCUSS] KIP-9", "l@x.example", "From " + "x" * 5000 + "\nend"),
}


@pytest.fixture(scope="session")
def odd_mbox(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An mbox of odd mails between plain ones, broken off in the middle of the last."""
    path = tmp_path_factory.mktemp("mail") / "2026-03.mbox"
    plain = (
        b"Subject: Re: notes\nMessage-ID: <plain-%d@x.example>\nFrom: p@x.example\n\n" + b"Some words of mine.\n" * 40
    )
    with path.open("wb") as file:
        for position, mail in enumerate(ODD_MAILS.values()):
            file.write(b"From a@x.example Mon Mar  2 10:00:00 2026\n" + mail + b"\n")
            file.write(b"From p@x.example Mon Mar  2 10:00:00 2026\n" + plain % position + b"\n")
        file.write(
            b"From a@x.example Mon Mar  2 10:00:00 2026\nSubject: [DISCUSS] KIP-12\n\ncut off\nFrom b@x.example Mon M"
        )
    return path
