"""Models behind HTTP: OpenAI's chat completions and Anthropic's messages, and what speaks like
them."""

from .anthropic import AnthropicModel
from .openai import OpenAIModel

__all__ = ["AnthropicModel", "OpenAIModel"]
