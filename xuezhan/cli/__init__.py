"""The xuezhan command, and the composition root of the whole system."""
