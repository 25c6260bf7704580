"""The plan: which tasks a run has, and which of them can start."""
