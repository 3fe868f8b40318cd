"""A set of 77 options of our own: requests to a town hall, each a place and a matter, with short descriptions."""

from __future__ import annotations

import json

PLACES = ("library", "pool", "museum", "market", "harbour", "theatre", "garden", "school", "tram", "stadium", "archive")
MATTERS = {
    "hours": "when it opens and closes",
    "price": "what a ticket costs",
    "lost": "something was left behind",
    "noise": "it is too loud there",
    "job": "working there",
    "repair": "something is broken",
    "booking": "reserving a room or a seat",
}

#: Label -> description, 77 of them.
OPTIONS = {f"{place}_{matter}": f"{place}: {text}" for place in PLACES for matter, text in MATTERS.items()}

ASKED = {
    "hours": "When does the {} close tonight?",
    "price": "How much is a ticket for the {}?",
    "lost": "I left my umbrella at the {}.",
    "noise": "The {} keeps us awake.",
    "job": "Can I work at the {}?",
    "repair": "A door at the {} is broken.",
    "booking": "Please reserve a room at the {} for us.",
}


def rows(count: int = 77, languages: tuple[str, ...] = ("en", "de")) -> list[dict[str, object]]:
    """Labelled rows, one for each option; the language goes round, and so does a tag."""
    question = {"type": "choice", "instructions": "What is the request about?", "criteria": OPTIONS}
    return [
        {
            "state": ASKED[label.split("_")[1]].format(label.split("_")[0]),
            "questions": {"request": question},
            "expected": {"request": label},
            "language": languages[i % len(languages)],
            "tags": ["short"] if i % 3 else ["short", "third"],
        }
        for i, label in enumerate(list(OPTIONS)[:count])
    ]


def jsonl(count: int = 77) -> str:
    """The same as the text of a file."""
    return "".join(json.dumps(row) + "\n" for row in rows(count))


def letters(texts):
    """A toy embedder: counts of letters. Deterministic, one text by itself."""
    return [[text.count(letter) for letter in "abcdefghijklmnopqrstuvwxyz_:?."] for text in texts]
