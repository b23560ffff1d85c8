"""The command line: one verb a file, nothing a library user would miss."""
