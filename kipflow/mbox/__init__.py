"""Boxes of mail as bytes: where a mail begins, whether a file ends as it should, and its parts."""
