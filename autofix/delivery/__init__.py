"""What leaves a run: the patch and where it goes."""
