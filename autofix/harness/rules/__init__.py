"""The gate's layers, one a file. Each answers `judge(question) -> Verdict` and knows nothing of the others."""
