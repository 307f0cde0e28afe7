"""Equal versions of the store mean that nothing changed: a page that was rendered for one is shown again."""

from __future__ import annotations

from collections.abc import Callable

from kipflow.adapters.store import SqlStore
from tests.integration.store.mails import NOW, make_message


def save(store: SqlStore, name: str) -> None:
    with store.begin() as session:
        session.mail.save_messages([make_message(name, 7)], seen_at=NOW)


def test_the_version_stays_until_something_is_stored_here_or_by_another_process(
    store: SqlStore, open_with: Callable[..., SqlStore]
) -> None:
    seen = [store.version()]
    assert store.version() == seen[0]
    save(store, "here")
    seen.append(store.version())
    assert store.version() == seen[1]
    save(open_with(), "elsewhere")
    seen.append(store.version())
    assert len(set(seen)) == 3
