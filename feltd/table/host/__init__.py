"""The machine under the table: health, logs, what the board reports."""
