"""The languages of the public suites, one row a language: the 51 of MASSIVE 1.1 and the 15 of XNLI.

Codes are those of the Hub datasets `mteb/amazon_massive_intent` and `facebook/xnli`; names and scripts are from
ISO 639 and ISO 15924. A suite has its own registry: a code of one need not be a code of the other.
"""

from __future__ import annotations

from typing import NamedTuple


class Language(NamedTuple):
    """A language: its English name and the ISO 15924 code of the script its texts are in."""

    name: str
    script: str


LANGUAGES: dict[str, Language] = {
    "af": Language("Afrikaans", "Latn"),
    "am": Language("Amharic", "Ethi"),
    "ar": Language("Arabic", "Arab"),
    "az": Language("Azerbaijani", "Latn"),
    "bn": Language("Bengali", "Beng"),
    "cy": Language("Welsh", "Latn"),
    "da": Language("Danish", "Latn"),
    "de": Language("German", "Latn"),
    "el": Language("Greek", "Grek"),
    "en": Language("English", "Latn"),
    "es": Language("Spanish", "Latn"),
    "fa": Language("Persian", "Arab"),
    "fi": Language("Finnish", "Latn"),
    "fr": Language("French", "Latn"),
    "he": Language("Hebrew", "Hebr"),
    "hi": Language("Hindi", "Deva"),
    "hu": Language("Hungarian", "Latn"),
    "hy": Language("Armenian", "Armn"),
    "id": Language("Indonesian", "Latn"),
    "is": Language("Icelandic", "Latn"),
    "it": Language("Italian", "Latn"),
    "ja": Language("Japanese", "Jpan"),
    "jv": Language("Javanese", "Latn"),
    "ka": Language("Georgian", "Geor"),
    "km": Language("Khmer", "Khmr"),
    "kn": Language("Kannada", "Knda"),
    "ko": Language("Korean", "Kore"),
    "lv": Language("Latvian", "Latn"),
    "ml": Language("Malayalam", "Mlym"),
    "mn": Language("Mongolian", "Cyrl"),
    "ms": Language("Malay", "Latn"),
    "my": Language("Burmese", "Mymr"),
    "nb": Language("Norwegian Bokmål", "Latn"),
    "nl": Language("Dutch", "Latn"),
    "pl": Language("Polish", "Latn"),
    "pt": Language("Portuguese", "Latn"),
    "ro": Language("Romanian", "Latn"),
    "ru": Language("Russian", "Cyrl"),
    "sl": Language("Slovenian", "Latn"),
    "sq": Language("Albanian", "Latn"),
    "sv": Language("Swedish", "Latn"),
    "sw": Language("Swahili", "Latn"),
    "ta": Language("Tamil", "Taml"),
    "te": Language("Telugu", "Telu"),
    "th": Language("Thai", "Thai"),
    "tl": Language("Filipino", "Latn"),
    "tr": Language("Turkish", "Latn"),
    "ur": Language("Urdu", "Arab"),
    "vi": Language("Vietnamese", "Latn"),
    "zh-CN": Language("Chinese (simplified)", "Hans"),
    "zh-TW": Language("Chinese (traditional)", "Hant"),
}

_XNLI_ALONE = {"bg": Language("Bulgarian", "Cyrl"), "zh": Language("Chinese (simplified)", "Hans")}

XNLI_LANGUAGES: dict[str, Language] = {
    code: (LANGUAGES | _XNLI_ALONE)[code]
    for code in ("ar", "bg", "de", "el", "en", "es", "fr", "hi", "ru", "sw", "th", "tr", "ur", "vi", "zh")
}
