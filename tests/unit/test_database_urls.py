"""Addresses of databases as people write them: a password works, or is refused in a line that does not show it."""

from __future__ import annotations

from urllib.parse import quote

import pytest

from kipflow.adapters.store.engine import make_database_url
from kipflow.config.databaseurl import BadDatabaseUrl, UnsupportedDatabase
from kipflow.config.settings import read_settings

ODD = "p@ss/w:rd?100%#x"


@pytest.mark.parametrize(
    ("text", "password"),
    [
        ("postgresql://kip:plain@h:5432/db", "plain"),
        ("postgresql://kip@h/db", None),
        ("postgresql://h/db", None),
        ("postgresql:///db", None),
        ("postgresql://kip:p%40ss%2F@h/db", "p@ss/"),
        ("postgresql://kip:p/ss@h/db", "p/ss"),
        ("postgresql://kip:12/ss@h:5432/db?sslmode=require", "12/ss"),
        ("postgresql://kip:a:b@h/db", "a:b"),
        ("postgresql://kip:100%@h/db", "100%"),
        ("postgresql://kip:a?b#c@h/db", "a?b#c"),
        ("postgresql://kip@azure:p@h/db", "p"),
        ("postgresql://kip:p@[::1]:5432/db", "p"),
        ("postgresql://kip:p@h/db?options=a@b", "p"),
        (f"postgresql://kip:{quote(ODD, safe='')}@h/db", ODD),
    ],
)
def test_an_address_is_read_where_there_is_one_way_to(text: str, password: str | None) -> None:
    url = make_database_url(text)
    assert (url.password, url.host) == (password, None if text == "postgresql:///db" else url.host)
    assert url.host in {"h", "::1", None}
    assert url.database == "db"


@pytest.mark.parametrize(
    "text",
    [
        "postgresql://kip:se/cret@h@/x/y",
        "postgresql:kip:secret",
        "postgresql://kip:se cret/h",
        "postgresql://kip:se@cret@h/db",
        "postgresql://kip:se@cret:1@h/db",
        "postgresql://kip:se@h/cret@h/db",
        "postgresql://kip:se@cret?x@h/db",
    ],
)
def test_another_is_refused_in_one_line_without_its_password(text: str) -> None:
    with pytest.raises(BadDatabaseUrl) as caught:
        make_database_url(text)
    assert "cret" not in str(caught.value)
    assert "\n" not in str(caught.value)
    assert "KIPFLOW_DATABASE_PASSWORD" in str(caught.value)


def test_a_password_given_apart_is_plain_and_takes_the_place_of_another() -> None:
    environment = {"KIPFLOW_DATABASE_URL": "postgresql://kip:other@h/db", "KIPFLOW_DATABASE_PASSWORD": "50%41@/"}
    url = make_database_url(read_settings(environment).database_url)
    assert (url.username, url.password, url.host) == ("kip", "50%41@/", "h")


@pytest.mark.parametrize("text", ["postgresql://kip:7?a=b@h/db", "postgresql://h:5432/db?application_name=a@b"])
def test_a_password_given_apart_goes_to_no_host_that_may_be_another(text: str) -> None:
    with pytest.raises(BadDatabaseUrl):
        read_settings({"KIPFLOW_DATABASE_URL": text, "KIPFLOW_DATABASE_PASSWORD": "secret"})


@pytest.mark.parametrize("text", ["postgresql://h/db", "postgresql://kip@h/db", "postgresql://h/db?options=a@b"])
def test_a_password_given_apart_is_added_to_an_address_without_one(text: str) -> None:
    environment = {"KIPFLOW_DATABASE_URL": text, "KIPFLOW_DATABASE_PASSWORD": ODD}
    url = make_database_url(read_settings(environment).database_url)
    assert (url.password, url.host, url.database) == (ODD, "h", "db")


def test_a_file_has_no_password() -> None:
    environment = {"KIPFLOW_DATABASE_URL": "sqlite:////a/kip.db", "KIPFLOW_DATABASE_PASSWORD": ODD}
    assert read_settings(environment).database_url == "sqlite:////a/kip.db"


def test_a_files_path_is_left_as_it_is() -> None:
    assert make_database_url("sqlite:////home/a@b/100%/kip.db").database == "/home/a@b/100%/kip.db"


@pytest.mark.parametrize("url", ["mysql://u:secret@localhost/kip", "mysql+pymysql://localhost/kip", "mongodb://h/kip"])
def test_a_database_of_another_kind_is_refused_with_those_that_are_supported(url: str) -> None:
    with pytest.raises(UnsupportedDatabase, match=r"is not supported; supported are PostgreSQL .* and SQLite") as shown:
        make_database_url(url)
    assert "secret" not in str(shown.value)
