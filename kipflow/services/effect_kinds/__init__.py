"""The kinds of effect, one module each; `kipflow.effect_kinds.EFFECT_KINDS` is the table of them."""
