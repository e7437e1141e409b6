"""Which hand wins: orders, tables and values of hands."""
