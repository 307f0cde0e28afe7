"""Who is who as others publish it: text in, entries out; and the roster file itself."""
