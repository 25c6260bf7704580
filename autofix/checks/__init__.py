"""What a check says, before and after: runners, reports, baseline, flakiness, tampering, verification."""
