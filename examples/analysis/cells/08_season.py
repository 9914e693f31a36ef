# Strikes are most frequent in autumn, but harm is done in winter. Because the birds are larger
# then? With each month weighted to the same mix of sizes the difference stays.
month = strikes["date"].dt.month.rename("month")
by_month = strikes.groupby(month).agg(strikes=("damaged", "size"), rate=("damaged", "mean"))
size_mix = strikes["size"].value_counts(normalize=True)
rate_of_size = strikes.groupby([month, "size"])["damaged"].mean().unstack()
by_month["rate_same_sizes"] = (rate_of_size * size_mix).sum(axis=1)
by_month.round(3)
