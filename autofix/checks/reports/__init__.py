"""Readers of runners' reports: bytes in, cases out. Reports are hostile input: capped, entity-free, streamed."""
