"""A model that is wrong twice and puts itself right.

The file has a decimal comma and a word where a number should be. The scripted model first takes a
column that is not there, then a text for a number; each time it reads the error and tries again.
"""

import sys

import cellblock
from cellblock import agent
from scripted.model import ScriptedModel, arguments_of, chosen_model, code

SALES = """\
region;amount
north;12,50
south;7,25
north;on request
south;30,00
"""

TASK = "sales.csv has sales by region. What is the total amount of each region?"

SCRIPT = ScriptedModel(
    code(
        """
import csv
rows = list(csv.DictReader(open("sales.csv")))
totals = {}
for row in rows:
    totals[row["region"]] = totals.get(row["region"], 0) + row["amount"]
totals
""",
        "I add the amounts up.",
    ),
    code(
        """
import csv
rows = list(csv.DictReader(open("sales.csv"), delimiter=";"))
totals = {}
for row in rows:
    totals[row["region"]] = totals.get(row["region"], 0) + float(row["amount"])
totals
""",
        "KeyError: the columns are separated by semicolons.",
    ),
    code(
        """
import csv
rows = list(csv.DictReader(open("sales.csv"), delimiter=";"))
totals, left_out = {}, []
for row in rows:
    try:
        amount = float(row["amount"].replace(",", "."))
    except ValueError:
        left_out.append(row["amount"])
        continue
    totals[row["region"]] = totals.get(row["region"], 0) + amount
totals, left_out
""",
        "ValueError: the amounts have a decimal comma, and one is no number at all.",
    ),
    "North sold 12.50 and south 37.25. One amount, 'on request', is no number and left out.",
)


def main():
    model = chosen_model(arguments_of(__doc__), SCRIPT)
    with cellblock.Session() as session:
        session.upload("sales.csv", SALES)
        transcript = agent.run(model, TASK, session, max_attempts=3)
    print(transcript)
    return 0 if transcript.succeeded else 1


if __name__ == "__main__":
    sys.exit(main())
