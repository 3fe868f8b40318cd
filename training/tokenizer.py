"""A small tokenizer for each checkpoint: byte-level BPE learnt from the text the model will read.

Bytes as the alphabet, so that no script and no character is ever unknown. Words are cut by Unicode category
with their combining marks: the usual GPT-2 pattern splits Indic, Khmer and Burmese words at every vowel sign.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path

from tokenizers import Regex, Tokenizer, decoders, models, normalizers, pre_tokenizers, trainers

#: Ids in this order: 0 to 4. The encoder's config names the same ids.
SPECIAL_TOKENS = ("[PAD]", "[CLS]", "[SEP]", "[MASK]", "[UNK]")
PAD_ID, CLS_ID, SEP_ID = 0, 1, 2

#: A word with its leading space, marks and joiners (U+200C, U+200D); or punctuation; or bare space.
_WORD = r" ?[\p{L}\p{M}\p{N}_\u200c\u200d]+| ?[^\s\p{L}\p{M}\p{N}_\u200c\u200d]+|\s+"

#: A value's first word gets the space that any other word has: few sentences, so one form a word.
_VALUE_START, _SPACED_VALUE_START = '": "', '": " '


def train_tokenizer(texts: Iterable[str], vocabulary: int) -> Tokenizer:
    """A tokenizer of at most `vocabulary` entries; the same texts give the same one."""
    tokenizer = Tokenizer(models.BPE(unk_token="[UNK]"))
    tokenizer.normalizer = normalizers.Sequence(
        [normalizers.NFKC(), normalizers.Lowercase(), normalizers.Replace(_VALUE_START, _SPACED_VALUE_START)]
    )
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence(
        [
            pre_tokenizers.Split(Regex(_WORD), behavior="isolated"),
            pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False),
        ]
    )
    tokenizer.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=vocabulary,
        min_frequency=2,
        special_tokens=list(SPECIAL_TOKENS),
        initial_alphabet=sorted(pre_tokenizers.ByteLevel.alphabet()),
        show_progress=False,
    )
    tokenizer.train_from_iterator(texts, trainer)
    return tokenizer


def save_tokenizer(tokenizer: Tokenizer, folder: Path) -> None:
    """Write the two files in the form that `laya.load` leaves as it is.

    transformers 5 would name the class `TokenizersBackend`, which the runtime rewrites at the first load: a
    bundled checkpoint would change under its user's feet.
    """
    folder.mkdir(parents=True, exist_ok=True)
    config = {f"{token.strip('[]').lower()}_token": token for token in SPECIAL_TOKENS}
    config["tokenizer_class"] = "PreTrainedTokenizerFast"
    (folder / "tokenizer.json").write_text(tokenizer.to_str(), encoding="utf-8", newline="\n")
    (folder / "tokenizer_config.json").write_text(json.dumps(config, indent=2) + "\n", encoding="utf-8", newline="\n")
