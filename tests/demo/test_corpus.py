"""The bundled corpus: complete, parallel, in the right scripts, and translated."""

from __future__ import annotations

import itertools
import re
import unicodedata
from collections import Counter, defaultdict

import pytest

from laya_sweep.demo import corpus
from laya_sweep.demo.corpus import CorpusError, read_corpus
from laya_sweep.demo.questions import INTENT_INSTRUCTIONS, INTENTS, URGENCY_LEVELS, intent_question
from laya_sweep.suites.intent import INSTRUCTIONS
from laya_sweep.suites.languages import LANGUAGES

ROWS = read_corpus()
BY_LANGUAGE = {code: [row for row in ROWS if row.language == code] for code in LANGUAGES}
ENGLISH = BY_LANGUAGE["en"]
LATIN = [code for code, language in LANGUAGES.items() if language.script == "Latn"]

#: How the Unicode names of a script's letters begin, by ISO 15924 code.
LETTER_NAMES = {
    "Arab": ("ARABIC",),
    "Armn": ("ARMENIAN",),
    "Beng": ("BENGALI",),
    "Cyrl": ("CYRILLIC",),
    "Deva": ("DEVANAGARI",),
    "Ethi": ("ETHIOPIC",),
    "Geor": ("GEORGIAN",),
    "Grek": ("GREEK",),
    "Hans": ("CJK UNIFIED",),
    "Hant": ("CJK UNIFIED",),
    "Hebr": ("HEBREW",),
    "Jpan": ("CJK UNIFIED", "HIRAGANA", "KATAKANA"),
    "Khmr": ("KHMER",),
    "Knda": ("KANNADA",),
    "Kore": ("HANGUL",),
    "Latn": ("LATIN",),
    "Mlym": ("MALAYALAM",),
    "Mymr": ("MYANMAR",),
    "Taml": ("TAMIL",),
    "Telu": ("TELUGU",),
    "Thai": ("THAI",),
}

#: Simplified characters, each followed by its traditional form.
CHINESE_PAIRS = """
这這 个個 们們 会會 来來 时時 间間 点點 灯燈 关關 开開 门門 请請 帮幫 给給 发發 说說 话話 听聽 闻聞
读讀 单單 买買 鸡雞 钟鐘 闹鬧 气氣 样樣 吗嗎 医醫 预預 约約 车車 饭飯 馆館 汤湯 块塊 苹蘋 团團 队隊
议議 历曆 电電 张張 妈媽 么麼 体體 头頭 条條 举舉 选選 远遠 边邊 场場 机機 乐樂 欢歡 师師 写寫 让讓
响響 设設 调調 换換 蓝藍 颜顏 卧臥 厅廳 厨廚 还還 没沒 亲親 贺賀 报報 应應 过過 现現 马馬 紧緊 状狀
况況 厦廈 购購 钢鋼 儿兒 轻輕 乡鄉 风風 阳陽
"""

#: Words of three letters or more that a translation may share with the English text, each looked at: loanwords,
#: cognates and chance homographs, with the languages they stand in.
SHARED_WORDS = {
    "alarm": "da id jv nb sq sv tl tr",
    "all": "it",
    "baby": "de nl",
    "bus": "af da de fr id nl tl",
    "butter": "de",
    "calendar": "ro",
    "car": "cy",
    "centre": "fr",
    "dentist": "ro",
    "does": "cy",
    "for": "da nb",
    "half": "nl",
    "help": "af",
    "hospital": "da es ms pt",
    "lamp": "af cy nl",
    "listen": "da",
    "lunch": "nl sv",
    "message": "fr",
    "minutes": "fr",
    "most": "hu",
    "museum": "af de id jv nl",
    "not": "tr",
    "note": "fr",
    "order": "tl",
    "piano": "az cy es fr id jv ms pt sq sw",
    "pizza": "af da de es fi fr id it jv nb nl pt ro sv tl tr vi",
    "pizzas": "af es fr pt",
    "playlist": "fr it",
    "project": "nl",
    "restaurant": "af de fr nl ro",
    "send": "da nb",
    "six": "fr",
    "sport": "af da de fr it nb nl ro sq sv",
    "start": "da",
    "station": "nl",
    "storm": "af cy nl",
    "team": "de nl",
    "ten": "pl",
    "train": "fr",
    "weekend": "nl pl",
}


def words(text: str) -> list[str]:
    return re.findall(r"[^\W\d_]+", text.casefold())


def letters(text: str) -> str:
    return "".join(mark for mark in text.casefold() if unicodedata.category(mark)[0] in "LM")


ENGLISH_WORDS = {word for row in ENGLISH for word in words(row.text)}


def test_the_languages_are_the_51_of_the_suite() -> None:
    assert [*dict.fromkeys(row.language for row in ROWS)] == sorted(LANGUAGES)


def test_every_language_holds_every_utterance_once_and_in_order() -> None:
    expected = [row[1:5] for row in ENGLISH]
    assert len({row.source_id for row in ENGLISH}) == len(ENGLISH)
    assert {code for code, rows in BY_LANGUAGE.items() if [row[1:5] for row in rows] != expected} == set()


def test_intents_are_those_of_the_questions_with_enough_utterances_each() -> None:
    counts = Counter(row.intent for row in ENGLISH)
    assert tuple(counts) == INTENTS
    assert len(counts) >= 10
    assert min(counts.values()) >= 4


def test_three_quarters_of_each_intent_are_for_training() -> None:
    splits = Counter((row.intent, row.split) for row in ENGLISH)
    assert {split for _, split in splits} == {"train", "test"}
    shares = {
        intent: splits[intent, "train"] / (splits[intent, "train"] + splits[intent, "test"]) for intent in INTENTS
    }
    assert set(shares.values()) == {0.75}


