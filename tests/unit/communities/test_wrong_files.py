"""A wrong community file is refused in one line: which file, which key, what was expected there."""

from __future__ import annotations

from pathlib import Path

import pytest

from kipflow.cli import run
from kipflow.config.loading import find_roster, load_community
from kipflow.domain.errors import ConfigError

GOOD = """\
name: lantern
title: Lantern
prefix: LIP
lists: [dev@lantern.example]
archive:
  url: https://lists.lantern.example/api
  since: 2026-01
policy:
  source: an invented page
  binding_roles: [committer, pmc]
  rule: lazy_majority
  quorum: 3
  voting_period: 72 hours
"""
BOMB = "a: &a [x, x, x, x, x, x, x, x, x]\n" + "".join(
    f"{name}: &{name} [{', '.join([f'*{before}'] * 9)}]\n" for before, name in zip("abcdefgh", "bcdefghi", strict=True)
)


def changed(old: str, new: str) -> str:
    assert GOOD.count(old) == 1
    return GOOD.replace(old, new)


WRONG: dict[str, tuple[str, str]] = {
    # -- keys
    "misspelt key": (changed("title:", "titel:"), "titel: expected no such key here; did you mean 'title'?"),
    "misspelt key of the policy": (
        changed("  quorum:", "  qourum:"),
        "policy.qourum: expected no such key here; did you mean 'quorum'?",
    ),
    "key from nowhere": (GOOD + "xyzzy: 1\n", "xyzzy: expected no such key here; the keys here are "),
    "tags in brackets": (GOOD + 'tags: {vote: ["[BALLOT]"]}\n', "tags.vote.0: expected a word such as ballot"),
    "no kind of tags": (GOOD + "tags: {poll: [poll]}\n", "tags.poll: expected no such key here"),
    "no list": (changed("lists: [dev@lantern.example]\n", ""), "lists: expected a value; the key is missing"),
    "no policy": (GOOD.partition("policy:")[0], "policy: expected a value; the key is missing"),
    "no roles": (
        changed("  binding_roles: [committer, pmc]\n", ""),
        "policy.binding_roles: expected a value; the key is missing",
    ),
    "no first month": (changed("  since: 2026-01\n", ""), "archive.since: expected a value; the key is missing"),
    "key twice": (GOOD + "title: Again\n", "line 14: expected valid YAML ('title' is a duplicate key)"),
    "key twice, deeper": (
        GOOD + "  quorum: 1\n",
        "line 14: expected valid YAML ('quorum' is a duplicate key)",
    ),
    "results to mail without a server": (
        GOOD + "effects: {result: approve}\n",
        "effects.result: expected off, for the file has no 'mail' part",
    ),
    "a sender with a second header": (
        GOOD + 'mail: {server: smtp.x.example, sender: "K <k@x.example>\\nBcc: e <e@x.example>"}\n',
        "mail.sender: expected a name and an address in one line",
    ),
    "a mail server with a scheme": (
        GOOD + "mail: {server: 'smtp://x.example', sender: K <k@x.example>}\n",
        "mail.server: expected a mail server's host",
    ),
    # -- texts, names, addresses
    "name with a space": (changed("name: lantern", "name: The Lantern"), "name: expected a name of small letters"),
    "name that YAML takes for yes": (changed("name: lantern", "name: yes"), "name: expected a name of small letters"),
    "prefix in small letters": (changed("prefix: LIP", "prefix: lip"), "prefix: expected capital letters such as KIP"),
    "title that is a number": (changed("title: Lantern", "title: 7"), "title: expected a text (in quotes, if"),
    "lists without a list": (
        changed("[dev@lantern.example]", "dev@lantern.example"),
        "lists: expected a list such as [one, another], got 'dev@lantern.example'",
    ),
    "no lists at all": (changed("[dev@lantern.example]", "[]"), "lists: expected at least one entry"),
    "list that is no address": (
        changed("[dev@lantern.example]", "[dev at lantern]"),
        "lists.0: expected a list address such as dev@kafka.apache.org, got 'dev at lantern'",
    ),
    "same list twice": (
        changed("[dev@lantern.example]", "[dev@lantern.example, Dev@Lantern.example]"),
        "lists: expected each entry once, not 'dev@lantern.example' again",
    ),
    "votes on a list that is none": (
        changed("archive:", "votes_on: [users@lantern.example]\narchive:"),
        "votes_on.0: expected one of the lists (dev@lantern.example), got 'users@lantern.example'",
    ),
    "move of a list that is none": (
        changed("  since:", "  moved: [{list: a@lantern.example, was: b@lantern.example, until: 2012-11}]\n  since:"),
        "archive.moved.0.list: expected one of the lists (dev@lantern.example), got 'a@lantern.example'",
    ),
    "move without its month": (
        changed("  since:", "  moved: [{list: dev@lantern.example, was: b@lantern.example}]\n  since:"),
        "archive.moved.0.until: expected a value; the key is missing",
    ),
    "senders that are no word": (
        changed("lazy_majority", "lazy_majority\n  senders: strict"),
        "policy.senders: expected 'ask', 'authenticated' or 'names', got 'strict'",
    ),
    "move until a day": (
        changed("  since:", "  moved: [{list: dev@lantern.example, was: b@x.example, until: 2012-11-30}]\n  since:"),
        'archive.moved.0.until: expected a month such as "2026-03"',
    ),
    "move to itself": (
        changed(
            "  since:", "  moved: [{list: dev@lantern.example, was: dev@lantern.example, until: 2012-11}]\n  since:"
        ),
        "archive.moved.0.was: expected each address once, not 'dev@lantern.example' again",
    ),
    "two moves in one month": (
        changed(
            "  since:",
            "  moved:\n    - {list: dev@lantern.example, was: a@x.example, until: 2012-11}\n"
            "    - {list: dev@lantern.example, was: b@x.example, until: 2012-11}\n  since:",
        ),
        "archive.moved.1.until: expected a month of its own, not '2012-11'",
    ),
    "address without a scheme": (
        changed("https://lists.lantern.example/api", "lists.lantern.example/api"),
        "archive.url: expected an http(s) address, got 'lists.lantern.example/api'",
    ),
    "address of a file": (
        changed("https://lists.lantern.example/api", "file:///etc/passwd"),
        "archive.url: expected an http(s) address",
    ),
    "variable without a value": (
        changed("https://lists.lantern.example/api", "${KIPFLOW_NO_SUCH_VARIABLE}"),
        "archive.url: expected a value; variable KIPFLOW_NO_SUCH_VARIABLE is not set: set it, or write "
        "${KIPFLOW_NO_SUCH_VARIABLE:-default}",
    ),
    "permalink without the mail": (
        changed("  since:", "  permalink: https://lists.lantern.example/thread\n  since:"),
        "archive.permalink: expected an address with {mid}",
    ),
    "month that no year has": (changed("2026-01", "2026-13"), 'archive.since: expected a month such as "2026-03"'),
    "year without a month": (changed("2026-01", "2026"), 'archive.since: expected a month such as "2026-03", got 2026'),
    "tracker's project in small letters": (
        GOOD + "jira: {url: https://jira.example, project: lantern}\n",
        "jira.project: expected a project's key such as KAFKA, got 'lantern'",
    ),
    **{
        f"chat: {extra}": (GOOD + f"slack:\n  channel: '#k'\n  operators: '#ops'\n  {extra}\n", said)
        for extra, said in {
            "kinds: {lnit: off}": "slack.kinds: expected kinds of message (new-proposal, discussion, vote,",
            "kinds: {correction: off}": "slack.kinds: expected a channel for correction",
            "kinds: {lint: kips here}": 'slack.kinds: expected a channel such as "#kips", digest or off for lint',
            "mention: {result: everyone}": "slack.mention: expected here, channel, or the id of a group",
            "quiet: {begins: '25:00'}": "slack.quiet.begins: expected a time of day in quotes",
            "quiet: {zone: Mars}": "slack.quiet.zone: expected a time zone such as Europe/Berlin or UTC, got 'Mars'",
            "buttons: {mlind: mlind}": "slack.buttons.mlind: expected the id of a user in Slack (U…), got 'mlind'",
            "digest: {people: [a, a]}": "slack.digest.people: expected each entry once",
        }.items()
    },
    "chat without a channel": (GOOD + "slack: {operators: '#ops'}\n", "slack.channel: expected a value"),
    "votes keyed by their colour": (GOOD + "keyed_by: colour\n", "keyed_by: expected 'number' or 'subject'"),
    # -- rules
    "unit that is none": (
        changed("72 hours", "72 moons"),
        'policy.voting_period: expected a period such as "72 hours" or "90 days", got \'72 moons\'',
    ),
    "period without a unit": (changed("72 hours", "72"), "policy.voting_period: expected a period such as"),
    "negative period": (changed("72 hours", "-72 hours"), "policy.voting_period: expected a period such as"),
    "negative quorum": (
        changed("quorum: 3", "quorum: -1"),
        "policy.quorum: expected a number of at least 1, got -1",
    ),
    "quorum in words": (changed("quorum: 3", "quorum: three"), "policy.quorum: expected a whole number, got 'three'"),
    "quorum that YAML takes for yes": (
        changed("quorum: 3", "quorum: yes"),
        "policy.quorum: expected a whole number, got true (as YAML reads yes and on)",
    ),
    "half a voter": (changed("quorum: 3", "quorum: 2.5"), "policy.quorum: expected a whole number, got 2.5"),
    "unknown rule": (
        changed("lazy_majority", "loudest"),
        "policy.rule: expected 'lazy_majority', 'lazy_consensus', 'majority' or 'two_thirds', got 'loudest'",
    ),
    "unknown role": (
        changed("[committer, pmc]", "[comitter, pmc]"),
        "policy.binding_roles.0: expected 'pmc', 'committer', 'contributor', 'member' or 'maintainer', got 'comitter'",
    ),
    "same role twice": (
        changed("[committer, pmc]", "[pmc, pmc]"),
        "policy.binding_roles: expected each entry once, not 'pmc' again",
    ),
    "nobody binds": (changed("[committer, pmc]", "[]"), "policy.binding_roles: expected at least one entry"),
    "care for an unknown interface": (
        GOOD + "  care: [{interface: log-fromat, quorum: 4}]\n",
        "policy.care.0.interface: expected one of log-format, protocol",
    ),
    "source of no rule": (
        GOOD + "  sources: [{of: [weather], title: t, url: https://x.example}]\n",
        "policy.sources.0.of.0: expected 'binding_roles', 'release_roles', 'rule'",
    ),
    "day that no calendar has": (
        GOOD + "  sources: [{of: [rule], title: t, url: https://x.example, seen: 2026-02-30}]\n",
        "policy.sources.0.seen: expected a date such as 2026-03-02, got '2026-02-30'",
    ),
    "effects with an unknown mode": (GOOD + "effects: {mode: live}\n", "effects.mode: expected 'dry-run' or 'send'"),
    "policy that is a text": (
        GOOD.partition("policy:")[0] + "policy: lazy_majority\n",
        "policy: expected keys with values (see docs/configuration.md for the form), got 'lazy_majority'",
    ),
    # -- what is in order by itself and would do nothing, or the wrong thing
    "no prefix": (changed("prefix: LIP\n", ""), "prefix: expected the letters before a proposal's number, such as KIP"),
    "quorum of nobody": (changed("quorum: 3", "quorum: 0"), "policy.quorum: expected a number of at least 1, got 0"),
    "quorum of a city": (
        changed("quorum: 3", "quorum: 3000000"),
        "policy.quorum: expected a number of at most 1000, got 3000000",
    ),
    "number that YAML reads as eight": (
        changed("quorum: 3", "quorum: 010"),
        "line 12: expected valid YAML (010 is no plain whole number",
    ),
    "number that YAML reads as ninety": (
        changed("quorum: 3", "quorum: 1:30"),
        "line 12: expected valid YAML (1:30 is no plain whole number",
    ),
    "vote without a time": (changed("72 hours", "0 hours"), "policy.voting_period: expected a period longer than none"),
    "vote of centuries": (changed("72 hours", "99999 days"), "policy.voting_period: expected a period of at most 3650"),
    "asleep at once": (GOOD + "  dormant_after: 0 days\n", "policy.dormant_after: expected a period longer than none"),
    "asleep never, by the clock": (GOOD + "  dormancy: clock\n", "policy.dormant_after: expected a period such as"),
    "care for nothing": (
        GOOD + "  care: [{interface: protocol}]\n",
        "policy.care.0: expected a voting_period, a quorum or reviewers; as it is, no care is asked for",
    ),
    "care by no reviewer": (
        GOOD + "  care: [{interface: protocol, reviewers: 0}]\n",
        "policy.care.0: expected a voting",
    ),
    "care by yes": (
        GOOD + "  care: [{interface: protocol, reviewers: yes}]\n",
        "policy.care.0.reviewers: expected a whole number, got true (as YAML reads yes and on)",
    ),
    "care that shortens the vote": (
        GOOD + "  care: [{interface: protocol, voting_period: 1 hour}]\n",
        "policy.care.0.voting_period: expected a period longer than every vote's (72 hours), got '1 hour'",
    ),
    "care as long as any vote": (
        GOOD + "  care: [{interface: protocol, voting_period: 3 days}]\n",
        "policy.care.0.voting_period: expected a period longer than every vote's (72 hours), got '3 days'",
    ),
    "care of fewer voters": (
        GOOD + "  care: [{interface: protocol, quorum: 2}]\n",
        "policy.care.0.quorum: expected a number above every vote's (3), got 2",
    ),
    "care twice for one interface": (
        GOOD + "  care: [{interface: protocol, quorum: 4}, {interface: protocol, quorum: 5}]\n",
        "policy.care.1.interface: expected each interface once, not protocol again",
    ),
    # -- variables
    "prefix from a variable without a value": (
        changed("prefix: LIP", "prefix: ${KIPFLOW_NOPE}"),
        "prefix: expected a value; variable KIPFLOW_NOPE is not set: set it, or write ${KIPFLOW_NOPE:-default}",
    ),
    "variable without a value in a list": (
        changed("[dev@lantern.example]", "[${KIPFLOW_NOPE}]"),
        "lists.0: expected a value; variable KIPFLOW_NOPE is not set",
    ),
    "key from a variable without a value": (GOOD + "${KIPFLOW_NOPE}: 1\n", "(whole file): expected a value; variable"),
    "variable in small letters": (changed("Lantern", "${nope}"), "title: expected ${NAME} or ${NAME:-default}, got"),
    "variable with half a default": (changed("Lantern", "${NOPE-x}"), "title: expected ${NAME} or ${NAME:-default}"),
    # -- texts that do harm elsewhere
    "empty title": (changed("title: Lantern", 'title: ""'), "title: expected a text of one line, up to 300 characters"),
    "title of two lines": (changed("title: Lantern", 'title: "a\\nb"'), "title: expected a text of one line"),
    "title that paints the terminal": (changed("Lantern", '"\\e[31mred"'), "title: expected a text of one line"),
    "contact that adds a header": (GOOD + 'contact: "a\\r\\nX: y"\n', "contact: expected one line of ASCII letters"),
    "contact beyond ASCII": (GOOD + "contact: Zoë\n", "contact: expected one line of ASCII letters"),
    "list that climbs the folders": (
        changed("[dev@lantern.example]", "[../../dev@lantern.example]"),
        "lists.0: expected a list address",
    ),
    "address with a password": (
        changed("https://lists", "https://me:hush@lists"),
        "archive.url: expected an address without user and password (tokens go into the environment), got "
        "'https://…@lists.lantern.example/api'",
    ),
    "address with an impossible port": (
        changed(".example/api", ".example:99999/api"),
        "archive.url: expected an http(s)",
    ),
    "address that is cut off": (
        changed("https://lists.lantern.example/api", "'https://[::1'"),
        "archive.url: expected an",
    ),
    "permalink with a hole": (
        changed("  since:", "  permalink: 'https://x.example/{mid}/{list}'\n  since:"),
        "archive.permalink: expected an address with {mid} and no other braces",
    ),
    "page that is a name": (
        GOOD + "wiki: {url: https://wiki.example, index_page: KIPs}\n",
        "wiki.index_page: expected a page's number such as 50859233, got 'KIPs'",
    ),
    "month of another age": (changed("2026-01", "9999-12"), 'archive.since: expected a month such as "2026-03"'),
    # -- other kinds of keys and values
    "key that is a number": (GOOD + "7: x\n", "(whole file): expected a key that is a text, got 7"),
    "key that YAML takes for yes": (GOOD + "yes: x\n", "(whole file): expected a key that is a text, got true"),
    "key of bytes, deeper": (GOOD + "  ~: x\n", "policy: expected a key that is a text, got nothing"),
    "bytes": (changed("title: Lantern", "title: !!binary aGVsbG8="), "title: expected a text, a number, a date, keys"),
    "set": (
        changed("[committer, pmc]", "!!set {pmc}"),
        "policy.binding_roles: expected a text, a number, a date, keys",
    ),
    "key that is a list": (GOOD + "? [a]\n: x\n", "line 14: expected valid YAML (found unhashable key)"),
    "key that paints the terminal": (GOOD + '"\\e[31mx": 1\n', "?[31mx: expected no such key here"),
    "neither number": (changed("quorum: 3", "quorum: .nan"), "policy.quorum: expected a whole number, got nan"),
    # -- the file itself
    "tab": (changed("  quorum: 3", "\tquorum: 3"), "line 12: expected valid YAML (found"),
    "list instead of keys": ("- name: lantern\n", "(whole file): expected keys with values"),
    "one word": (
        "lantern\n",
        "(whole file): expected keys with values (see docs/configuration.md for the form), got 'lantern'",
    ),
    "empty": ("", "(whole file): expected keys with values"),
    "two documents": (GOOD + "---\nname: other\n", "line 14: expected valid YAML"),
    "unclosed quote": (
        changed("title: Lantern", 'title: "Lantern'),
        "line 14: expected valid YAML (found",
    ),
    "object of Python": (
        changed("title: Lantern", "title: !!python/object/apply:os.getcwd []"),
        "line 2: expected valid YAML (could not determine a constructor",
    ),
    "bomb of aliases": (BOMB, "line 2: expected valid YAML (aliases (*name) are not read)"),
    "alias alone": (changed("title: Lantern", "title: *title"), "line 2: expected valid YAML (aliases"),
    "nested without end": ("lists: " + "[" * 2_000, "(whole file): expected values nested less deeply"),
    "number without end": (changed("quorum: 3", "quorum: " + "9" * 5_000), "(whole file): expected plain values"),
    "control character": (changed("Lantern", "Lan\x07tern"), "(whole file): expected valid YAML ("),
}


