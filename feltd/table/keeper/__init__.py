"""The path of each event: table, indicators, record, acknowledgement."""
