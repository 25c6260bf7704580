"""The real doors. Only this package imports subprocess, docker, github or anthropic."""
