"""A second opinion: random legal hands played by feltd and by pokerkit's `State`, and their answers compared.

`games` says what each book's text asks for; `hands` draws a hand; `ours` is feltd behind its prompts; `theirs` is
pokerkit, brought to the text where it differs (`differences` names each place); `compare` plays both and looks;
`probes` tries what is illegal. `python -m tests.second_opinion` runs it, `docs/second-opinion.md` tells of it.
"""
