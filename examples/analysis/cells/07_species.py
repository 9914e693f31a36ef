# Who does it? Species with at least 50 reports; "Unknown …" says nothing that could be acted on.
known = strikes[~strikes["species"].str.startswith("Unknown")]
by_species = known.groupby("species").agg(strikes=("damaged", "size"), rate=("damaged", "mean"))
by_species[by_species["strikes"] >= 50].nlargest(6, "rate").round(3)
