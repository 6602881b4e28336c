"""The public side of xuezhan: its contracts (`api`), the Python client and the command."""
