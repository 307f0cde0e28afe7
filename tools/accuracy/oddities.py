"""Real and damaged mails: each is read or reported as unreadable, none is dropped, none crashes the reader."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from kipflow.config.loading import load_community
from kipflow.domain.facts import Unreadable
from kipflow.domain.roster import Roster
from kipflow.mail.archive import read_path
from kipflow.mail.filereading import FileReading
from kipflow.mbox.splitting import split_mbox
from kipflow.services.read_votes import read_votes
from tools.accuracy.findings import Demand, Figure, Section


@dataclass(frozen=True, slots=True, kw_only=True)
class FileCount:
    """One file: its mails by the raw splitter, their results, and the text of a crash, if any."""

    mails: int
    read: int
    unreadable: tuple[tuple[str, str], ...]
    crash: str = ""

    @property
    def dropped(self) -> int:
        # an empty file has no mail, and is reported once
        return 0 if self.crash else max(self.mails, 1) - self.read - len(self.unreadable)


def check_other_lists(realdata: Path) -> Section:
    """Real months in which nobody calls a vote: any vote read from them is false."""
    files = sorted(p for p in (realdata / "mail").iterdir() if not p.name.startswith("maven-dev-"))
    communities = [load_community(name) for name in ("apache-release", "kafka")]  # keyed by subject and by number
    reports = [(path.name, read_votes([path], community=c, roster=Roster(()))) for path in files for c in communities]
    found = [(name, f"{v.vote.subject} ({v.outcome})") for name, report in reports for v in report.votes]
    invented = {name for name, _ in found}
    return Section(
        title="Lists without votes",
        about=f"{len(files)} files of other lists, in which nobody calls a vote",
        figures=(Figure(name="files without an invented vote", right=len(files) - len(invented), total=len(files)),),
        demands=(Demand(name="no vote invented", met=not invented),),
        listed_title=f"invented ({len(found)})",
        listed=tuple(found),
    )


def check_oddities(realdata: Path) -> Section:
    """Every file of `mail/` and `malformed/`."""
    files = sorted(p for folder in ("mail", "malformed") for p in (realdata / folder).rglob("*") if p.is_file())
    readings = {path.relative_to(realdata).as_posix(): _read(path) for path in files}
    crashed = {name: r.crash for name, r in readings.items() if r.crash}
    dropped = {name: r.dropped for name, r in readings.items() if r.dropped}
    listed = [(f"{name}: {source}", why) for name, r in readings.items() for source, why in r.unreadable]
    mails = sum(r.mails for r in readings.values())
    return Section(
        title="Odd and damaged mail",
        about=f"{len(files)} files with {mails} mails",
        figures=(
            Figure(name="mails read", right=sum(r.read for r in readings.values()), total=mails),
            Figure(name="files without a crash", right=len(files) - len(crashed), total=len(files)),
        ),
        demands=(
            Demand(name=f"no crash ({_say(crashed)})", met=not crashed),
            Demand(name=f"no mail dropped in silence ({_say(dropped)})", met=not dropped),
            Demand(name="each unreadable mail says why", met=all(why for _, why in listed)),
        ),
        listed_title=f"unreadable ({len(listed)})",
        listed=tuple(listed),
    )


def _read(path: Path) -> FileCount:
    read, unreadable = 0, []
    try:
        with path.open("rb") as stream:
            mails = sum(1 for _ in split_mbox(stream))
        for item in read_path(path, how=FileReading(list_id="dev@x.example", month="", prefix="KIP")):
            if isinstance(item, Unreadable):
                unreadable.append((item.source, item.why))
            else:
                read += 1
    except Exception as error:
        # crashes are what this report is about: report this one, and read the other files
        return FileCount(mails=0, read=0, unreadable=(), crash=f"{type(error).__name__}: {error}")
    return FileCount(mails=mails, read=read, unreadable=tuple(unreadable))


def _say(items: dict[str, str] | dict[str, int]) -> str:
    return "; ".join(f"{name}: {what}" for name, what in items.items()) or "none"
