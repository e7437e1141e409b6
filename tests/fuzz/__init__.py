"""Changed bytes at each place where feltd reads what somebody else wrote: `python -m tests.fuzz --help` has more."""
