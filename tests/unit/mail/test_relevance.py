"""The cheap tests before a closer look: they must never say no where the closer look would find something."""

from __future__ import annotations

import re

from hypothesis import given
from hypothesis import strategies as st

from kipflow.mail.relevance import fold_case


@given(text=st.text(alphabet=st.sampled_from("aAiIıİsSſkK\u212aelEL -é"), max_size=12))
def test_folding_sees_the_letters_that_patterns_see(text: str) -> None:
    for word in ("a", "is", "sk", "kil", "all", "less"):
        assert (word in fold_case(text)) == (re.search(word, text, re.IGNORECASE) is not None)
