"""What happens to each event: the table's answer, the indicators, the record, the acknowledgement."""
