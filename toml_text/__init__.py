"""TOML for people: the line of a key, and faults in words with what may have been meant."""
