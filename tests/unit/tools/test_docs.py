"""README and docs: links lead somewhere, commands exist, what is shown as output is what comes out."""

from __future__ import annotations

import re
import shlex
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from kipflow.cli import COMMANDS, run
from tests.unit.tools.shown import find_faults
from tools import package_picture, pages

ROOT = Path(__file__).resolve().parents[3]
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").rglob("*.md"))]
LINK = re.compile(r"(?<!`)\]\((?P<to>[^)\s]+)\)")
BLOCK = re.compile(r"^```sh\n(?P<body>.*?)^```$", re.MULTILINE | re.DOTALL)
EXAMPLE = ["docs/example/2026-03.mbox", "--community", "kafka", "--roster", "docs/example/roster.yaml"]


def find_anchors(page: Path) -> set[str]:
    heads = re.findall(r"^#+ (.+)$", page.read_text(encoding="utf-8"), re.MULTILINE)
    return {re.sub(r"[^\w\s-]", "", head.lower()).strip().replace(" ", "-") for head in heads}


def list_commands() -> Iterator[tuple[str, list[str]]]:
    """Every shown command line of kipflow, with the page that shows it."""
    for page in PAGES:
        for block in BLOCK.finditer(page.read_text(encoding="utf-8")):
            for line in block["body"].replace("\\\n", " ").splitlines():
                words = shlex.split(line, comments=True)
                if words and words[0].endswith("kipflow"):
                    yield page.name, words[1:]


@pytest.mark.parametrize("page", PAGES, ids=lambda p: str(p.relative_to(ROOT)))
def test_links_lead_to_files_and_headings(page: Path) -> None:
    for link in LINK.finditer(page.read_text(encoding="utf-8")):
        to, _, anchor = link["to"].partition("#")
        if "://" in to:
            continue
        target = (page.parent / to).resolve() if to else page
        assert target.exists(), link["to"]
        assert not anchor or anchor in find_anchors(target), link["to"]


def test_shown_commands_and_their_options_exist() -> None:
    shown = list(list_commands())
    assert len(shown) > 15
    assert [(page, words, faults) for page, words in shown if (faults := find_faults(words))] == []


@pytest.mark.parametrize("name", [*pages.WHOLE, *pages.PARTS])
def test_pages_that_are_written_by_programs_are_up_to_date(name: str) -> None:
    assert (pages.DOCS / name).read_text(encoding="utf-8") == pages.render_page(name), "`make docs` writes it anew"


def test_the_picture_of_packages_has_no_arrow_that_others_say_and_no_circle() -> None:
    edges = {"web": {"services", "domain"}, "services": {"domain"}, "domain": set[str]()}
    picture = package_picture.render_packages(edges)
    assert picture.count("-->") == 2, picture
    assert "web --> domain" not in picture
    found = package_picture.find_edges()
    assert [one for one in found if one in package_picture.find_reached(one, found)] == []


def test_each_command_is_in_the_readme() -> None:
    table = (ROOT / "README.md").read_text(encoding="utf-8").partition("## The commands")[2]
    named = set(re.findall(r"`(\w+)`", "\n".join(re.findall(r"^\| (`.*?) \|", table, re.MULTILINE))))
    assert named == set(COMMANDS)


def test_the_readme_shows_what_the_example_prints(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(ROOT)
    monkeypatch.setenv("KIPFLOW_COMMUNITY", "")
    monkeypatch.setattr(sys, "argv", [str(ROOT / ".venv/bin/kipflow")])
    monkeypatch.setenv("PATH", "")  # where the shell finds the command, its plain name is shown
    assert run(["votes", *EXAMPLE]) == 0
    shown = capsys.readouterr()
    printed = [line.rstrip() for line in (shown.out + shown.err).splitlines()]
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    assert "kipflow votes " + " ".join(EXAMPLE) in readme
    block = re.search(r"^```\n(10 messages read.*?)\n```$", readme, re.MULTILINE | re.DOTALL)
    assert block is not None
    assert block[1].splitlines() == printed


def test_the_least_community_counts_the_example(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(ROOT)
    assert run(["votes", EXAMPLE[0], "--community", "docs/example/community.yaml"]) == 0
    assert "KIP-7  passed   4/0/0" in capsys.readouterr().out, "its roster stands beside it"


def test_what_the_tutorial_says_to_press_stands_on_the_pages() -> None:
    tutorial = (ROOT / "docs/tutorial.md").read_text(encoding="utf-8")
    named = set(re.findall(r"\*\*([^*]+)\*\*", tutorial)) - {"Trigger"}  # Airflow's own
    shown = [path for kind in ("html", "py") for path in (ROOT / "kipflow").rglob(f"*.{kind}")]
    words = "".join(path.read_text(encoding="utf-8") for path in [*shown, *(ROOT / "plugins").glob("*.py")])
    assert "set the stage" in named
    assert [word for word in named if word not in words and not re.fullmatch(r"KIP-\d+", word)] == []


def test_the_readme_stays_short() -> None:
    assert 600 <= len((ROOT / "README.md").read_text(encoding="utf-8").split()) <= 900
