"""Measurements of this project against others in the same run: `make bench`."""
