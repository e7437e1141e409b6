"""What a table's uplink and the floor say to each other about the record: the wire, its limits, and rows as bytes."""
