"""Facts on disk: explicit schemas, atomic parts, done by ids."""
