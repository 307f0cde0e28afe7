"""The stages of a proposal: `table` is the law, `replaying` applies it to the facts in order of time."""
