"""Mails put together to rounds of votes: which answers which, whose ballot it is, how a round ends."""
