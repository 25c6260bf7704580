"""jest: its own JSON, asked for on its command line from within."""

from autofix.checks.reports.jest_json import jest_picture
from autofix.checks.runners.node_options import node_runner

RUNNER = node_runner(
    "jest", lambda report: ["--json", "--testLocationInResults", f"--outputFile={report}"], jest_picture
)
