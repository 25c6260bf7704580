"""The command line: the composition root. It parses words, builds the real world, and prints."""
