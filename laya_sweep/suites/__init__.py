"""Where cases come from: read once by the driver, frozen, handed out; workers never sample."""
