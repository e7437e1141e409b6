"""TOML for people: reading it, the line of each key, and faults in words. Imports nothing else of the project."""
