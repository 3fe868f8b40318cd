"""The torch engine: a checkpoint loaded by the runtime, read at its logits."""

from __future__ import annotations

import os
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import laya
import numpy as np
import torch
from laya.common import QTYPES, collate_items
from laya.shortlist import embed_fn_from_agent
from torch.nn import functional

from laya_sweep.checkpoints.checkpoint import DEFAULT_HEAD_MAX_LEN, DEFAULT_MAX_LEN, Checkpoint, stage
from laya_sweep.domain.layout import BY_SHAPE
from laya_sweep.domain.variant import Variant
from laya_sweep.engines.encoding import encode_question
from laya_sweep.engines.engine import DeviceError, EncodedQuestion, EngineInfo, Forward, OutOfMemoryError
from laya_sweep.engines.memo_tokenizer import MemoTokenizer
from laya_sweep.engines.public_answers import public_answers

#: Variables by which the environment would change the dtype of a loaded checkpoint.
_DTYPE_VARIABLES = ("LAYA_CPU_AMP", "LAYA_CUDA_AMP")


class TorchEngine:
    """One checkpoint on one device, in float32."""

    def __init__(self, checkpoint: Checkpoint, device: str, threads: int) -> None:
        """Load the checkpoint.

        Raises:
            DeviceError: the device is missing, or the runtime did not stay on it.
        """
        if device == "cuda" and not torch.cuda.is_available():
            raise DeviceError("expected a CUDA device, got none visible to this process")
        torch.set_num_threads(threads)
        self._layout, self._budgets = checkpoint.layout, (checkpoint.max_len, checkpoint.head_max_len)
        self._agent, self._warnings = load_agent(checkpoint.folder, device)
        if self._agent.device.type != device:
            raise DeviceError(f"expected {device}, got {self._agent.device.type}: {'; '.join(self._warnings)}")
        self._tokenizer = MemoTokenizer(self._agent.tok)

    @classmethod
    def of_agent(cls, agent: laya.Agent) -> TorchEngine:
        """An engine around an agent that the caller loaded, at the budgets of its checkpoint; it is not changed."""
        engine = cls.__new__(cls)
        engine._agent, engine._tokenizer, engine._warnings = agent, MemoTokenizer(agent.tok), ()
        max_len = agent.cfg.get("max_len", DEFAULT_MAX_LEN)
        head_max_len = agent.cfg.get("head_max_len", DEFAULT_HEAD_MAX_LEN)
        engine._layout, engine._budgets = BY_SHAPE, (int(max_len), int(head_max_len))
        return engine

    def info(self) -> EngineInfo:
        """See `Engine.info`."""
        agent = self._agent
        served = {name: float(agent.temperature[index]) for name, index in QTYPES.items()}
        served |= {bucket: float(value) for bucket, value in agent.temperature_by_options.items()}
        threads = torch.get_num_threads()
        return EngineInfo(agent.device.type, threads, served, self._warnings, self._layout.rows_together)

    def encode(self, variant: Variant, qid: str) -> EncodedQuestion:
        """See `Engine.encode`."""
        return self._encode(self._tokenizer, variant, qid)

    def encode_unshared(self, variant: Variant, qid: str) -> EncodedQuestion:
        """`encode` through the bare tokenizer: the reference a sample of every shard is compared with."""
        return self._encode(self._agent.tok, variant, qid)

    def forward(self, rows: Sequence[EncodedQuestion]) -> Forward:
        """See `Engine.forward`."""
        batch = self._collate(rows)
        captured: list[torch.Tensor] = []
        hook = self._agent.model.act_head.register_forward_pre_hook(lambda _, inputs: captured.append(inputs[0]))
        try:
            with torch.inference_mode():
                logits, _ = self._agent.model(**batch)
                act = self._act_probability(captured[0])
        except torch.OutOfMemoryError as error:
            raise OutOfMemoryError(str(error)) from error
        finally:
            hook.remove()
        numbers = logits.float().cpu().numpy()
        return Forward([numbers[i, : len(row.slots)].copy() for i, row in enumerate(rows)], act)

    def embedder(self) -> Callable[[Sequence[str]], Any]:
        """Mean-pooled vectors of the checkpoint's encoder, each text by itself: mates would move its last bits."""
        embed: Callable[[Sequence[str]], Any] = embed_fn_from_agent(self._agent, batch_size=1)
        return embed

    def predict(self, variant: Variant, min_confidence: float | dict[str, float] | None) -> dict[str, dict[str, Any]]:
        """See `Engine.predict`.

        Raises:
            DeviceError: the runtime fell back to the CPU inside the call.
        """
        answers = public_answers(self._agent, variant, self._budgets, min_confidence)
        if self._agent.cpu_fallback_count:
            raise DeviceError(f"the runtime left {self._agent.device.type}: {self._agent.last_fallback_reason}")
        return answers

    def _act_probability(self, inputs: torch.Tensor) -> np.ndarray[Any, np.dtype[np.float32]]:
        # The act head reads one vector a row, so its matrix product has as many rows as the batch and its last
        # bits would depend on the batch. One row at a time they depend on the case alone.
        head = self._agent.model.act_head
        logits = torch.cat([head(inputs[i : i + 1]) for i in range(len(inputs))])
        return torch.softmax(logits.float(), -1)[:, 0].cpu().numpy().astype(np.float32)

    def _encode(self, tokenizer: Any, variant: Variant, qid: str) -> EncodedQuestion:  # noqa: ANN401
        return encode_question(
            tokenizer,
            variant,
            qid,
            self._budgets,
            self._layout,
            parallel_options=self._agent.parallel_options,
        )

    def _collate(self, rows: Sequence[EncodedQuestion]) -> dict[str, torch.Tensor]:
        shape = rows[0].shape
        batch = collate_items([[row.item for row in rows]], self._agent.tok.pad_token_id)
        names = ["input_ids", "attention_mask", "marker_pos", "marker_mask", "qtype"]
        names += [name for name in ("position_ids", "option_ids") if name in batch]
        padding = {"input_ids": self._agent.tok.pad_token_id}
        wide = {"marker_pos": shape.options, "marker_mask": shape.options}
        tensors = {}
        for name in names:
            tensor = batch[name]
            if tensor.dim() == 2:
                missing = wide.get(name, shape.length) - tensor.shape[1]
                tensor = functional.pad(tensor, (0, missing), value=padding.get(name, 0))
            tensors[name] = tensor.to(self._agent.device)
        return tensors


def load_agent(folder: Path, device: str) -> tuple[Any, tuple[str, ...]]:
    """The runtime's agent for a checkpoint folder, set to float32, and what it warned of while it loaded."""
    with stage(folder) as twin, _plain_dtype(), warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        agent = laya.load(twin, device=device)
    agent.amp_enabled = False
    agent.dtype = torch.float32
    return agent, tuple(dict.fromkeys(str(warning.message) for warning in caught))


@contextmanager
def _plain_dtype() -> Iterator[None]:
    """Hides the environment's dtype switches from the runtime while it loads: both sides of parity are float32."""
    kept = {name: os.environ.pop(name) for name in _DTYPE_VARIABLES if name in os.environ}
    try:
        yield
    finally:
        os.environ.update(kept)
