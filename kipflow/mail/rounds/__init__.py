"""Groups mails into rounds of votes: which mail answers which, whose ballot it is, how a round ends."""
