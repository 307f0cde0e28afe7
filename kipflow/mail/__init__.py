"""Bytes of mail in, values out: who wrote what, in their own words, and which of it is a vote."""
