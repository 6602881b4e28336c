"""The typed Python client of the three services."""
