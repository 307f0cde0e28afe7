"""Every community file that is shipped loads, says where its rules are from, and reads its people's votes."""

from __future__ import annotations

import json
from datetime import date, timedelta
from pathlib import Path
from typing import Any

import pytest
import yaml

from kipflow.cli import run
from kipflow.config.community import Community
from kipflow.config.loading import load_community
from kipflow.domain.policy import VotingRule

ROOT = Path(__file__).resolve().parents[3]
DATA = ROOT / "tests" / "data" / "communities"
SHIPPED = sorted(path.stem for path in (ROOT / "config" / "communities").glob("*.yaml"))
REAL = [name for name in SHIPPED if name != "sandbox"]
#: What decides a vote must have a source; the rest is kipflow's own.
DECISIVE = {"binding_roles", "rule", "quorum", "voting_period"}


def load(name: str) -> Community:
    return load_community(name, ROOT / "config")


def test_the_communities_that_were_promised_are_there() -> None:
    assert set(REAL) == {"kafka", "flink", "pulsar", "cassandra", "airflow", "apache-release"}


@pytest.mark.parametrize("name", SHIPPED)
def test_a_shipped_file_survives_being_written_and_read_again(name: str, tmp_path: Path) -> None:
    community = load(name)
    copy = tmp_path / "copy.yaml"
    copy.write_text(yaml.safe_dump(community.model_dump(mode="json")), encoding="utf-8")
    again = load_community(str(copy))
    assert again == community
    assert again.as_policy() == community.as_policy()


@pytest.mark.parametrize("name", REAL)
def test_every_rule_that_decides_has_a_source_that_was_read_or_says_that_it_was_not(name: str) -> None:
    sources = load(name).policy.sources
    assert {key for source in sources for key in source.of} >= DECISIVE
    for source in sources:
        assert source.url.startswith("https://")
        if source.seen is None:
            assert "not verified" in source.note, source.title
        else:
            assert date(2026, 1, 1) <= source.seen


@pytest.mark.parametrize("name", REAL)
def test_a_real_community_is_shown_and_nothing_is_sent(name: str) -> None:
    assert load(name).effects.mode == "dry-run"


@pytest.mark.parametrize(
    ("name", "prefix", "rule", "roles", "hours"),
    [
        ("kafka", "KIP", VotingRule.LAZY_MAJORITY, {"committer", "pmc"}, 72),
        ("flink", "FLIP", VotingRule.LAZY_CONSENSUS, {"committer", "pmc"}, 72),
        ("pulsar", "PIP", VotingRule.LAZY_MAJORITY, {"pmc"}, 48),
        ("cassandra", "CEP", VotingRule.LAZY_CONSENSUS, {"committer", "pmc"}, 72),
        ("airflow", "AIP", VotingRule.LAZY_CONSENSUS, {"committer", "pmc"}, 72),
        ("apache-release", "KIP", VotingRule.LAZY_MAJORITY, {"pmc"}, 72),
    ],
)
def test_the_rules_are_those_of_the_community(
    name: str, prefix: str, rule: VotingRule, roles: set[str], hours: int
) -> None:
    community, policy = load(name), load(name).as_policy()
    assert (community.prefix, policy.rule, policy.quorum) == (prefix, rule, 3)
    assert policy.binding_roles == roles
    assert policy.voting_period == timedelta(hours=hours)
    assert policy.clock_after is None, "no acceptance by the clock where a community has not asked for it"


def test_a_policys_version_names_rules_and_not_where_they_are_written() -> None:
    community = load("flink")
    moved = community.policy.model_copy(update={"source": "elsewhere", "sources": ()})
    assert community.model_copy(update={"policy": moved}).as_policy().version == community.as_policy().version
    longer = community.policy.model_copy(update={"voting_period": "96 hours"})
    assert community.model_copy(update={"policy": longer}).as_policy().version != community.as_policy().version


def by_choice(counts: dict[str, int]) -> list[int]:
    return [counts[choice] for choice in ("+1", "0", "-1")]


@pytest.mark.parametrize("name", REAL)
def test_the_votes_of_a_community_come_to_what_its_rules_say(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    roster = str(DATA / "roster.yaml")
    arguments = ["votes", str(DATA / f"{name}.mbox"), "--community", name, "--roster", roster, "--format", "json"]
    assert run(arguments) == 0
    expected = json.loads((DATA / f"{name}.json").read_text(encoding="utf-8"))["votes"]
    votes: list[dict[str, Any]] = json.loads(capsys.readouterr().out)["votes"]
    assert [(v["key"], v["outcome"]) for v in votes] == [(v["key"], v["outcome"]) for v in expected]
    for want, got in zip(expected, votes, strict=True):
        assert by_choice(got["tally"]["binding"]) == want["binding"], want["key"]
        assert by_choice(got["tally"]["non_binding"]) == want["non_binding"], want["key"]
        assert (got["declared"] or {}).get("outcome") == want.get("declared"), want["key"]
        assert not got["differences"]


def test_every_real_community_has_votes_to_read() -> None:
    assert {path.stem for path in DATA.glob("*.mbox")} == set(REAL) == {path.stem for path in DATA.glob("*.json")}


def test_a_variable_in_a_comment_or_with_an_empty_default_needs_no_value(tmp_path: Path) -> None:
    path = tmp_path / "airflow.yaml"
    text = (ROOT / "config" / "communities" / "airflow.yaml").read_text(encoding="utf-8")
    path.write_text("# ${KIPFLOW_NO_SUCH_VARIABLE}\n" + text, encoding="utf-8")
    assert load_community(str(path)).contact == ""


def test_votes_without_numbers_need_no_prefix() -> None:
    assert "prefix" not in load("apache-release").model_fields_set
