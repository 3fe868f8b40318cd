"""The configuration as it is written -> `Settings`, with every fault shown at once."""
