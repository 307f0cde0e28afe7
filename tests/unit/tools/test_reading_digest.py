"""A reader that changes without the version of its rules would leave stored mails as older rules read them."""

from __future__ import annotations

from tools import reading_digest


def test_a_changed_reader_raises_its_rules() -> None:
    assert reading_digest.is_change_recorded(reading_digest.load_recorded()), reading_digest.WHAT_TO_DO


def test_what_reading_rests_on_is_found_by_its_imports() -> None:
    found = {str(path.relative_to(reading_digest.ROOT)) for path in reading_digest.find_sources()}
    assert {
        "kipflow/mail/messages.py",
        "kipflow/mail/votes/reading.py",
        "kipflow/mail/quoting.py",
        "kipflow/mail/content/html.py",
        "kipflow/mail/votes/changes.py",
        "kipflow/mail/announcements/lexicon.toml",
    } <= found
    assert "kipflow/mail/threads.py" not in found
