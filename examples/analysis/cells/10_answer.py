large, small = by_size.loc["Large"], by_size.loc["Small"]
winter = strikes["date"].dt.month.isin([12, 1, 2])
in_winter, otherwise = strikes[winter]["damaged"].mean(), strikes[~winter]["damaged"].mean()

print(f"- Large animals are {large['share_of_strikes']:.0%} of the strikes. They do damage in")
print(f"  {large['damage_rate']:.0%} of them, small ones in {small['damage_rate']:.0%}.")
print(f"- In winter {in_winter:.0%} of strikes do damage, in the rest of the year {otherwise:.0%};")
print("  larger birds explain only a part of it.")
print(f"- Climbing aircraft fare worst with large animals: {rates.loc['Climb', 'Large']:.0f}%.")
