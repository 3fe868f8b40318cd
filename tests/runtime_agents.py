"""A bundled checkpoint as the runtime loads it, to compare with."""

import shutil
import warnings

from laya_sweep.demo.bundled import CHECKPOINTS_FOLDER


def demo_agent(folder):
    """The runtime's agent of demo_english, from a copy in the folder, since loading rewrites it."""
    import laya

    copy = folder / "demo_english"
    shutil.copytree(CHECKPOINTS_FOLDER / "demo_english", copy)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)
        return laya.load(str(copy), device="cpu")
