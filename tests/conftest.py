"""Fixtures that every folder of tests may ask for."""

from tests.fakes.anthropic_fixture import anthropic_server

__all__ = ["anthropic_server"]
