"""What in a mail's text is not its author's: quotes of every style, attribution lines, footers."""
