"""The kinds of effect, one module each; `kipflow.kinds.EFFECT_KINDS` is the table of them."""
