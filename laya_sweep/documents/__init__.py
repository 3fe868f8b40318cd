"""Documents of results, ours and others': who writes a shape and who reads it stand together."""
