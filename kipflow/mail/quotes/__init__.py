"""The parts of a mail's text that are not its author's: quotes of every style, attribution lines, footers."""
