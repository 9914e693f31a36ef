"""A crew of CrewAI's whose analyst has Python."""

import json
import os
import sys

# CrewAI would otherwise report to its makers.
os.environ.setdefault("CREWAI_DISABLE_TELEMETRY", "true")
os.environ.setdefault("OTEL_SDK_DISABLED", "true")

from crewai import Agent, Crew, Task  # noqa: E402
from scripted.crew_model import chosen_llm  # noqa: E402
from scripted.model import arguments_of  # noqa: E402

from cellblock.crewai import CellblockTool  # noqa: E402


def act(code):
    """What a model says to call the tool."""
    arguments = json.dumps({"code": code})
    return f"Thought: I compute it.\nAction: execute_python\nAction Input: {arguments}"


SCRIPT = (
    act("loan, rate = 10_000, 0.04 / 12\npayment = loan * rat / (1 - (1 + rate) ** -60)"),
    act("payment = loan * rate / (1 - (1 + rate) ** -60)\nround(payment, 2)"),
    "Thought: I know the final answer.\nFinal Answer: 184.17 a month.",
)


def main():
    model = chosen_llm(arguments_of(__doc__), *SCRIPT)
    results = []
    with CellblockTool(on_result=results.append) as python:
        analyst = Agent(
            role="Analyst",
            goal="Answer with numbers that were computed",
            backstory="You compute everything with Python and read what it says.",
            tools=[python],
            llm=model,
        )
        task = Task(
            description="10,000 are lent at 4 % for five years. What is paid back each month?",
            expected_output="One number with two decimals",
            agent=analyst,
        )
        answer = Crew(agents=[analyst], tasks=[task]).kickoff()
    for result in results:
        print(result.to_model_text(), "\n")
    print(answer.raw)
    return 0 if results and answer.raw else 1


if __name__ == "__main__":
    sys.exit(main())
