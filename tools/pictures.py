"""`make pictures`: takes the documents' screenshots with Chromium, of the board with tests/web's invented community.

The real rules decide that community at a fixed time, so a picture changes only if the board does.
"""

from __future__ import annotations

import shutil
import sys
from pathlib import Path
from typing import Literal, NamedTuple

from playwright.sync_api import Browser, sync_playwright

from kipflow.web.app import create_app
from kipflow.web.render import Masthead
from tests.web.community import NOW
from tests.web.memory import build_board
from tests.web.servers import serve
from tests.web.test_board_acts import writing_of

DOCS = Path(__file__).parent.parent / "docs"
#: The most bytes of a picture: readers on a phone load all of them.
MOST = 150_000


class Picture(NamedTuple):
    """A screenshot of the page at `path` in a window of this size."""

    path: str
    size: tuple[int, int] = (1100, 760)
    theme: Literal["light", "dark"] = "light"


PICTURES = {
    "board.png": Picture("/"),
    "proposal.png": Picture("/proposals/152", size=(1200, 820)),
    "review.png": Picture("/review"),
    "phone.png": Picture("/proposals/152", size=(400, 800), theme="dark"),
}


def take(browser: Browser, url: str, folder: Path) -> list[Path]:
    """Take every picture into a file in `folder`."""
    taken = []
    for name, picture in PICTURES.items():
        width, height = picture.size
        page = browser.new_page(viewport={"width": width, "height": height}, color_scheme=picture.theme)
        page.goto(url + picture.path)
        page.screenshot(path=folder / name, animations="disabled")
        page.close()
        taken.append(folder / name)
    return taken


def main() -> int:
    chromium = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    if chromium is None:
        print("make pictures needs Chromium on the path", file=sys.stderr)
        return 1
    board, shown = build_board(), Masthead(title="Sandbox community", dry_run=True)
    app = create_app(lambda: board, clock=lambda: NOW, masthead=lambda: shown, writing=writing_of("Ines Okafor"))
    with serve(app) as url, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        taken = take(browser, url, DOCS)
        browser.close()
    for path in taken:
        print(f"{path.stat().st_size:>8,} bytes  {path.relative_to(DOCS.parent)}")
    return int(any(path.stat().st_size > MOST for path in taken))


if __name__ == "__main__":
    sys.exit(main())
