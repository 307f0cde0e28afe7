"""`kipflow new`: the next number, taken once, and a page that the author only has to fill."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from kipflow.adapters.confluence import ConfluenceWiki
from kipflow.cli import run
from kipflow.domain.errors import KipflowError, SaveConflict
from kipflow.services.pages import NewPage, clean_heading, create_proposal
from kipflow.services.ports import PageRef, WikiPage
from kipflow.wiki.lint import lint_page
from kipflow.wiki.titles import parse_title
from kipflow.wiring import Parts
from tests.living import live_in

INDEX = "1000"


def take(parts: Parts, wiki: ConfluenceWiki, title: str, *, writes: bool = True) -> NewPage:
    return create_proposal(
        parts.store, wiki, index_page=INDEX, prefix="KIP", title=title, writes=writes, now=parts.clock()
    )


def wiki_of(url: str) -> ConfluenceWiki:
    return ConfluenceWiki(f"{url}/confluence/rest/api", token="secret")


def numbers(wiki: ConfluenceWiki) -> list[int]:
    found = (parse_title(child.title, "KIP").number for child in wiki.fetch_children(INDEX))
    return [n for n in found if n is not None]


def test_a_dry_run_shows_the_number_and_writes_nothing(own_sandbox: str, parts_of: Callable[[str], Parts]) -> None:
    wiki = wiki_of(own_sandbox)
    before = numbers(wiki)
    shown = take(parts_of(own_sandbox), wiki, "Quiet gates", writes=False)
    assert (shown.page_id, shown.title) == (None, f"KIP-{shown.number}: Quiet gates")
    assert shown.number > max(before)
    assert numbers(wiki) == before


def test_the_new_page_is_a_draft_that_only_lacks_its_text(own_sandbox: str, parts_of: Callable[[str], Parts]) -> None:
    wiki = wiki_of(own_sandbox)
    made = take(parts_of(own_sandbox), wiki, "Quiet gates")
    assert made.page_id is not None
    page = wiki.fetch_page(made.page_id)
    faults = lint_page(page.body, title=page.title, prefix="KIP", source="page")
    assert {f.severity for f in faults} == {"note"}
    assert page.title == f"KIP-{made.number}: Quiet gates"


def test_people_who_begin_at_once_get_a_number_each(
    own_sandbox: str, parts_of: Callable[[str], Parts], tmp_path: Path
) -> None:
    parts = parts_of(own_sandbox)
    with ThreadPoolExecutor(4) as pool:
        made = list(pool.map(lambda n: take(parts, wiki_of(own_sandbox), f"Gate {n}"), range(4)))
    assert len({m.number for m in made}) == 4
    taken = numbers(wiki_of(own_sandbox))
    assert all(taken.count(m.number) == 1 for m in made)


def test_who_comes_second_moves_on_although_both_saw_the_same_number_free(
    own_sandbox: str, parts_of: Callable[[str], Parts]
) -> None:
    """Both look, then both write: the case that no look before the writing can prevent."""
    parts, both = parts_of(own_sandbox), threading.Barrier(2)

    class Slow(ConfluenceWiki):
        def create_page(self, parent_id: str, *, title: str, body: str) -> WikiPage:
            both.wait(20)
            return super().create_page(parent_id, title=title, body=body)

    wikis = [Slow(f"{own_sandbox}/confluence/rest/api", token="secret") for _ in range(2)]
    with ThreadPoolExecutor(2) as pool:
        one, other = pool.map(lambda n: take(parts, wikis[n], f"Gate {n}"), range(2))
    assert sorted([one.number, other.number]) == [min(one.number, other.number), min(one.number, other.number) + 1]
    taken = numbers(wiki_of(own_sandbox))
    assert taken.count(one.number) == taken.count(other.number) == 1


def test_who_moves_on_yields_to_whom_it_finds_there(own_sandbox: str, parts_of: Callable[[str], Parts]) -> None:
    """A third takes the next number, and sees itself alone with it, while the second is about to move there."""
    parts, both = parts_of(own_sandbox), threading.Barrier(2)
    third: list[NewPage] = []

    class Slow(ConfluenceWiki):
        def create_page(self, parent_id: str, *, title: str, body: str) -> WikiPage:
            both.wait(20)
            return super().create_page(parent_id, title=title, body=body)

        def save_page(self, page: WikiPage, *, body: str, message: str) -> WikiPage:
            if not third:
                third.append(take(parts, wiki_of(own_sandbox), "Gate 2"))
            return super().save_page(page, body=body, message=message)

    wikis = [Slow(f"{own_sandbox}/confluence/rest/api", token="secret") for _ in range(2)]
    with ThreadPoolExecutor(2) as pool:
        made = [*pool.map(lambda n: take(parts, wikis[n], f"Gate {n}"), range(2)), *third]
    assert len({m.number for m in made}) == 3
    taken = numbers(wiki_of(own_sandbox))
    assert all(taken.count(m.number) == 1 for m in made)


def test_a_title_that_is_always_taken_ends_in_one_clear_line(
    own_sandbox: str, parts_of: Callable[[str], Parts]
) -> None:
    class Full(ConfluenceWiki):
        def fetch_children(self, page_id: str) -> Iterator[PageRef]:
            yield from (PageRef(page_id="1", version=1, title="no number"),)

        def create_page(self, parent_id: str, *, title: str, body: str) -> WikiPage:
            raise SaveConflict(page_id="1", version=1)

    with pytest.raises(KipflowError, match="no number could be taken in 5 attempts"):
        take(parts_of(own_sandbox), Full(f"{own_sandbox}/confluence/rest/api"), "Gate")


@pytest.mark.parametrize(
    ("title", "heading"),
    [
        ("KIP-12: Quiet gates", "Quiet gates"),
        ("KIP-NEXT: Quiet gates", "Quiet gates"),
        ("  Quiet\n gates\t", "Quiet gates"),
        ("Quiet\x1b[31m gates", "Quiet [31m gates"),
        ("<b>Quiet</b> & gates", "<b>Quiet</b> & gates"),
        ("Follow KIP-12: gates", "Follow KIP-12: gates"),
    ],
)
def test_a_title_is_one_line_without_a_number_of_its_own(title: str, heading: str) -> None:
    assert clean_heading(title, "KIP") == heading


@pytest.mark.parametrize(("title", "why"), [("", "in words"), ("KIP-12: ", "in words"), ("x" * 241, "240")])
def test_a_title_that_no_page_can_have_is_refused_with_the_reason(title: str, why: str) -> None:
    with pytest.raises(KipflowError, match=why):
        clean_heading(title, "KIP")


def test_the_same_title_is_not_given_a_second_number_by_mistake(
    own_sandbox: str, parts_of: Callable[[str], Parts]
) -> None:
    parts, wiki = parts_of(own_sandbox), wiki_of(own_sandbox)
    made = take(parts, wiki, "Quiet gates")
    with pytest.raises(KipflowError, match=f"KIP-{made.number}: Quiet gates.* --again"):
        take(parts, wiki, "quiet  gates")
    other = create_proposal(
        parts.store,
        wiki,
        index_page=INDEX,
        prefix="KIP",
        title="Quiet gates",
        writes=True,
        again=True,
        now=parts.clock(),
    )
    assert other.number == made.number + 1


def test_the_command_writes_a_page_that_the_next_sync_brings_and_the_round_up_lists(
    own_sandbox: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("KIPFLOW_SANDBOX_URL", own_sandbox)
    live_in(monkeypatch, tmp_path / "home", community="sandbox")
    assert run(["new", "Quiet gates"]) == 0
    assert "(not written: add --write)" in capsys.readouterr().out
    assert run(["new", "Quiet gates", "--write"]) == 0
    shown = capsys.readouterr()
    key = shown.out.split(":")[0]
    assert f"[DISCUSS] {key}: Quiet gates" in shown.err
    run(["sync"])
    assert run(["advance"]) == 0
    capsys.readouterr()
    assert run(["index"]) == 0
    assert f"{key}: Quiet gates" in capsys.readouterr().out


def test_a_dry_run_of_the_whole_system_writes_no_page(
    own_sandbox: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("KIPFLOW_SANDBOX_URL", own_sandbox)
    live_in(monkeypatch, tmp_path / "home", community="sandbox")
    monkeypatch.setenv("KIPFLOW_DRY_RUN", "1")
    before = numbers(wiki_of(own_sandbox))
    assert run(["new", "Quiet gates", "--write"]) == 2
    assert "dry-run" in capsys.readouterr().err
    assert numbers(wiki_of(own_sandbox)) == before
