"""What people and machines read of a run: the facts, the comment, result.json."""
