"""Rosters as others publish them: text in, entries out; and the roster file itself."""
