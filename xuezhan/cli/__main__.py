"""`python -m xuezhan.cli`: the `xuezhan` command."""

from xuezhan.cli.start import start

raise SystemExit(start())
