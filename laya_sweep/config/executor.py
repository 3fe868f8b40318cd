"""The mappings `executor` and `store`: who computes, and where facts live."""

from __future__ import annotations

from pathlib import Path
from urllib.parse import unquote, urlsplit

from laya_sweep.config.fields import Fields
from laya_sweep.domain.checked import Text
from laya_sweep.domain.settings import ExecutorSettings, StoreSettings


def read_executor(fields: Fields) -> ExecutorSettings:
    settings = ExecutorSettings(**fields.options(ExecutorSettings))
    fields.close()
    if settings.name == "inline" and settings.address is not None:
        fields.complain("address", "null with executor=inline", settings.address, "use executor=ray to join a cluster")
    if settings.name == "inline" and settings.num_actors not in (None, 1):
        fields.complain("num_actors", "1 with executor=inline", settings.num_actors, "use executor=ray for more")
    if settings.num_gpus > 1 and settings.num_gpus != int(settings.num_gpus):
        fields.complain("num_gpus", "a whole number, or a fraction below 1", settings.num_gpus, "correct the value")
    return settings


def read_store(fields: Fields) -> StoreSettings:
    uri = fields.value("uri", Text) or ""
    fields.close()
    parts = urlsplit(uri)
    if parts.scheme == "file":
        return StoreSettings(uri=Path(unquote(parts.path)))
    if "://" in uri:
        fields.complain("uri", "a folder, or file:///FOLDER", uri, "name a folder that every actor's node can reach")
    return StoreSettings(uri=Path(uri))
