print("columns:", ", ".join(strikes.columns))
print("reports:", strikes["Flight Date"].min(), "to", strikes["Flight Date"].max())
strikes[["Flight Date", "Phase of flight", "Wildlife Species", "Cost Total $"]].head()
