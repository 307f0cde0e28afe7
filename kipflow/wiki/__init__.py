"""Wiki storage format in, values out: proposal pages, their status and the index."""
