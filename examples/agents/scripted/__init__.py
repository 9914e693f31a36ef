"""Models that say what a script tells them to, so that the examples run without a key."""
