"""The protocol of the socket between processes: typed values as JSON, one message a line, bounded and versioned."""
