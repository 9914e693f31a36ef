# How dangerous are birds for airliners? 10,000 wildlife strikes as reported to the US FAA.
strikes = load_csv("birdstrikes.csv")
strikes.shape
