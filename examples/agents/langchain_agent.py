"""An agent of LangChain's that has Python: create_agent with CellblockTool.

The first code has a mistake; the model reads the error and puts it right. The picture reaches a
model that can see as an image, and the whole result stands in the message's artifact.
"""

import base64
import pathlib
import sys

from langchain.agents import create_agent
from scripted.chat_model import chosen_chat_model, says
from scripted.model import arguments_of

from cellblock.langchain import CellblockTool

QUESTION = "Draw the first 50 partial sums of 1/n². Where do they go?"

SCRIPT = (
    says("I sum it up.", "import numpy as np\nsums = np.cumsum(1 / np.arange(50) ** 2)\nsums[51]"),
    says(
        "The index was out of bounds, and n begins at 1.",
        """
import matplotlib.pyplot as plt
sums = np.cumsum(1 / np.arange(1, 51) ** 2)
plt.plot(sums)
plt.axhline(np.pi**2 / 6, linestyle="--")
plt.show()
sums[-1], np.pi**2 / 6
""",
    ),
    says("They go to π²/6, about 1.645; after 50 terms they are at 1.625."),
)


def main():
    arguments = arguments_of(__doc__)
    model = chosen_chat_model(arguments, *SCRIPT)
    folder = pathlib.Path(arguments.out)
    folder.mkdir(parents=True, exist_ok=True)
    pictures = 0
    with CellblockTool() as python:
        agent = create_agent(model, tools=[python])
        for update in agent.stream({"messages": [("user", QUESTION)]}, stream_mode="values"):
            message = update["messages"][-1]
            message.pretty_print()
            if message.type != "tool":
                continue
            for shown in message.artifact["results"]:
                if "image/png" in shown["mime"]:
                    pictures += 1
                    path = folder / f"langchain-{pictures}.png"
                    path.write_bytes(base64.b64decode(shown["mime"]["image/png"]))
                    print("picture:", path)
    return 0 if message.type == "ai" and message.text else 1


if __name__ == "__main__":
    sys.exit(main())
