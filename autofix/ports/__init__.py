"""The doors to the world: a Protocol and its values each. What passes them is complete and immutable."""
