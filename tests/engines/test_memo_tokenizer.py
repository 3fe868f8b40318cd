"""The memo answers as the tokenizer does, keeps nothing that a caller changes, and forgets."""

from laya_sweep.engines import memo_tokenizer
from laya_sweep.engines.memo_tokenizer import MemoTokenizer


class Counting:
    """A tokenizer that counts its calls; a token is a character."""

    mask_token = "[MASK]"

    def __init__(self):
        self.calls = 0

    def __call__(self, text, truncation=False, max_length=None):
        self.calls += 1
        return {"input_ids": [ord(letter) for letter in text][: max_length if truncation else None]}


def test_answers_are_the_tokenizer_s_and_asked_for_once():
    bare = Counting()
    memo = MemoTokenizer(bare)
    for _ in range(3):
        assert memo("abc")["input_ids"] == [97, 98, 99]
        assert memo("abc", truncation=True, max_length=2)["input_ids"] == [97, 98]
    assert bare.calls == 2
    assert memo.mask_token == "[MASK]"


def test_a_caller_may_change_what_it_got():
    memo = MemoTokenizer(Counting())
    memo("abc")["input_ids"].append(0)
    assert memo("abc")["input_ids"] == [97, 98, 99]


def test_the_memory_is_bounded(monkeypatch):
    monkeypatch.setattr(memo_tokenizer, "_KEPT", 2)
    bare = Counting()
    memo = MemoTokenizer(bare)
    for text in ("a", "b", "c", "a"):
        memo(text)
    assert bare.calls == 4
