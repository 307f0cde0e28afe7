"""The body of a proposal page, in the sections of the KIP template, as Confluence stores it."""

from __future__ import annotations

from html import escape

from kipflow.sandbox.plans import Plan

_COLOURS = {"Accepted": "Green", "Adopted": "Green", "Discarded": "Grey", "Draft": "Grey", "Voting": "Blue"}

#: What a page looks like that was copied and hardly filled in; its hints are those of the public template.
TEMPLATE_BODY = (
    "<p>This page is meant as a template for writing a KIP. Replace anything in italics with your own description.</p>"
    "<h1>Status</h1>"
    "<p><strong>Current state</strong>: "
    "<em>[One of &quot;Under Discussion&quot;, &quot;Accepted&quot;, &quot;Rejected&quot;]</em></p>"
    "<p><strong>Discussion thread</strong>: <em>TBD</em></p>"
    '<p><strong>JIRA</strong>: <a href="https://jira.sandbox.example/browse/SAND-1">here</a> '
    "<em>[Change the link from SAND-1 to your own ticket]</em></p>"
    "<h1>Motivation</h1><p>Describe the problems you are trying to solve.</p>"
    "<h1>Public Interfaces</h1><p>Briefly list any new interfaces that will be introduced as part of this proposal "
    "or any existing interfaces that will be removed or changed.</p>"
    "<h1>Proposed Changes</h1><p>Describe the new thing you want to do in appropriate detail.</p>"
    "<h1>Compatibility, Deprecation, and Migration Plan</h1>"
    "<ul><li><em>What impact (if any) will there be on existing users?</em></li></ul>"
    "<h1>Test Plan</h1><p>Describe in few sentences how the KIP will be tested.</p>"
    "<h1>Rejected Alternatives</h1><p>If there are alternative ways of accomplishing the same thing, "
    "what were they?</p>"
)


def macro(name: str, *, parameters: dict[str, str] | None = None, body: str = "") -> str:
    """A structured macro with a rich text body."""
    inner = "".join(
        f'<ac:parameter ac:name="{escape(key)}">{escape(value)}</ac:parameter>'
        for key, value in (parameters or {}).items()
    )
    inner += f"<ac:rich-text-body>{body}</ac:rich-text-body>" if body else ""
    return f'<ac:structured-macro ac:name="{name}" ac:schema-version="1">{inner}</ac:structured-macro>'


def render_body(plan: Plan, *, state: str, lozenge: bool, ticket: str, discussed: bool, notes: tuple[str, ...]) -> str:
    """One version of the page. `notes` are the changes that its author has worked in so far."""
    topic = plan.topic
    sections = (
        ("Status", _status(state, lozenge=lozenge, ticket=ticket, plan=plan, discussed=discussed)),
        (
            "Motivation",
            f"<p>Today {escape(topic.where)} gives no way to control {escape(topic.thing)}. "
            f"This proposal {escape(topic.gain)}.</p>"
            "<p>Operators have asked for it several times on the user list.</p>",
        ),
        ("Public Interfaces", "<ul>" + "".join(f"<li>{escape(line)}</li>" for line in topic.interfaces) + "</ul>"),
        ("Proposed Changes", _changes(plan, notes)),
        (
            "Compatibility, Deprecation, and Migration Plan",
            f"<p>Existing users see no change until they opt in. What they should know: {escape(topic.risk)}.</p>",
        ),
        (
            "Test Plan",
            f"<p>Unit tests for {escape(topic.thing)}, "
            f"and a system test that restarts {escape(topic.where)} under load.</p>",
        ),
        (
            "Rejected Alternatives",
            f"<p>We also looked at {escape(topic.other)}. "
            f"It is more work for everybody who runs more than one cluster.</p>",
        ),
    )
    return "".join(f"<h1>{title}</h1>{body}" for title, body in sections)


def _status(state: str, *, lozenge: bool, ticket: str, plan: Plan, discussed: bool) -> str:
    if lozenge:
        shown = macro("status", parameters={"colour": _COLOURS.get(state, "Yellow"), "title": state})
    elif plan.number % 3 == 0:
        shown = f"<em>{escape(state)}</em>"
    else:
        shown = escape(state)
    link = (
        f'<a href="https://lists.sandbox.example/list.html?dev@sandbox.example:{plan.key}">here</a>'
        if discussed
        else "TBD"
    )
    if plan.number % 2:
        jira = macro("jira", parameters={"server": "Sandbox JIRA", "key": ticket})
    else:
        jira = f'<a href="https://jira.sandbox.example/browse/{ticket}">{ticket}</a>'
    return (
        f"<p><strong>Current state</strong>: {shown}</p><p><strong>Discussion thread</strong>: {link}</p>"
        f"<p><strong>JIRA</strong>: {jira}</p>"
        + macro("info", body="<p>Please discuss on the mailing list, comments on this page are easily missed.</p>")
    )


def _changes(plan: Plan, notes: tuple[str, ...]) -> str:
    topic = plan.topic
    text = f"<p>We change {escape(topic.where)} so that {escape(topic.thing)} can be controlled.</p>"
    if topic.setting != "none":
        rows = "<tr><th>Name</th><th>Read</th></tr>"
        rows += f"<tr><td><code>{escape(topic.setting)}</code></td><td>at run time</td></tr>"
        text += f"<table><tbody>{rows}</tbody></table>"
    text += "".join(f"<p>{escape(note)}.</p>" for note in notes)
    sketch = f"<p>The code path starts in {escape(topic.where)}; three callers change.</p>"
    return text + macro("expand", parameters={"title": "Sketch of the code"}, body=sketch)
