"""What holds for all tests."""

from __future__ import annotations

import os

from hypothesis import settings

# A build server asks whether this change is good, so it draws the same examples every time; whoever works
# on the code has new ones drawn at every run, and meets what nobody thought of.
settings.register_profile("same-examples", derandomize=True)
if os.environ.get("CI"):
    settings.load_profile("same-examples")
