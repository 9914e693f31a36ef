dates = strikes["Flight Date"]
print("reports from", dates.min().date(), "to", dates.max().date())
strikes[["Flight Date", "Phase of flight", "Wildlife Species", "Cost Total $"]].head()
