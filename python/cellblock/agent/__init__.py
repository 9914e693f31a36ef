"""A loop that lets a model write code, run it, read the error and put it right.

    transcript = cellblock.agent.run(model, "What is the mean price in prices.csv?", session)
    print(transcript.answer, transcript.stop, transcript.cost)

`model` is any callable, or an OpenAIModel or AnthropicModel. See docs/agents.md.
"""

from .budget import Budget
from .endpoints import AnthropicModel, OpenAIModel
from .errors import AgentError, EndpointError, EndpointTimeout
from .messages import Message, Reply, Request, Tokens, ToolCall
from .run import run, run_async
from .transcript import Cost, Execution, StopReason, Transcript

__all__ = [
    "AgentError",
    "AnthropicModel",
    "Budget",
    "Cost",
    "EndpointError",
    "EndpointTimeout",
    "Execution",
    "Message",
    "OpenAIModel",
    "Reply",
    "Request",
    "StopReason",
    "Tokens",
    "ToolCall",
    "Transcript",
    "run",
    "run_async",
]
