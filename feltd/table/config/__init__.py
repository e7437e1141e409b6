"""A table's configuration: one TOML file, read with every fault at once."""
