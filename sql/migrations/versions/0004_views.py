"""Views for reports (`sql/views`). Every upgrade makes them anew; to change one, add an empty revision."""

from __future__ import annotations

revision = "0004"
down_revision = "0003"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Nothing: see `kipflow.adapters.store.migrations`."""
