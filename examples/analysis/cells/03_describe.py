strikes[["Cost Total $", "Speed IAS in knots"]].describe().round(1)
