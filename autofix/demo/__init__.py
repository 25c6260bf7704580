"""A bundled pull request that fails, and the recorded words of a model that fixes it: for the demo."""
