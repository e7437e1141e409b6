"""Rulebooks as files: those that are shipped, replay, drills, coverage and printing."""
