"""The kinds of effect, one module each; `kipflow.kinds.KINDS` is the table of them."""
