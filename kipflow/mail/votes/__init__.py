"""Own words → the vote that they cast: structure, sentences, mentions of a value, a table of rules, one verdict."""
