"""The machine under the table: health, logs, the board's own reports."""
