"""Random labelled sets and random damage to them, by seed: for fingerprints, the validator and whole sweeps."""

from __future__ import annotations

import json
import random
from typing import Any

WORDS = [
    "parcel",
    "invoice",
    "Rechnung",
    "größer",
    "試験",
    "ሙከራ",
    "no",
    "001",
    "nan",
    "true",
    "refund",
    "late",
    "thanks",
    "why",
]
LABELS = ["billing", "technical", "sales", "no", "001", "nan", "größer", "a: b", "試験", "other"]


def question(rng: random.Random) -> dict[str, Any]:
    """A question that the runtime accepts, of any type and form."""
    kind = rng.choice(["choice", "score", "noul"])
    made: dict[str, Any] = {"type": kind, "instructions": rng.choice([text(rng), {"task": text(rng)}, [text(rng)]])}
    if kind == "choice":
        labels = rng.sample(LABELS, rng.randint(2, 6))
        made["criteria"] = rng.choice([labels, {label: rng.choice([text(rng), None, ""]) for label in labels}])
    elif kind == "score":
        made["criteria"] = [rng.choice([text(rng), {"level": text(rng)}]) for _ in range(rng.randint(2, 5))]
    else:
        sides = {"true": text(rng), "false": text(rng)}
        made |= rng.choice([{}, {"criteria": None}, {"criteria": sides}, {"criteria": {"True": text(rng)}}])
        made |= rng.choice([{}, {"labels": None}, {"labels": {"false": "nej", "true": "ja"}}])
    if rng.random() < 0.25:
        count = 2 if kind == "noul" else len(made["criteria"])
        made["option_order"] = rng.sample(range(count), count)
    return made


def truth(rng: random.Random, asked: dict[str, Any]) -> Any:
    """A right answer to a question."""
    if asked["type"] == "choice":
        return rng.choice([*asked["criteria"]])
    if asked["type"] == "score":
        return rng.choice([rng.randrange(len(asked["criteria"])), round(rng.uniform(0, 3), 2)])
    return rng.random() < 0.5


def text(rng: random.Random) -> str:
    """A few words."""
    return " ".join(rng.choices(WORDS, k=rng.randint(1, 6)))


def row(rng: random.Random, questions: dict[str, Any]) -> dict[str, Any]:
    """A row that asks these questions and knows some of the answers."""
    known = [qid for qid in questions if rng.random() < 0.85]
    made: dict[str, Any] = {
        "state": rng.choice([text(rng), {"subject": text(rng), "body": text(rng)}, [text(rng), text(rng)]]),
        "questions": questions,
        "expected": {qid: truth(rng, questions[qid]) for qid in known},
    }
    if rng.random() < 0.7:
        made["tags"] = rng.sample(["no", "001", "vip", "größer", "x"], rng.randint(0, 3))
    if rng.random() < 0.7:
        made["language"] = rng.choice(["en", "sv-SE", "no", "001"])
    if rng.random() < 0.2:
        made["model"] = rng.choice(["english", "multilingual"])
    if rng.random() < 0.2:
        made["id"] = rng.choice(["m1", "001", 7])
    return made


def labelled_set(seed: int, rows: int = 8) -> list[dict[str, Any]]:
    """Rows over a pool of questions, several a row."""
    rng = random.Random(seed)
    pool = {f"q{i}": question(rng) for i in range(rng.randint(1, 4))}
    return [row(rng, {qid: pool[qid] for qid in rng.sample([*pool], rng.randint(1, len(pool)))}) for _ in range(rows)]


def lines_of(rows: list[Any]) -> str:
    """Rows as JSONL."""
    return "".join(json.dumps(one, ensure_ascii=False) + "\n" for one in rows)


def places(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """Paths of every value inside a JSON value."""
    found = [path]
    pairs = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, child in pairs:
        found += places(child, (*path, key))
    return found


#: What a value may become.
STRANGE = [
    None, True, False, 0, 1, -1, 2.5, 10**400, float("nan"), float("inf"), "", " ", "no", "001", "true", "billing",
    [], {}, [None], ["a", "a"], [1, 1.0], [[0]], {"true": "x"}, {"yes": "x"}, {"": 1}, [0, 1], [1, 0], "\ud800",
]  # fmt: skip


def damaged_value(rng: random.Random, rows: list[Any]) -> list[Any]:
    """One value somewhere replaced, removed, renamed or copied."""
    made = json.loads(json.dumps(rows))
    where = rng.choice([place for place in places(made) if place])
    holder = made
    for key in where[:-1]:
        holder = holder[key]
    change = rng.choice(["replace", "replace", "replace", "remove", "rename"])
    if change == "remove":
        del holder[where[-1]]
    elif change == "rename" and isinstance(holder, dict):
        holder[rng.choice(["state", "expected", "q0", "q9", "type", "criteria", " ", "x"])] = holder.pop(where[-1])
    else:
        holder[where[-1]] = rng.choice([rng.choice(STRANGE), rng.choice(rows)])
    return made


def damaged_bytes(rng: random.Random, data: bytes) -> bytes:
    """The file's bytes with a bit of harm: cut, a byte changed, doubled keys, nesting, marks at the start."""
    at = rng.randrange(len(data))
    return rng.choice(
        [
            data[:at],
            data[at:],
            data[:at] + bytes([rng.randrange(256)]) + data[at + 1 :],
            data[:at] + rng.choice([b'"', b",", b"}", b"\n", b"\r", b"\x00", b"NaN", b"1e999", b"# "]) + data[at:],
            b"\xef\xbb\xbf" + data,
            data.decode("utf-8", "replace").encode("utf-16"),
            data.replace(b'"expected"', b'"state"', 1),
            data.replace(b'"type"', b'"type": "noul", "type"', 1),
            data + b"[" * rng.choice([50, 150, 100_000]),
            data + b'{"state": ' + b"[" * 120 + b"]" * 120 + b', "questions": {}, "expected": {}}\n',
            data.replace(b"\n", b"\r\n"),
            b"\n\n# a comment\n" + data,
            b"",
        ]
    )


def mutated(seed: int) -> bytes:
    """A labelled file with one to three faults, or none that matters."""
    rng = random.Random(seed)
    rows: list[Any] = labelled_set(seed, rng.randint(1, 4))
    for _ in range(rng.randint(0, 2)):
        rows = damaged_value(rng, rows) or rows
    data = "".join(json.dumps(one, ensure_ascii=rng.random() < 0.5) + "\n" for one in rows).encode(
        "utf-8", "surrogatepass"
    )
    return damaged_bytes(rng, data) if rng.random() < 0.4 and data else data
