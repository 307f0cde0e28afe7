"""The small computations under the pages: times, tallies, charts, addresses."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from urllib.parse import parse_qs

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kipflow.domain.tally import Counts
from kipflow.domain.times import find_elapsed, render_relative, render_span
from kipflow.services.board import Metrics, Sort
from kipflow.services.ports import MetricRow
from kipflow.services.wording import say_payload
from kipflow.web.charts import build_columns, build_tally_bar, fill_months
from kipflow.web.metrics import build_charts, render_label, render_value
from kipflow.web.queries import ListQuery, Pager, parse_list_query
from kipflow.web.render import find_safe_url

NOW = datetime(2026, 3, 18, 14, 20, tzinfo=UTC)


@pytest.mark.parametrize(
    ("span", "words"),
    [
        (timedelta(seconds=59), "under a minute"),
        (timedelta(minutes=45), "45 min"),
        (timedelta(hours=14, minutes=59), "14 h"),
        (timedelta(hours=47, minutes=59), "47 h"),
        (timedelta(days=2), "2 d"),
        (timedelta(days=3, hours=4), "3 d 4 h"),
        (timedelta(days=16, hours=20), "16 d"),
        (timedelta(days=100), "3 months"),
        (timedelta(days=800), "2 years"),
    ],
)
def test_a_span_is_given_in_the_units_that_matter_and_never_rounded_up(span: timedelta, words: str) -> None:
    assert render_span(span) == words
    assert render_relative(NOW + span, NOW) == ("just now" if words == "under a minute" else f"in {words}")
    assert render_relative(NOW - span, NOW) == ("just now" if words == "under a minute" else f"{words} ago")


def test_the_part_of_a_period_that_is_over_stays_between_nothing_and_all_of_it() -> None:
    end = NOW + timedelta(hours=72)
    assert find_elapsed(NOW, end, NOW - timedelta(hours=1)) == 0
    assert find_elapsed(NOW, end, NOW + timedelta(hours=18)) == 0.25
    assert find_elapsed(NOW, end, end + timedelta(days=9)) == 1
    assert find_elapsed(NOW, NOW, NOW) == 1


@given(plus=st.integers(0, 60), zero=st.integers(0, 60), minus=st.integers(0, 60), quorum=st.integers(0, 9))
def test_a_tally_bar_never_leaves_its_box_and_shows_every_kind_of_ballot(
    plus: int, zero: int, minus: int, quorum: int
) -> None:
    bar = build_tally_bar(Counts(plus=plus, zero=zero, minus=minus), quorum=quorum)
    assert all(s.x >= 0 and s.x + s.width <= 100.2 for s in bar.segments)
    shown = {s.tone for s in bar.segments}
    assert shown == {tone for tone, n in (("plus", plus), ("zero", zero), ("minus", minus)) if n}
    assert (bar.quorum_at is None) == (quorum == 0)


def test_a_few_ballots_are_blocks_and_the_quorum_mark_stands_after_its_last_block() -> None:
    bar = build_tally_bar(Counts(plus=2), quorum=4)
    assert [(s.x, s.width) for s in bar.segments] == [(0, 25), (25, 25)]
    assert bar.quorum_at == 100


def test_the_highest_column_fills_the_box_and_one_of_many_stays_visible() -> None:
    low, none, high = build_columns([("a", 1), ("b", 0), ("c", 900)])
    assert (high.y, high.height) == (0, 100)
    assert low.height == 3
    assert none.height == 0


def test_silent_months_are_filled_in_and_a_short_span_begins_earlier() -> None:
    filled = fill_months({"2026-01": 4, "2026-03": 1})
    assert (len(filled), filled[0]) == (12, ("2025-04", 0))
    assert filled[-4:] == [("2025-12", 0), ("2026-01", 4), ("2026-02", 0), ("2026-03", 1)]
    assert fill_months({}) == []
    assert len(fill_months({"2004-01": 1, "2026-03": 1})) == 120


@pytest.mark.parametrize(
    "url",
    [
        "javascript:alert(1)",
        " JavaScript:alert(1)",
        "data:text/html,x",
        "//evil.example/x",
        "/etc",
        "http://[",
        "",
        None,
    ],
)
def test_only_complete_web_addresses_become_links(url: str | None) -> None:
    assert find_safe_url(url) == ""
    assert find_safe_url("https://lists.example/thread/x") == "https://lists.example/thread/x"


@given(st.text(max_size=200), st.lists(st.text(max_size=12), max_size=5), st.sampled_from(Sort), st.integers(1, 500))
def test_an_address_that_was_written_is_read_back_the_same(text: str, stages: list[str], sort: Sort, page: int) -> None:
    about = {"author": text[::-1], "interface": "protocol", "waiting": "votes", "run": f"manual__{text}"}
    query = parse_list_query(stage=[*stages, "Vote"], q=text, **about, sort=sort, order="desc", page=page)
    pairs = parse_qs(query.as_query_string().lstrip("?"))
    again = parse_list_query(
        stage=pairs.get("stage", []),
        q=pairs.get("q", [""])[0],
        author=pairs.get("author", [""])[0],
        interface=pairs["interface"][0],
        waiting=pairs["waiting"][0],
        run=pairs["run"][0],
        sort=Sort(pairs.get("sort", ["number"])[0]),
        order=pairs.get("order", ["desc"])[0],  # type: ignore[arg-type]
        page=int(pairs.get("page", ["1"])[0]),
    )
    assert again == query


def test_unknown_stages_in_an_address_are_ignored() -> None:
    assert parse_list_query(stage=["", "vote", "Nonsense"]) == ListQuery(stages=("Vote",))  # type: ignore[arg-type]


def test_a_pager_counts_from_one_and_ends_where_its_list_does() -> None:
    assert (Pager(page=3, total=120).first, Pager(page=3, total=120).last, Pager(page=3, total=120).pages) == (
        101,
        120,
        3,
    )
    assert (Pager(page=1, total=0).first, Pager(page=1, total=0).pages) == (0, 1)


@pytest.mark.parametrize(
    ("name", "amount", "unit", "label", "value"),
    [
        ("first_reply_hours_median", 7.4, "hours", "First reply, median", "7.4 hours"),
        ("open_votes", 1200, "count", "Open votes", "1,200"),
        ("answered_share", 0.861, "share", "Answered share", "86 %"),
    ],
)
def test_metrics_read_as_words_with_their_unit(name: str, amount: float, unit: str, label: str, value: str) -> None:
    row = MetricRow(name=name, dimension="", value=amount, unit=unit)
    assert (render_label(row), render_value(row)) == (label, value)


def test_charts_stand_in_the_order_of_the_process_and_unknown_ones_come_last() -> None:
    def rows(name: str, *dimensions: str) -> list[MetricRow]:
        return [MetricRow(name=name, dimension=d, value=1, unit="days") for d in dimensions]

    found = build_charts(
        Metrics(
            as_of=NOW,
            rows=(
                *rows("new_figure", "x", "a"),
                *rows("month_opened", "2026-02", "2026-01"),
                *rows("stage_days_median", "Accepted", "Draft", "Vote"),
            ),
        )
    )
    assert [[label for label, _ in chart.values] for chart in found] == [
        ["Draft", "Vote", "Accepted"],
        ["2026-01", "2026-02"],
        ["x", "a"],
    ]
    assert [chart.is_series for chart in found] == [False, True, False]


def test_an_edit_of_the_index_says_which_rows_it_moves() -> None:
    payload = {"page_id": "1000", "moves": [{"number": 7, "from": "discussion", "to": "accepted"}]}
    assert say_payload(payload) == "round-up brought up to date: 7 to accepted"
    assert say_payload({"page_id": "1000", "moves": []}) == "round-up brought up to date: no row moves"
