"""The initial corpus: the project's own hard mails, their bodies, and small wiki pages."""

from __future__ import annotations

import io
import json
from pathlib import Path

from kipflow.mail.content.headers import split_mail
from kipflow.mbox.splitting import split_mbox
from kipflow.wiki.template import render_page
from tests.corpus import load_mail_cases, load_vote_cases

DATA = Path(__file__).resolve().parents[2] / "tests" / "data"
CORPUS = DATA / "votes"

INDEX_PAGE = (
    "<h2>Adopted KIPs</h2><table><tbody><tr><th>KIP</th><th>Release</th></tr>"
    '<tr><td><a href="https://wiki.x.example/7">'
    "KIP-7: Shorter names</a> (WIP)</td><td>4.1</td></tr></tbody></table><h2>KIPs under discussion</h2><table><tbody>"
    "<tr><th>KIP</th><th>Comment</th></tr>"
    "<tr><td><ac:link><ri:page ri:content-title='KIP-9 - Longer names' /></ac:link>"
    "</td><td><ac:structured-macro ac:name='status'><ac:parameter ac:name='title'>Under discussion</ac:parameter>"
    "</ac:structured-macro></td></tr></tbody></table><p>Next KIP Number: <strong>10</strong></p>"
)
HTML_BODIES = (
    "<html><body><p>+1 (binding)</p><div class='gmail_quote'>On Tue, Jun wrote:<blockquote>-1</blockquote></div>",
    "<table><tr><td>Choice</td><td>+1</td></tr></table><style>p{}</style><pre>a\n b</pre><ul><li>x<li>y</ul>",
    "<div>+1<br><div style='border-top:solid #E1E1E1 1.0pt'><b>From:</b> &lt;jun@okafor.example&gt;<br><b>Sent:</b> x",
    "<?xml version='1.0' encoding='utf-16'?><p>&#43;1 &plus;1 &#xd800; &#0;</p><!-- +1 --><script>+1</script>",
)


def load_archives() -> list[bytes]:
    """Each archive of the corpus, whole."""
    return [case.mbox for case in load_vote_cases().values()]


def load_mails() -> list[bytes]:
    """Each mail of the corpus, without its envelope line."""
    mails = [raw.data for archive in load_archives() for raw in split_mbox(io.BytesIO(archive))]
    mails += [case.data for case in load_mail_cases().values()]
    return sorted({mail.partition(b"\n")[2] if mail.startswith(b"From ") else mail for mail in mails})


def load_heads() -> list[bytes]:
    """The header blocks of the corpus."""
    return sorted({mail.partition(b"\n\n")[0] + b"\n" for mail in load_mails()})


def load_texts() -> list[bytes]:
    """Bodies and single phrases as plain text."""
    phrases: dict[str, list[str]] = json.loads((CORPUS / "phrases.json").read_text(encoding="utf-8"))
    bodies = {split_mail(mail)[1] for mail in load_mails()}
    return sorted({*bodies, *(phrase.encode() for group in phrases.values() for phrase in group)})


def load_html() -> list[bytes]:
    """HTML bodies of the corpus, and some with every construct that the reader knows."""
    found = {body for body in load_texts() if b"</" in body}
    return sorted({*found, *(text.encode() for text in HTML_BODIES)})


def load_pages() -> list[bytes]:
    """Wiki pages in storage format."""
    return [render_page().encode(), render_page(state="Accepted").encode(), INDEX_PAGE.encode()]


SEEDS = {
    "mail": load_mails,
    "mbox": load_archives,
    "page": load_pages,
    "text": load_texts,
    "html": load_html,
    "headers": load_heads,
}
