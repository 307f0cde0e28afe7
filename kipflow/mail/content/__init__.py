"""From a mail's bytes to its fields and its text: header blocks, MIME trees, charsets, HTML, who sent it."""
