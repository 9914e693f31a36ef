# The column is called "Cost Total $". Short names keep that from happening again.
strikes = strikes.rename(
    columns={
        "Flight Date": "date",
        "Phase of flight": "phase",
        "Wildlife Size": "size",
        "Wildlife Species": "species",
        "Effect Amount of damage": "damage",
        "Cost Total $": "cost",
    }
)
# The word "None" means no damage here; newer versions of pandas read it as a missing value.
strikes["damaged"] = strikes["damage"].fillna("None").ne("None")

with_cost = strikes["cost"].gt(0)
print(f"total cost: ${strikes['cost'].sum():,}")
print(f"damaged aircraft: {strikes['damaged'].sum():,}")
print(f"of these with a cost: {(strikes['damaged'] & with_cost).sum():,}")
print(f"share of the ten dearest: {strikes['cost'].nlargest(10).sum() / strikes['cost'].sum():.0%}")
