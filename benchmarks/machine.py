"""On what the figures were measured, in one line."""

import os
import platform
import subprocess
from importlib.metadata import version

from autofix import __version__


def described() -> str:
    git = subprocess.run(["git", "--version"], capture_output=True, text=True, check=False).stdout.split()[-1:]
    load = os.getloadavg()[0]
    parts = [
        f"autofix {__version__}",
        f"Python {platform.python_version()}",
        f"anthropic {version('anthropic')}",
        f"git {''.join(git)}",
        f"{platform.system()} {platform.machine()}, {len(os.sched_getaffinity(0))} cores, load {load:.1f} at the start",
    ]
    return "; ".join(parts)
