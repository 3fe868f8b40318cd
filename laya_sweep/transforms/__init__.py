"""Presentations of a case: one named transform makes one or more variants, each with its way back."""
