"""Which months are asked for, what a fetch that goes wrong leaves behind, and when a month counts as held."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from kipflow.adapters.landingfiles import load_landing, save_landing
from kipflow.adapters.store import SqlStore, open_store
from kipflow.domain.clocks import find_coverage, is_covered
from kipflow.domain.errors import ServiceUnavailable
from kipflow.domain.facts import ArchiveMonth
from kipflow.mail import version
from kipflow.mail.archive import read_mbox
from kipflow.mail.filereading import FileReading
from kipflow.mail.messages import read_mail
from kipflow.services.assembly import CommunityRules, load_facts
from kipflow.services.away import Outage, load_outages
from kipflow.services.ingest import ingest_paths
from kipflow.services.landing import (
    WrongRange,
    count_new,
    find_wanted_months,
    wanted_range,
)
from kipflow.services.poll import fetch_months, poll_months, read_months, upsert_read
from kipflow.services.ports import Landed, MonthStats
from tests.databases import copy_database
from tests.unit.domain.building import POLICY

LIST = "dev@x.example"
NOW = datetime(2026, 3, 10, 12, tzinfo=UTC)


def mail(number: int, subject: str = "[DISCUSS] KIP-7: Gates") -> str:
    return (
        f"From nia@x.example Mon Mar  2 09:0{number}:00 2026\n"
        f"From: Nia Holt <nia@x.example>\nTo: {LIST}\nSubject: {subject}\n"
        f"Date: Mon, 02 Mar 2026 09:0{number}:00 +0000\nMessage-ID: <m{number}@x.example>\n\nWords.\n\n"
    )


class FakeArchive:
    """Months in memory; `digests` are what the statistics say."""

    def __init__(self) -> None:
        self.months: dict[str, str] = {}
        self.digests: dict[str, str] = {}
        self.status = "complete"
        self.asked: list[str] = []
        self.stats_fail = False
        self.counts: dict[str, int] = {}
        self.why = ""

    def fetch_stats(self, list_id: str, month: str) -> MonthStats:
        self.asked.append(month)
        if self.stats_fail:
            raise ServiceUnavailable(service="Pony Mail", url="http://x.example", why="HTTP 500")
        return MonthStats(mails=self.counts.get(month, 0), digest=self.digests.get(month, "d1"))

    def fetch_month(self, list_id: str, month: str, target: Path, *, now: datetime) -> ArchiveMonth:
        target.write_text(self.months.get(month, ""))
        return ArchiveMonth(
            list_id=list_id, month=month, status=self.status, fetched_at=now, path=str(target), why=self.why
        )


@pytest.fixture
def store(tmp_path: Path) -> Iterator[SqlStore]:
    file = tmp_path / "store" / "kipflow.db"
    copy_database(file)
    opened = open_store(f"sqlite:///{file}", CommunityRules(policy=POLICY, prefix="KIP", permalink="{mid}"))
    yield opened
    opened.close()


def poll(store: SqlStore, archive: FakeArchive, raw: Path, now: datetime = NOW) -> dict[str, int]:
    wanted, asked = find_wanted_months(store, archive, [LIST], now, since="2026-02")
    return {**asked.counts, **poll_months(store, archive, wanted, raw, now, prefix="KIP").counts}


def warnings(store: SqlStore, archive: FakeArchive, raw: Path, now: datetime = NOW) -> list[str]:
    wanted, asked = find_wanted_months(store, archive, [LIST], now, since="2026-02")
    read = read_months(store, fetch_months(archive, wanted, raw, now), prefix="KIP", seen_at=now)
    return [*asked.warnings, *read.warnings]


def months(store: SqlStore) -> dict[str, ArchiveMonth]:
    with store.begin() as session:
        return {month: m for (_, month), m in session.mail.load_months().items()}


def test_a_first_poll_reads_every_month_and_a_second_asks_for_one_statistic(store: SqlStore, tmp_path: Path) -> None:
    archive = FakeArchive()
    archive.months["2026-03"] = mail(1) + mail(2)
    first = poll(store, archive, tmp_path)
    assert (first["months_wanted"], first["new"]) == (2, 2)
    archive.asked.clear()
    second = poll(store, archive, tmp_path, NOW + timedelta(hours=1))
    assert archive.asked == ["2026-03"], "a month that is over and was read after its end is not asked for"
    assert (second["months_wanted"], second["new"]) == (0, 0)
    assert months(store)["2026-03"].fetched_at == NOW + timedelta(hours=1), "held up to the last look"


def test_only_mails_that_are_not_stored_count_as_new(store: SqlStore, tmp_path: Path) -> None:
    """What decides whether a poll starts Spark: one new mail in a month of thousands must not."""
    archive = FakeArchive()
    archive.months["2026-03"] = mail(1) + mail(2)
    poll(store, archive, tmp_path)
    archive.months["2026-03"] += mail(3)
    archive.digests["2026-03"] = "d2"
    later = NOW + timedelta(hours=1)
    wanted, _ = find_wanted_months(store, archive, [LIST], later, since="2026-02")
    landed = list(fetch_months(archive, wanted, tmp_path, later))
    with store.read() as session:
        held = session.mail.load_months()
    assert count_new(landed, held) == 1
    assert count_new(landed, {}) == 3, "of a month that was never read, all of them"
    parts = {key: replace(month, status="partial") for key, month in held.items()}
    assert count_new(landed, parts) == 3, "of one that is held in part it is not known which"


def test_a_run_that_is_cut_short_has_stored_what_it_fetched(store: SqlStore, tmp_path: Path) -> None:
    class Breaking(FakeArchive):
        def fetch_month(self, list_id: str, month: str, target: Path, *, now: datetime) -> ArchiveMonth:
            if month == "2026-02":
                raise OSError("no space left on the disk")
            return super().fetch_month(list_id, month, target, now=now)

    archive = Breaking()
    archive.months["2026-01"] = mail(1)
    wanted = wanted_range([LIST], "2026-01", "2026-03")
    with pytest.raises(OSError, match="no space"):
        poll_months(store, archive, wanted, tmp_path, NOW, prefix="KIP")
    assert {month: held.mails for month, held in months(store).items()} == {"2026-01": 1}


def test_months_read_while_others_come_are_those_read_afterwards(store: SqlStore, tmp_path: Path) -> None:
    archive = FakeArchive()
    archive.months = {"2026-01": mail(1), "2026-02": mail(2) + mail(3), "2026-03": mail(1)}
    wanted = wanted_range([LIST], "2026-01", "2026-03")
    at_once = poll_months(store, archive, wanted, tmp_path, NOW, prefix="KIP")
    held = months(store)
    later = read_months(store, fetch_months(archive, wanted, tmp_path, NOW), prefix="KIP", seen_at=NOW)
    assert (at_once.counts["new"], at_once.counts["known"]) == (3, 1)
    assert later.counts["new"] == 0
    assert months(store) == held


def test_a_month_that_changed_is_read_again_and_known_mail_adds_nothing(store: SqlStore, tmp_path: Path) -> None:
    archive = FakeArchive()
    archive.months["2026-03"] = mail(1)
    poll(store, archive, tmp_path)
    archive.months["2026-03"] += mail(2)
    archive.digests["2026-03"] = "d2"
    counts = poll(store, archive, tmp_path, NOW + timedelta(hours=1))
    assert (counts["new"], counts["known"]) == (1, 1)


def test_last_month_is_looked_at_once_more_after_its_end(store: SqlStore, tmp_path: Path) -> None:
    archive = FakeArchive()
    poll(store, archive, tmp_path)
    archive.asked.clear()
    poll(store, archive, tmp_path, datetime(2026, 4, 1, 1, tzinfo=UTC))
    assert "2026-03" in archive.asked


def test_a_month_that_shrank_is_held_up_to_its_last_good_look_and_what_was_seen_stays(
    store: SqlStore, tmp_path: Path
) -> None:
    archive = FakeArchive()
    archive.months["2026-03"] = mail(1) + mail(2) + mail(3)
    poll(store, archive, tmp_path)
    archive.months["2026-03"] = mail(1)
    archive.digests["2026-03"] = "d2"
    poll(store, archive, tmp_path, NOW + timedelta(hours=1))
    assert months(store)["2026-03"].fetched_at == NOW, "nothing that came since is known to be held"
    assert "since then shrank from 3 to 1 mails" in months(store)["2026-03"].why
    assert poll(store, archive, tmp_path, NOW + timedelta(hours=2))["months_wanted"] == 1, "it is asked for again"
    with store.begin() as session:
        assert len(load_facts(session, 7).messages) == 3


def test_a_month_that_lost_mails_by_the_archives_own_count_is_held_and_says_so_once(
    store: SqlStore, tmp_path: Path
) -> None:
    archive = FakeArchive()
    archive.months["2026-03"] = mail(1) + mail(2) + mail(3)
    poll(store, archive, tmp_path)
    archive.months["2026-03"], archive.counts["2026-03"] = mail(1), 1
    archive.digests["2026-03"] = "d2"
    assert warnings(store, archive, tmp_path, NOW + timedelta(hours=1)) == [
        f"{LIST} 2026-03: the archive has 1 mails of the 3 that it had; what was read of them stays"
    ]
    assert months(store)["2026-03"].fetched_at == NOW + timedelta(hours=1)
    assert warnings(store, archive, tmp_path, NOW + timedelta(hours=2)) == []
    assert "what was read of them stays" in months(store)["2026-03"].why, "the board goes on showing it"
    with store.begin() as session:
        assert len(load_facts(session, 7).messages) == 3


def test_what_vanished_from_a_whole_month_is_reported_once_and_stays_on_the_board(
    store: SqlStore, tmp_path: Path
) -> None:
    archive = FakeArchive()
    archive.months["2026-03"] = mail(1)
    poll(store, archive, tmp_path)
    archive.why, archive.digests["2026-03"] = "1 mail is gone", "d2"
    assert warnings(store, archive, tmp_path, NOW + timedelta(hours=1)) == [f"{LIST} 2026-03: 1 mail is gone"]
    archive.digests["2026-03"] = "d3"
    assert warnings(store, archive, tmp_path, NOW + timedelta(hours=2)) == []
    assert warnings(store, archive, tmp_path, NOW + timedelta(hours=3)) == []
    assert months(store)["2026-03"].why == "1 mail is gone"


def test_many_months_that_fail_alike_are_one_line(store: SqlStore, tmp_path: Path) -> None:
    archive = FakeArchive()
    archive.status, archive.why = "missing", "answered 404: not found"
    assert warnings(store, archive, tmp_path) == [
        f"{LIST} 2026-02 to 2026-03 (2 months): missing: answered 404: not found"
    ]


def test_a_list_of_which_the_archive_has_no_mail_at_all_is_asked_about(store: SqlStore, tmp_path: Path) -> None:
    archive = FakeArchive()
    poll(store, archive, tmp_path)
    warning = f"{LIST}: the archive has no mail of it in 2 months; is that its address?"
    assert warnings(store, archive, tmp_path, NOW + timedelta(hours=1)) == [warning]
    archive.months["2026-03"], archive.digests["2026-03"] = mail(1), "d2"
    poll(store, archive, tmp_path, NOW + timedelta(hours=2))
    assert warnings(store, archive, tmp_path, NOW + timedelta(hours=3)) == []


def test_mails_that_were_read_are_not_read_again_until_better_rules_come(
    store: SqlStore, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    archive = FakeArchive()
    archive.months["2026-03"] = mail(1) + mail(2)
    poll(store, archive, tmp_path)
    parsed: list[bytes] = []

    def read(data: bytes, *rest: Any, **more: Any) -> object:
        parsed.append(data)
        return read_mail(data, *rest, **more)

    monkeypatch.setattr("kipflow.mail.filereading.read_mail", read)
    archive.months["2026-03"] = mail(3) + mail(1) + mail(2)
    archive.digests["2026-03"] = "d2"
    counts = poll(store, archive, tmp_path, NOW + timedelta(hours=1))
    assert (counts["new"], counts["known"], len(parsed)) == (1, 2, 1)
    assert months(store)["2026-03"].mails == 3, "known mails count as held"
    monkeypatch.setattr(version, "READING_RULES", version.READING_RULES + 1)
    archive.digests["2026-03"] = "d3"
    poll(store, archive, tmp_path, NOW + timedelta(hours=2))
    assert len(parsed) == 1 + 3


def test_a_poll_that_died_before_its_month_was_noted_reads_all_of_it_again(
    store: SqlStore, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    archive = FakeArchive()
    archive.months["2026-03"] = mail(1) + mail(2)

    def die(*given: object) -> None:
        if given[-1]:  # of a month that can still grow
            raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr("kipflow.services.poll.save_known_mails", die)
        with pytest.raises(KeyboardInterrupt):
            poll(store, archive, tmp_path)
    counts = poll(store, archive, tmp_path)
    assert (counts["new"], counts["known"]) == (0, 2)
    assert months(store)["2026-03"].mails == 2


def test_a_month_read_from_files_is_asked_of_the_archive_all_the_same(store: SqlStore, tmp_path: Path) -> None:
    archive = FakeArchive()
    (tmp_path / "some.mbox").write_text(mail(1) + mail(2).replace("Mar 2026", "Apr 2026"))
    ingest_paths(store, [tmp_path / "some.mbox"], list_id=LIST, prefix="KIP", seen_at=datetime(2026, 5, 1, tzinfo=UTC))
    assert {m.status for m in months(store).values()} == {"partial"}, "senders' dates vouch for nothing"
    archive.months["2026-03"] = mail(1) + mail(3)
    counts = poll(store, archive, tmp_path / "raw", datetime(2026, 4, 20, tzinfo=UTC))
    assert (counts["months_wanted"], counts["new"]) == (3, 1)


def test_no_file_says_that_a_time_to_come_is_held(store: SqlStore, tmp_path: Path) -> None:
    # the clock of the second mail's sender is years ahead
    (tmp_path / "some.mbox").write_text(mail(1) + mail(2).replace("02 Mar 2026", "02 Mar 2031"))
    ingest_paths(store, [tmp_path / "some.mbox"], list_id=LIST, prefix="KIP", seen_at=NOW)
    assert list(months(store)) == ["2026-03"]
    with store.begin() as session:
        coverage = find_coverage(list(session.mail.load_months().values()))
    assert is_covered(coverage, NOW, NOW + timedelta(days=1)) is not None


@pytest.mark.parametrize("way", ["in process", "by Spark"])
def test_a_month_whose_file_was_cut_after_it_landed_is_partial_whoever_reads_it(
    store: SqlStore, tmp_path: Path, way: str
) -> None:
    path = tmp_path / "2026-03.mbox"
    path.write_text(mail(1) + mail(2)[:-3])
    month = ArchiveMonth(list_id=LIST, month="2026-03", status="complete", fetched_at=NOW, path=str(path))
    landed = [Landed(month=month, stats="d1")]
    if way == "by Spark":
        items = read_mbox(path, FileReading(list_id=LIST, month="2026-03", prefix="KIP"), whole=landed[0].is_whole)
        report = upsert_read(store, landed, items, seen_at=NOW)
    else:
        report = read_months(store, landed, prefix="KIP", seen_at=NOW)
    assert report.counts["new"] == 1
    assert report.warnings == (f"{LIST} 2026-03: partial: its file breaks off in the middle of a line",)
    assert months(store)["2026-03"].status == "partial"


@pytest.mark.parametrize("status", ["partial", "missing", "unreadable"])
def test_a_month_that_came_badly_is_asked_for_again(store: SqlStore, tmp_path: Path, status: str) -> None:
    archive = FakeArchive()
    archive.months["2026-03"] = mail(1)
    archive.status = status
    poll(store, archive, tmp_path)
    assert {m.status for m in months(store).values()} == {status}
    archive.status = "complete"
    assert poll(store, archive, tmp_path, NOW + timedelta(hours=1))["months_wanted"] == 2
    assert {m.status for m in months(store).values()} == {"complete"}


@pytest.mark.parametrize("status", ["partial", "missing", "unreadable"])
def test_a_month_that_was_held_and_comes_badly_takes_no_ground_from_what_was_decided(
    store: SqlStore, tmp_path: Path, status: str
) -> None:
    archive = FakeArchive()
    archive.months["2026-03"] = mail(1)
    poll(store, archive, tmp_path)
    archive.status, archive.digests["2026-03"] = status, "d2"
    later = NOW + timedelta(days=2)
    poll(store, archive, tmp_path, later)
    with store.begin() as session:
        coverage = load_facts(session, 7).coverage
    assert is_covered(coverage, NOW - timedelta(days=1), NOW) is None, "all of that was held, and still is"
    assert "read only up to" in (is_covered(coverage, NOW, later) or ""), "what came since may be missing"


def test_a_month_read_before_its_end_has_a_hole_only_from_then_on(store: SqlStore, tmp_path: Path) -> None:
    archive = FakeArchive()
    archive.months["2026-03"] = mail(1)
    poll(store, archive, tmp_path)
    april = replace(months(store)["2026-03"], month="2026-04", fetched_at=NOW + timedelta(days=40))
    with store.begin() as session:
        session.mail.save_month(april)
        coverage = find_coverage(list(session.mail.load_months().values()))
    assert is_covered(coverage, NOW - timedelta(days=1), NOW) is None
    assert "read before its end" in (is_covered(coverage, NOW - timedelta(days=1), NOW + timedelta(hours=1)) or "")


def test_statistics_that_fail_cost_a_fetch_not_a_mail(store: SqlStore, tmp_path: Path) -> None:
    archive = FakeArchive()
    poll(store, archive, tmp_path)
    archive.stats_fail = True
    archive.months["2026-03"] = mail(1)
    assert poll(store, archive, tmp_path, NOW + timedelta(hours=1))["new"] == 1


def test_a_landing_survives_the_way_to_another_process(tmp_path: Path) -> None:
    landed = [
        Landed(
            month=ArchiveMonth(list_id=LIST, month="2026-03", status="complete", fetched_at=NOW, path="p"), stats="d"
        )
    ]
    assert load_landing(save_landing(landed, tmp_path / "deep" / "landing.json")) == landed


def test_a_backfill_wants_no_month_that_has_not_begun() -> None:
    assert [w.month for w in wanted_range([LIST], "2026-02", "2030-01", as_of=NOW)] == ["2026-02", "2026-03"]


def test_a_backfill_wants_its_whole_range_held_or_not() -> None:
    assert [w.month for w in wanted_range([LIST], "2025-11", "2026-02")] == ["2025-11", "2025-12", "2026-01", "2026-02"]


def test_an_archive_that_gives_nothing_is_away_until_it_answers_and_holds_no_month(
    store: SqlStore, tmp_path: Path
) -> None:
    archive = FakeArchive()
    archive.status, archive.why = "missing", "connection refused"
    for hours in (0, 1):
        at = NOW + timedelta(hours=hours)
        wanted = find_wanted_months(store, archive, [LIST], at, since="2026-02")[0]
        archive.stats_fail = True
        poll_months(store, archive, wanted, tmp_path, at, prefix="KIP")
    with store.read() as session:
        assert load_outages(session.marks) == {"archive": Outage(since=NOW, why="connection refused")}
        coverage = session.mail.find_coverage()
    assert coverage.complete_through is None, "nothing is held, however lately it was asked for"
    assert "connection refused" in (is_covered(coverage, NOW, NOW) or "")
    archive.status, archive.why, archive.stats_fail = "complete", "", False
    poll_months(store, archive, wanted, tmp_path, NOW, prefix="KIP")
    with store.read() as session:
        assert load_outages(session.marks) == {}
        assert session.mail.find_coverage().complete_through == NOW


def test_a_backfill_from_a_later_to_an_earlier_month_is_refused() -> None:
    with pytest.raises(WrongRange, match="2026-05 is later than 2026-03: name the earlier month"):
        wanted_range([LIST], "2026-05", "2026-03")
