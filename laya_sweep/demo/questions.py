"""What the demo asks about an utterance, in the runtime's own form: one question of each type."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

#: The same words as the question of the published tables.
INTENT_INSTRUCTIONS = "What is the user asking for in `utterance`?"
URGENCY_INSTRUCTIONS = "How urgent is the request in `utterance`?"

#: Level texts, by the corpus' urgency.
URGENCY_LEVELS = ("Not urgent", "Soon", "Immediately")

#: The yes-or-no question of each intent; the keys are the intents of the corpus.
WISHES = {
    "alarm_set": "Does the user want to set an alarm?",
    "weather_ask": "Does the user want to know about the weather?",
    "music_play": "Does the user want to hear music?",
    "light_change": "Does the user want to change the light?",
    "message_send": "Does the user want to send a message?",
    "food_order": "Does the user want to order food?",
    "route_find": "Does the user want to find a route?",
    "meeting_add": "Does the user want to add a meeting?",
    "shopping_add": "Does the user want to add to the shopping list?",
    "news_read": "Does the user want to hear the news?",
}

INTENTS = tuple(WISHES)


def state(text: str) -> dict[str, str]:
    """The state that every question is about."""
    return {"utterance": text}


def intent_question(intents: Iterable[str]) -> dict[str, Any]:
    """A choice among these intents, in this order."""
    criteria = {intent: intent.replace("_", " ") for intent in intents}
    return {"type": "choice", "instructions": INTENT_INSTRUCTIONS, "criteria": criteria}


def wish_question(intent: str) -> dict[str, Any]:
    """Whether the user wants this one thing: true or false."""
    return {"type": "noul", "instructions": WISHES[intent]}


def urgency_question() -> dict[str, Any]:
    """A score of three levels."""
    return {"type": "score", "instructions": URGENCY_INSTRUCTIONS, "criteria": list(URGENCY_LEVELS)}
