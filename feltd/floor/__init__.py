"""The floor's process, `floord`: it keeps the journals of many tables, on PostgreSQL, and runs tournaments."""
