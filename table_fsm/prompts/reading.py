"""Prompts read back from JSON: from the journal, or from another program."""

from table_fsm.prompts.shape import Json
from table_fsm.prompts.types import PROMPTS, Prompt


def prompt_from_dict(data: Json) -> Prompt:
    """Return the prompt whose `to_json` is `data`. Raises ValueError if there is none."""
    for kind in PROMPTS:
        prompt = kind.read(data)
        if prompt is not None and prompt.to_json() == data:
            return prompt
    raise ValueError(f"this is no prompt: {dict(data)}")
