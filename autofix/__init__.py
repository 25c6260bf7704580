"""autofix: a failing check on a pull request becomes a verified commit, or a comment to take over from."""

__version__ = "0.1.0"
