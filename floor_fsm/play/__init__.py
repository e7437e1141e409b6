"""What a tournament over many tables is made of, each matter by itself: values and functions that know no event."""
