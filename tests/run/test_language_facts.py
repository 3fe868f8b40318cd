"""Scripts of states, the runtime's router, and data that are shorter than what was asked for."""

from builders import dataset_settings

from laya_sweep.domain.case import Draft, freeze
from laya_sweep.run.language_facts import language_facts, shares, short_data
from laya_sweep.suites.language import Language


def language(code, texts, options=3, error=None):
    question = {"type": "choice", "instructions": "Which?", "criteria": {f"k{i}": "a b" for i in range(options)}}
    drafts = (Draft(str(i), i, code, text, {"intent": question}, {}) for i, text in enumerate(texts))
    return Language(code, tuple(freeze(drafts)), {}, error)


ENGLISH = ["Wake me up at six in the morning, please"] * 3
MIXED = ["Разбуди меня в шесть утра", "Поставь музыку", "play some music for me now"]


def test_scripts_and_the_router_s_choice_are_counted_the_most_frequent_first():
    found = language_facts([language("en", ENGLISH), language("ru", MIXED), language("xx", [], error="no rows")])
    assert {*found} == {"en", "ru"}
    assert found["en"].document() == {"scripts": {"latin": 3}, "router_choice": {"english": 3}}
    assert [*found["ru"].scripts.items()] == [("cyrillic", 2), ("latin", 1)]
    assert found["ru"].routers["multilingual"] >= 2
    assert (shares(found["en"].scripts), shares(found["ru"].scripts)) == ("latin", "cyrillic 2, latin 1")


def test_rows_and_options_that_are_fewer_than_asked_for_are_noted(tmp_path):
    data = [language("en", ENGLISH), language("ru", MIXED[:2], options=2), language("xx", [], error="no rows")]
    asked = dataset_settings(tmp_path, per_lang=3, n_opts=3)
    assert [*short_data(asked, data)] == [
        "1 of 2 languages has fewer rows than per_lang=3: ru 2",
        "1 of 2 languages has fewer options than n_opts=3: ru 2",
    ]
    assert [*short_data(dataset_settings(tmp_path, per_lang=2, n_opts=2), data)] == []
    assert [*short_data(dataset_settings(tmp_path, per_lang=None, n_opts=0), data)] == []
