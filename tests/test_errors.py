"""The exception tree, its exit codes, and the way faults read."""

import itertools
import pickle
import re

import pytest

from laya_sweep import errors
from laya_sweep.errors import Problem, SweepError, UsageError, combine_exit_codes, exit_code, name_list, one_line

PROBLEMS = (
    Problem("languages", "one of en, de", "'xx'", "correct the code"),
    Problem("dataset.per_lang", "a whole number of at least 1", "0", "correct the value"),
)


def drawn_tree():
    """Class name -> (parent name, code or None), read off the drawing in the module docstring."""
    tree, path = {"SweepError": ("Exception", None)}, [(0, "SweepError")]
    for line in errors.__doc__.splitlines():
        if match := re.match(r"( +[│ ]*[├└]── )(\w+) *(\d+)?", line):
            depth = len(match[1])
            while path[-1][0] >= depth:
                path.pop()
            tree[match[2]] = (path[-1][1], match[3] and int(match[3]))
            path.append((depth, match[2]))
    return tree


def real_tree(base=SweepError):
    found = {base.__name__: base}
    for child in base.__subclasses__():
        found |= real_tree(child)
    return {name: kind for name, kind in found.items() if kind.__module__ == errors.__name__}


def test_the_drawn_tree_is_the_real_one():
    assert {name: kind.__base__.__name__ for name, kind in real_tree().items()} == {
        name: parent for name, (parent, _) in drawn_tree().items()
    }


@pytest.mark.parametrize("name", sorted(drawn_tree().keys() - {"SweepError"}))
def test_exit_code_is_the_drawn_one_or_the_nearest_ancestors(name):
    tree = drawn_tree()
    expected, at = tree[name][1], name
    while expected is None:
        at = tree[at][0]
        expected = tree[at][1]
    assert exit_code(real_tree()[name]()) == expected


def test_an_error_that_nobody_gave_a_code_is_a_programming_error():
    with pytest.raises(TypeError, match="SweepError has no exit code"):
        exit_code(SweepError())


@pytest.mark.parametrize("size", range(5))
def test_the_one_code_of_several_is_2_then_1_then_3(size):
    for codes in itertools.combinations((0, 1, 2, 3), size):
        expected = next((code for code in (2, 1, 3) if code in codes), 0)
        for order in itertools.permutations(codes):
            assert combine_exit_codes(order) == expected, order


@pytest.mark.parametrize(
    ("codes", "expected"), [([130], 130), ([0, 130], 130), ([130, 3], 3), ([1, 130], 1), ([130, 2], 2)]
)
def test_an_interruption_hides_no_verdict(codes, expected):
    assert combine_exit_codes(codes) == expected


def test_repeated_codes_count_once():
    assert combine_exit_codes([3, 0, 3, 0]) == 3


@pytest.mark.parametrize("kind", [kind for kind in real_tree().values() if issubclass(kind, UsageError)])
def test_usage_errors_survive_the_way_between_processes(kind):
    copy = pickle.loads(pickle.dumps(kind(*PROBLEMS)))
    assert type(copy) is kind
    assert copy.problems == PROBLEMS
    assert str(copy) == str(kind(*PROBLEMS))


def test_a_fault_has_four_parts_and_a_line_of_its_own():
    assert str(UsageError(*PROBLEMS)).splitlines() == [
        "languages: expected one of en, de, got 'xx'; correct the code",
        "dataset.per_lang: expected a whole number of at least 1, got 0; correct the value",
    ]


@pytest.mark.parametrize(
    ("wanted", "first"),
    [("zh_CN", "zh-CN"), ("served ", "served"), ("dataset.per_lan", "dataset.per_lang")],
)
def test_names_are_listed_once_each_with_the_nearest_first(wanted, first):
    names = ["en", "served", "dataset.per_lang", "zh-TW", "zh-CN"]
    listed = name_list(names, wanted).split(", ")
    assert listed[0] == first
    assert sorted(listed) == sorted(names)


def test_names_keep_their_order_when_nothing_is_near():
    assert name_list(["b", "a", "c"], "qqqq") == name_list(["b", "a", "c"]) == "b, a, c"


def test_text_of_a_line_is_bounded_and_prints():
    assert one_line("a" * 500) == "a" * 80 + "... (500 characters)"
    assert one_line("\x1b[31mred") == "'\\x1b[31mred'"
    assert one_line("試験") == "試験"
    assert one_line(3) == "3"
