"""A sweep: what will run, running it, deriving what follows, writing it."""