def test_every_urgency_level_is_trained_and_tested_somewhere() -> None:
    assert {row.urgency for row in ENGLISH if row.split == "train"} == set(range(len(URGENCY_LEVELS)))


@pytest.mark.parametrize("code", LANGUAGES)
def test_no_utterance_stands_twice_in_a_language_nor_in_both_splits(code: str) -> None:
    repeated = {
        text: count for text, count in Counter(letters(row.text) for row in BY_LANGUAGE[code]).items() if count > 1
    }
    assert repeated == {}


@pytest.mark.parametrize("code", LANGUAGES)
def test_letters_are_of_the_language_s_script(code: str) -> None:
    script = LANGUAGES[code].script
    for row in BY_LANGUAGE[code]:
        names = [unicodedata.name(mark) for mark in row.text if unicodedata.category(mark).startswith("L")]
        right = sum(name.startswith(LETTER_NAMES[script]) for name in names)
        assert right >= 0.9 * len(names), row
        assert script == "Latn" or not any("LATIN" in name for name in names), row


def test_japanese_and_korean_are_told_from_chinese() -> None:
    kana = [row for row in BY_LANGUAGE["ja"] if re.search("[\u3040-\u30ff]", row.text)]
    assert len(kana) == len(ENGLISH)
    assert not [
        row for code in ("ko", "zh-CN", "zh-TW") for row in BY_LANGUAGE[code] if re.search("[\u3040-\u30ff]", row.text)
    ]


def test_chinese_is_simplified_or_traditional_never_mixed() -> None:
    mainland, taiwan = ("".join(row.text for row in BY_LANGUAGE[code]) for code in ("zh-CN", "zh-TW"))
    assert {new for new, old in CHINESE_PAIRS.split() if old in mainland} == set()
    assert {old for new, old in CHINESE_PAIRS.split() if new in taiwan} == set()
    assert sum(new in mainland and old in taiwan for new, old in CHINESE_PAIRS.split()) >= 40


def test_persian_and_urdu_use_their_own_letters() -> None:
    arabic_only = set("\u064a\u0643\u0629")  # yeh, kaf, teh marbuta as Arabic writes them
    assert not [row for code in ("fa", "ur") for row in BY_LANGUAGE[code] if arabic_only & set(row.text)]


def test_shared_words_are_the_reviewed_ones() -> None:
    found = defaultdict(set)
    for code in LATIN:
        for word in {word for row in BY_LANGUAGE[code] if code != "en" for word in words(row.text)} & ENGLISH_WORDS:
            found[word].add(code)
    assert {word: " ".join(sorted(codes)) for word, codes in found.items() if len(word) >= 3} == SHARED_WORDS


@pytest.mark.parametrize("code", [code for code in LATIN if code != "en"])
def test_no_phrase_was_left_in_english(code: str) -> None:
    for row in BY_LANGUAGE[code]:
        runs = [len([*run]) for known, run in itertools.groupby(words(row.text), ENGLISH_WORDS.__contains__) if known]
        assert max(runs, default=0) <= 2, row


def test_languages_differ_from_each_other() -> None:
    shared = {
        (one, two)
        for one, two in itertools.combinations(LANGUAGES, 2)
        if len({row.text for row in BY_LANGUAGE[one]} & {row.text for row in BY_LANGUAGE[two]}) > 4
    }
    assert shared == set()


def test_the_file_is_plain_normal_text() -> None:
    data = corpus.CORPUS_FILE.read_bytes()
    text = data.decode("utf-8")
    assert b"\r" not in data
    assert not data.startswith(b"\xef\xbb\xbf")
    assert text.endswith("\n")
    assert unicodedata.normalize("NFC", text) == text
    for row in ROWS:
        assert row.text == row.text.strip()
        assert not re.search(r"[^\S ]|  ", row.text), row
        # Joiners are spelling in Persian, Telugu and Kannada; no other invisible character belongs here.
        assert {mark for mark in row.text if unicodedata.category(mark) in ("Cc", "Cf", "Cn", "Co")} <= {"\u200c"}, row


def test_the_intent_question_is_that_of_the_published_tables() -> None:
    assert INTENT_INSTRUCTIONS == INSTRUCTIONS
    assert intent_question(["alarm_set"])["criteria"] == {"alarm_set": "alarm set"}


@pytest.mark.parametrize(
    ("content", "fault"),
    [
        (b"language\ttext\n", "header"),
        (b"language\tsource_id\tintent\tsplit\turgency\ttext\nen\ta.1\ta\ttrain\t0\n", "line 2"),
        (b"language\tsource_id\tintent\tsplit\turgency\ttext\nen\ta.1\ta\ttrain\t9\tHello\n", "line 2"),
    ],
)
def test_a_damaged_table_is_refused_with_its_place(monkeypatch, tmp_path, content: bytes, fault: str) -> None:
    (tmp_path / "damaged.tsv").write_bytes(content)
    monkeypatch.setattr(corpus, "CORPUS_FILE", tmp_path / "damaged.tsv")
    with pytest.raises(CorpusError, match=fault):
        read_corpus()


def test_a_quotation_mark_is_a_character(monkeypatch, tmp_path) -> None:
    line = 'en\ta.1\ta\ttrain\t0\t"Wake me," he said\n'
    (tmp_path / "quoted.tsv").write_text("\t".join(corpus.CorpusRow._fields) + "\n" + line, encoding="utf-8")
    monkeypatch.setattr(corpus, "CORPUS_FILE", tmp_path / "quoted.tsv")
    assert [row.text for row in read_corpus()] == ['"Wake me," he said']
