# Most damaged aircraft have no cost on record and ten reports make most of the total: sums of
# money would mislead. How often a strike does damage is the better measure.
by_size = strikes.groupby("size").agg(strikes=("damaged", "size"), damage_rate=("damaged", "mean"))
by_size["share_of_strikes"] = by_size["strikes"] / len(strikes)
by_size.sort_values("damage_rate", ascending=False).round(3)
