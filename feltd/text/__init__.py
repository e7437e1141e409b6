"""Words for people, the tree of errors, and atomic files. It imports nothing else of feltd."""
