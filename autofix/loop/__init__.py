"""The loop: model, gate, tools, progress, until the checks pass or a limit says stop."""
