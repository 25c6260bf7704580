"""What a run remembers: its phases, its journal, and the state that is the journal's fold."""
