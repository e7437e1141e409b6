"""The simulated table as people work it from its page: only `feltd simulate` has it."""
