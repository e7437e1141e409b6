"""Rulebooks as files: shipped books, replay, drills, coverage and printing."""
