# What did all these strikes cost?
total = strikes["Cost Total"].sum()
print(f"total cost: ${total:,}")
