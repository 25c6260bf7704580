"""The entry: starts clean, then hands over to the command line."""

import gc
import sys

YOUNG_OBJECTS = 50_000
"""New objects before the collector looks for cycles (Python's own 700 costs 15 % of the imports, which all stay)."""


def main() -> None:
    """`autofix` and `python -P -m autofix`."""
    if sys.argv[1:] == ["--version"]:  # needs no secret, no clean start and none of the imports below
        from autofix import __version__

        sys.stdout.write(f"autofix {__version__}\n")
        return
    from autofix.start import take

    taken = take()
    gc.set_threshold(YOUNG_OBJECTS)
    from autofix.cli.main import run

    code = run(taken, sys.argv[1:])
    gc.freeze()  # else the interpreter's last collections walk through every module of the model's SDK: 0.2 s
    sys.exit(code)


if __name__ == "__main__":
    main()
