"""Files and the Hub: atomic writes, strict JSON, downloads."""
