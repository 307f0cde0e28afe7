"""The look of the pages for a person: one style sheet, one frame, everything escaped."""

from __future__ import annotations

from html import escape

_CSS = """
:root { --ink: #1c2733; --soft: #5b6b7b; --line: #dfe5eb; --card: #fff; --ground: #f4f6f8; --accent: #0b6e8a; }
* { box-sizing: border-box }
body { margin: 0; font: 16px/1.55 system-ui, "Segoe UI", Roboto, "Helvetica Neue", Arial, sans-serif; color: var(--ink);
  background: var(--ground) }
header { background: #12303d; color: #fff; padding: .8rem 1.2rem; display: flex; gap: 1.2rem; align-items: baseline;
  flex-wrap: wrap }
header strong { font-size: 1.05rem; margin-right: .5rem }
header a { color: #bfe3ee; text-decoration: none } header a:hover, header a:focus { text-decoration: underline }
header time { margin-left: auto; color: #d4e4ea; font-variant-numeric: tabular-nums }
main { max-width: 62rem; margin: 1.5rem auto; padding: 0 1rem }
article, .card { background: var(--card); border: 1px solid var(--line); border-radius: 8px; padding: 1.2rem 1.5rem;
  margin-bottom: 1rem }
.cards > .card { margin: 0 }
.cards { margin-bottom: 1rem; display: grid; grid-template-columns: repeat(auto-fit, minmax(15rem, 1fr)); gap: 1rem }
.card h2 { margin: 0 0 .3rem; font-size: 1.05rem } .card p { margin: .2rem 0; color: var(--soft) }
a { color: var(--accent) } h1 { font-size: 1.5rem; line-height: 1.25 } article h1 { margin: 1.4rem 0 .4rem;
  font-size: 1.25rem }
article h1:first-child { margin-top: 0 } article h2 { font-size: 1.05rem; margin: 1.2rem 0 .3rem }
table { border-collapse: collapse; width: 100% } td, th { border-bottom: 1px solid var(--line); padding: .35rem .5rem;
  text-align: left; vertical-align: top; overflow-wrap: break-word }
td:first-child { min-width: 5.5rem } th { color: var(--soft); font-weight: 600 }
pre { white-space: pre-wrap; overflow-wrap: anywhere; font: 14px/1.5 ui-monospace, "DejaVu Sans Mono", monospace;
  margin: 0 }
code { background: #eef2f5; border-radius: 3px; padding: 0 .25em; overflow-wrap: anywhere }
.answers { margin-left: 1.5rem; border-left: 3px solid var(--line); padding-left: .8rem }
.soft { color: var(--soft) } .state { display: inline-block; padding: 0 .5em; border-radius: 4px; background: #e3e8ed;
  font-size: .85em; font-weight: 600 } .state.green { background: #d3f0dd } .state.blue { background: #d8e8fb }
.state.yellow { background: #fbeecb } .info { border-left: 4px solid #5aa2c8; background: #eef6fa; padding: .4rem .9rem;
  margin: .8rem 0 } .post { border-bottom: 1px solid var(--line); padding: .7rem 0 } .post:last-child { border: 0 }
.post p { margin: .2rem 0; white-space: pre-wrap; overflow-wrap: anywhere } .post p .quote { border-left: 3px solid
  var(--line); padding-left: .6rem; display: inline-block } .mail { margin-bottom: .8rem }
.mail h2 { font-size: 1rem; margin: 0 } .quote { color: var(--soft) } details { margin: .6rem 0 }
@media (max-width: 40rem) { header time { margin-left: 0; width: 100% } article, .card { padding: 1rem }
  table { display: block; overflow-x: auto } }
"""


def page(title: str, body: str, *, now: str) -> str:
    """A whole HTML page. `title` is text; `body` is HTML that its maker has escaped."""
    return (
        '<!doctype html><html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>{escape(title)} · Sandbox</title><style>{_CSS}</style></head><body>"
        '<header><strong>Sandpiper sandbox</strong><a href="/">Overview</a><a href="/wiki/">Wiki</a>'
        f'<a href="/list">List</a><a href="/slack">Slack</a><time>{escape(now)}</time></header>'
        f"<main><h1>{escape(title)}</h1>{body}</main></body></html>"
    )
