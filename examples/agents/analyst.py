"""An analyst: one session, a CSV file, several questions, a chart.

Each question is a run of the loop that goes on from the one before: what earlier code loaded is
still in the session, what was said is still in the conversation.
"""

import pathlib
import sys

import cellblock
from cellblock import agent
from scripted.model import ScriptedModel, arguments_of, chosen_model, code

DATA = pathlib.Path(__file__).parent.parent / "analysis/data/birdstrikes.csv"

QUESTIONS = [
    "birdstrikes.csv has reports of birds that hit aircraft. What is in it?",
    "In which phase of flight is a strike most often followed by damage?",
    "Show that as a bar chart.",
]

SCRIPT = ScriptedModel(
    code('strikes = load_csv("birdstrikes.csv")\ndescribe(strikes)'),
    "10,000 reports: when and where, which aircraft and animal, and what it cost.",
    code(
        """
damaged = strikes["Effect Amount of damage"] != "None"
by_phase = damaged.groupby(strikes["Phase of flight"]).agg(["size", "mean"])
by_phase[by_phase["size"] >= 100].sort_values("mean", ascending=False).round(3)
"""
    ),
    "In the descent: there most strikes of the common phases are followed by damage.",
    code(
        """
import matplotlib.pyplot as plt
rates = by_phase[by_phase["size"] >= 100]["mean"].sort_values() * 100
rates.plot.barh(title="Strikes with damage", xlabel="%", ylabel="")
plt.show()
"""
    ),
    "Here it is: the phases of flight by the share of strikes that did damage.",
)


def main():
    arguments = arguments_of(__doc__)
    model = chosen_model(arguments, SCRIPT)
    history, pictures = [], []
    with cellblock.Session() as session:
        session.upload_file(DATA)
        for question in QUESTIONS:
            transcript = agent.run(model, question, session, history=history)
            print(transcript, "\n")
            if not transcript.succeeded:
                return 1
            history = transcript.messages
            for execution in transcript.executions:
                pictures += [shown.png for shown in execution.result.results if shown.png]
    folder = pathlib.Path(arguments.out)
    folder.mkdir(parents=True, exist_ok=True)
    for number, png in enumerate(pictures, 1):
        path = folder / f"analyst-{number}.png"
        path.write_bytes(png)
        print("chart:", path)
    return 0 if pictures else 1


if __name__ == "__main__":
    sys.exit(main())
