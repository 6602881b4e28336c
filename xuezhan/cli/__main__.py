"""`python -m xuezhan.cli`: the `xuezhan` command."""

from xuezhan.cli.main import main

raise SystemExit(main())
