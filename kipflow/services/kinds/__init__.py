"""The kinds of effect, one module each; `wiring.KINDS` is the table of them."""
