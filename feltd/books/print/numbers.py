"""Numbers in words."""


def count_in_words(number: int) -> str:
    """Return `no` to `five` as words, other numbers as figures."""
    words = ("no", "one", "two", "three", "four", "five")
    return words[number] if 0 <= number < len(words) else str(number)
