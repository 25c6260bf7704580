"""vitest: JSON in jest's likeness, beside its usual words."""

from autofix.checks.reports.jest_json import jest_picture
from autofix.checks.runners.node_options import node_runner

RUNNER = node_runner(
    "vitest",
    lambda report: ["--reporter=default", "--reporter=json", f"--outputFile.json={report}"],
    jest_picture,
)
