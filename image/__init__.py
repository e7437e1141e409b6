"""The image of a board: a whole Debian with feltd, made by `make image`."""
