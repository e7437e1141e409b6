"""Bookmarks sent to a system of cameras as they come up: signed, again and again until they are taken."""
