"""The bench: `python -m tests.bench` measures what the goals speak of, each beside what it is compared with, in one
run.

Contenders take turns, a round each, so that whatever else the machine does hits all alike. A number here gates
nothing; a test only sees that every bench runs.
"""
