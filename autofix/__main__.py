"""The entry: starts clean, then hands over to the command line."""

import sys


def main() -> None:
    """`autofix` and `python -P -m autofix`."""
    if sys.argv[1:] == ["--version"]:  # needs no secret, no clean start and none of the imports below
        from autofix import __version__

        sys.stdout.write(f"autofix {__version__}\n")
        return
    from autofix.start import take

    taken = take()
    from autofix.cli.main import run

    sys.exit(run(taken, sys.argv[1:]))


if __name__ == "__main__":
    main()
