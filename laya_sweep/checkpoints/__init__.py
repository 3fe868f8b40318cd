"""Which weights answer: folders and repositories, pins, digests, temperatures, routes."""
