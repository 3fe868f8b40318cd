"""The languages of the public suites, one row a language: the 51 of MASSIVE 1.1 and the 15 of XNLI.

Codes are those of the Hub datasets `mteb/amazon_massive_intent` and `facebook/xnli`; names and scripts are from
ISO 639 and ISO 15924. A suite has its own registry: a code of one need not be a code of the other.
"""

from __future__ import annotations

from typing import NamedTuple


class KnownLanguage(NamedTuple):
    """A language: its English name and the ISO 15924 code of the script its texts are in."""

    name: str
    script: str


LANGUAGES: dict[str, KnownLanguage] = {
    "af": KnownLanguage("Afrikaans", "Latn"),
    "am": KnownLanguage("Amharic", "Ethi"),
    "ar": KnownLanguage("Arabic", "Arab"),
    "az": KnownLanguage("Azerbaijani", "Latn"),
    "bn": KnownLanguage("Bengali", "Beng"),
    "cy": KnownLanguage("Welsh", "Latn"),
    "da": KnownLanguage("Danish", "Latn"),
    "de": KnownLanguage("German", "Latn"),
    "el": KnownLanguage("Greek", "Grek"),
    "en": KnownLanguage("English", "Latn"),
    "es": KnownLanguage("Spanish", "Latn"),
    "fa": KnownLanguage("Persian", "Arab"),
    "fi": KnownLanguage("Finnish", "Latn"),
    "fr": KnownLanguage("French", "Latn"),
    "he": KnownLanguage("Hebrew", "Hebr"),
    "hi": KnownLanguage("Hindi", "Deva"),
    "hu": KnownLanguage("Hungarian", "Latn"),
    "hy": KnownLanguage("Armenian", "Armn"),
    "id": KnownLanguage("Indonesian", "Latn"),
    "is": KnownLanguage("Icelandic", "Latn"),
    "it": KnownLanguage("Italian", "Latn"),
    "ja": KnownLanguage("Japanese", "Jpan"),
    "jv": KnownLanguage("Javanese", "Latn"),
    "ka": KnownLanguage("Georgian", "Geor"),
    "km": KnownLanguage("Khmer", "Khmr"),
    "kn": KnownLanguage("Kannada", "Knda"),
    "ko": KnownLanguage("Korean", "Kore"),
    "lv": KnownLanguage("Latvian", "Latn"),
    "ml": KnownLanguage("Malayalam", "Mlym"),
    "mn": KnownLanguage("Mongolian", "Cyrl"),
    "ms": KnownLanguage("Malay", "Latn"),
    "my": KnownLanguage("Burmese", "Mymr"),
    "nb": KnownLanguage("Norwegian Bokmål", "Latn"),
    "nl": KnownLanguage("Dutch", "Latn"),
    "pl": KnownLanguage("Polish", "Latn"),
    "pt": KnownLanguage("Portuguese", "Latn"),
    "ro": KnownLanguage("Romanian", "Latn"),
    "ru": KnownLanguage("Russian", "Cyrl"),
    "sl": KnownLanguage("Slovenian", "Latn"),
    "sq": KnownLanguage("Albanian", "Latn"),
    "sv": KnownLanguage("Swedish", "Latn"),
    "sw": KnownLanguage("Swahili", "Latn"),
    "ta": KnownLanguage("Tamil", "Taml"),
    "te": KnownLanguage("Telugu", "Telu"),
    "th": KnownLanguage("Thai", "Thai"),
    "tl": KnownLanguage("Filipino", "Latn"),
    "tr": KnownLanguage("Turkish", "Latn"),
    "ur": KnownLanguage("Urdu", "Arab"),
    "vi": KnownLanguage("Vietnamese", "Latn"),
    "zh-CN": KnownLanguage("Chinese (simplified)", "Hans"),
    "zh-TW": KnownLanguage("Chinese (traditional)", "Hant"),
}

_XNLI_ALONE = {"bg": KnownLanguage("Bulgarian", "Cyrl"), "zh": KnownLanguage("Chinese (simplified)", "Hans")}

XNLI_LANGUAGES: dict[str, KnownLanguage] = {
    code: (LANGUAGES | _XNLI_ALONE)[code]
    for code in ("ar", "bg", "de", "el", "en", "es", "fr", "hi", "ru", "sw", "th", "tr", "ur", "vi", "zh")
}
