"""Configurations on disk."""

YAML = """
# mine
default_model: k2
providers:
  moon: {type: kimi, base_url: "https://example.invalid/v1", api_key: sk-secret}
models:
  k2: {provider: moon, model: kimi-k2, max_context_size: 1000}
loop_control: {max_steps_per_run: 7}
"""


def written(tmp_path, text, name="config.yaml"):
    file = tmp_path / name
    file.write_bytes(text if isinstance(text, bytes) else text.encode())
    return file
