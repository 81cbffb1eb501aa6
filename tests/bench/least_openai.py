"""The least script that asks an OpenAI-compatible server once, through the official SDK: the floor of `--print`."""

import sys

from openai import OpenAI

client = OpenAI(base_url=sys.argv[1], api_key="k")
stream = client.chat.completions.create(
    model="bench-model",
    stream=True,
    messages=[{"role": "user", "content": sys.argv[2]}],
    tools=[{"type": "function", "function": {"name": "Shell", "parameters": {"type": "object", "properties": {}}}}],
)
for chunk in stream:
    for choice in chunk.choices:
        sys.stdout.write(choice.delta.content or "")
        sys.stdout.flush()
print()
