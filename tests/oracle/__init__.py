"""Can anybody learn a hidden card by asking? A program that writes every field and reads every number.

Tables are played that differ in their hidden cards alone. The same questions are put to each of them, in every role:
texts that name cards go into every field that takes one (the API's own description says which), and after each of them
everything that can be read is read. What differs is a leak.

`python -m tests.oracle` asks at many moments, until a number of values has been compared.
"""