@pytest.mark.parametrize(("text", "expected"), WRONG.values(), ids=WRONG.keys())
def test_a_wrong_file_is_refused_with_file_key_and_expectation(tmp_path: Path, text: str, expected: str) -> None:
    path = tmp_path / "lantern.yaml"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(ConfigError) as refused:
        load_community(str(path))
    message = str(refused.value)
    assert message.startswith(f"{path}: {expected}")
    assert "\n" not in message
    assert len(message) < len(str(path)) + 300


def test_the_file_that_the_wrong_ones_were_made_of_is_right(tmp_path: Path) -> None:
    path = tmp_path / "lantern.yaml"
    path.write_text(GOOD, encoding="utf-8")
    assert load_community(str(path)).prefix == "LIP"


@pytest.mark.parametrize(
    ("data", "expected"),
    [(b"\xff\xfe\x00n", "(file): expected a readable UTF-8 file"), (b"#" * 9_000_000, "(file): expected at most")],
    ids=["no text", "far too large"],
)
def test_what_is_no_text_of_a_believable_size_is_refused(tmp_path: Path, data: bytes, expected: str) -> None:
    path = tmp_path / "lantern.yaml"
    path.write_bytes(data)
    with pytest.raises(ConfigError) as refused:
        load_community(str(path))
    assert expected in str(refused.value)


