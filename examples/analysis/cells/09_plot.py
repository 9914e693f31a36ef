import matplotlib.pyplot as plt

figure, (left, right) = plt.subplots(1, 2, figsize=(11, 4), layout="constrained")

phases = ["Take-off run", "Climb", "Descent", "Approach", "Landing Roll"]
rates = strikes.pivot_table(index="phase", columns="size", values="damaged").loc[phases] * 100
rates[["Small", "Medium", "Large"]].plot.bar(ax=left, rot=20, width=0.8)
left.set(title="Strikes with damage, by phase and size", xlabel="", ylabel="% of strikes")
left.legend(title="animal", frameon=False)

right.bar(by_month.index, by_month["strikes"], color="lightgray")
right.set(title="Strikes and their damage, by month", xlabel="month", ylabel="strikes (bars)")
right.set_ylim(0, 1800)
right.set_xticks(range(1, 13))
damage = right.twinx()
damage.plot(by_month.index, by_month["rate"] * 100, marker="o", label="as reported")
damage.plot(by_month.index, by_month["rate_same_sizes"] * 100, "--", label="same mix of sizes")
damage.set(ylabel="% with damage (lines)", ylim=(0, 28))
damage.legend(frameon=False)
plt.show()
