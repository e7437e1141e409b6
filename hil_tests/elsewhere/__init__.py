"""The package on other machines and another Debian: built there, installed in a root without tools, and played."""