def test_an_unknown_name_is_answered_with_the_known_ones(tmp_path: Path) -> None:
    (tmp_path / "communities").mkdir()
    (tmp_path / "communities" / "lantern.yaml").write_text(GOOD)
    with pytest.raises(ConfigError, match=r"no such community file; did you mean lantern\? \(found there: lantern\)"):
        load_community("latern", tmp_path)


def test_an_unknown_path_is_answered_with_the_files_beside_it_and_not_with_the_usual_names(tmp_path: Path) -> None:
    (tmp_path / "lantern.yaml").write_text(GOOD)
    found = r"no such community file; did you mean lantern\.yaml\? \(found there: lantern\.yaml\)"
    with pytest.raises(ConfigError, match=found):
        load_community(str(tmp_path / "latern.yaml"))


def test_the_roster_of_a_file_elsewhere_is_missed_beside_it(tmp_path: Path) -> None:
    path = tmp_path / "conf" / "lantern.yaml"
    path.parent.mkdir()
    path.write_text(GOOD + "roster: people.yaml\n")
    (path.parent / "peple.yaml").write_text("people: []\n")
    missing = rf"{path.parent}/people\.yaml: no such roster file; did you mean peple\.yaml\?"
    with pytest.raises(ConfigError, match=missing):
        find_roster(load_community(str(path), tmp_path), tmp_path)


def test_two_files_cannot_be_one_community(tmp_path: Path) -> None:
    (tmp_path / "communities").mkdir()
    (tmp_path / "communities" / "copy.yaml").write_text(GOOD)
    with pytest.raises(ConfigError, match=r"copy\.yaml: name: expected copy, as the file is called, got 'lantern'"):
        load_community("copy", tmp_path)


def test_a_bare_off_is_the_word_and_a_page_number_may_stand_without_quotes(tmp_path: Path) -> None:
    path = tmp_path / "lantern.yaml"
    path.write_text(GOOD + "effects: {slack: off}\nwiki: {url: https://wiki.example/rest/api, index_page: 5085}\n")
    community = load_community(str(path))
    assert community.effects.slack == "off"
    assert community.wiki is not None
    assert community.wiki.index_page == "5085"


def test_the_command_line_says_it_in_one_line_and_stops(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "lantern.yaml"
    path.write_text(changed("lazy_majority", "loudest"))
    (tmp_path / "x.mbox").write_text("")
    assert run(["votes", str(tmp_path / "x.mbox"), "--community", str(path)]) == 2
    expected = capsys.readouterr()
    assert expected.out == ""
    assert expected.err.count("\n") == 1
    assert f"{path}: policy.rule: expected" in expected.err
