"""Notes of recorded calls, linked to the proposals that they name."""

from __future__ import annotations

from datetime import date

import pytest

from kipflow.wiki.recordings import is_call_page, parse_call_page, parse_day, parse_recordings

PAGE = """
<h1>Round-up</h1><table><tbody><tr><td>KIP-1: One</td><td>1.0</td></tr></tbody></table>
<h1>KIP Discussion Recordings</h1><table><tbody>
<tr><th>Date (link to recording)</th><th>Summary</th></tr>
<tr><td><a href="https://video.x.example/7">2016-10-19</a></td><td><ul>
<li>KIP-7: the hinges stay. <b>Ann</b> asks the smith.</li><li>Lunch: no objections.</li>
<li>KIP-8/KIP-9: put off.</li></ul></td></tr>
<tr><td><a href="javascript:alert(1)">Some day</a></td><td>KIP7 again</td></tr>
</tbody></table>
<h1>Other</h1><table><tbody><tr><td>x</td><td>KIP-5</td></tr></tbody></table>
"""


def test_each_note_is_linked_to_every_proposal_that_it_names() -> None:
    notes = parse_recordings(PAGE, "KIP")
    assert [(n.number, n.held_on, n.note) for n in notes] == [
        (7, date(2016, 10, 19), "KIP-7: the hinges stay. Ann asks the smith."),
        (8, date(2016, 10, 19), "KIP-8/KIP-9: put off."),
        (9, date(2016, 10, 19), "KIP-8/KIP-9: put off."),
        (7, None, "KIP7 again"),
    ]
    assert notes[0].url == "https://video.x.example/7"


def test_a_link_that_is_no_web_address_is_no_recording() -> None:
    assert parse_recordings(PAGE, "KIP")[-1].url == ""


def test_a_page_without_recordings_has_no_notes() -> None:
    assert parse_recordings("<h1>Round-up</h1><p>KIP-7</p>", "KIP") == ()


@pytest.mark.parametrize(
    ("text", "day"),
    [
        ("2016-10-19", date(2016, 10, 19)),
        ("2016/1/9 (video)", date(2016, 1, 9)),
        ("Oct 19, 2016", date(2016, 10, 19)),
        ("October 19th 2016", date(2016, 10, 19)),
        ("19. October 2016", None),
        ("19 Oct 2016", date(2016, 10, 19)),
        ("Call 41", None),
        ("2016", None),
        ("2016-13-40", None),
    ],
)
def test_a_day_is_read_where_a_whole_one_is_written(text: str, day: date | None) -> None:
    assert parse_day(text) == day


NOTES = """
<p>Notes of our calls; KIP-1 began them.</p>
<h2>2024-05-02</h2><ul><li>KIP-7: the hinges stay.</li><li>Lunch.</li></ul>
<h3>KIP-8 and KIP-9</h3><p>Put off until the smith is back.</p><p>See KIP-7 too.</p>
<h2>April 25, 2024</h2><p>KIP-8: oil.</p>
"""


def test_notes_on_a_page_of_their_own_are_linked_call_by_call() -> None:
    notes = parse_call_page(NOTES, "KIP", title="Call notes", url="https://wiki.x.example/9")
    assert [(n.number, n.call, n.held_on, n.note) for n in notes] == [
        (1, "Call notes", None, "Notes of our calls; KIP-1 began them."),
        (7, "2024-05-02", date(2024, 5, 2), "KIP-7: the hinges stay."),
        (8, "2024-05-02", date(2024, 5, 2), "Put off until the smith is back."),
        (9, "2024-05-02", date(2024, 5, 2), "Put off until the smith is back."),
        (7, "2024-05-02", date(2024, 5, 2), "See KIP-7 too."),
        (8, "April 25, 2024", date(2024, 4, 25), "KIP-8: oil."),
    ]
    assert {n.url for n in notes} == {"https://wiki.x.example/9"}


@pytest.mark.parametrize(
    ("title", "is_one"),
    [
        ("Call notes", True),
        ("Meeting Notes 2024-05-02", True),
        ("KIP Meeting Minutes", True),
        ("KIP-7: Meeting notes in the console", False),
        ("Release plan", False),
    ],
)
def test_a_page_of_notes_is_known_by_its_title(title: str, is_one: bool) -> None:
    assert is_call_page(title, "KIP") is is_one
