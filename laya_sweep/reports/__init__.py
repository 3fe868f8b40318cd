"""Metrics -> documents for people and tools."""
