"""The rules: pure values and functions, standard library only. No clock, no I/O."""
