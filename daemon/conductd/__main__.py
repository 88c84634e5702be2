"""`python -m conductd` is `conductd`."""

from conductd.cli.main import main

main()
