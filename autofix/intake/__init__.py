"""From an event or a command line to the pull request a run is about."""
