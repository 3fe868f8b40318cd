"""What computes: the libraries that may move a logit, and this package's own code, as one process has them."""

from __future__ import annotations

import functools
import hashlib
from pathlib import Path
from typing import NamedTuple

from laya_sweep.domain.identity import library_versions

_PACKAGE = Path(__file__).parents[1]

#: Configuration is read by the driver alone, and lies elsewhere in a checkout than in an installed package.
_NOT_CODE = ("conf",)

#: Characters of a digest that a message shows.
_SHOWN = 12


class Software(NamedTuple):
    """Installed versions by library, and the digest of the code."""

    versions: dict[str, str]
    code: str


def software_here(libraries: tuple[str, ...]) -> Software:
    """What this process has; its code as it lay there when it was first asked for."""
    return Software(library_versions(libraries), _own_code())


@functools.cache
def _own_code() -> str:
    return code_digest(_PACKAGE)


def code_digest(package: Path) -> str:
    """SHA-256 over the names and bytes of a package's modules."""
    digest = hashlib.sha256()
    for path in sorted(package.rglob("*.py")):
        name = path.relative_to(package)
        if name.parts[0] not in _NOT_CODE:
            content = path.read_bytes()
            digest.update(f"{name.as_posix()} {len(content)}\n".encode() + content)
    return digest.hexdigest()


def software_fault(wanted: Software, found: Software) -> str:
    """How what a worker has differs from what the driver has; empty where it does not."""
    names = sorted(wanted.versions.keys() | found.versions.keys())
    faults = [
        f"{name}: expected {wanted.versions.get(name)}, got {found.versions.get(name)}"
        for name in names
        if wanted.versions.get(name) != found.versions.get(name)
    ]
    if wanted.code != found.code:
        faults.append(f"code of laya_sweep: expected {wanted.code[:_SHOWN]}, got {found.code[:_SHOWN]}")
    return "; ".join(faults)
