"""`python -m feltd.cli`, where the program is not on the path."""

from feltd.cli import main

main()
