# SPDX-License-Identifier: Apache-2.0
"""Imports torch for the tests against PyTorch, or goes on in a Python that has it.

That is this one, or the one that the environment variable HALFMARK_TORCH_PYTHON names. Without one the test says so and is
skipped. HALFMARK_TORCH_DEVICE says which of PyTorch's devices computes what is compared: `cpu`, unless set to `cuda`, say.
"""
import os
import sys

SKIPPED = 77  # ctest's SKIP_RETURN_CODE


DEVICE = os.environ.get("HALFMARK_TORCH_DEVICE", "cpu")


def torch_or_skip():
    """The module. Starts the program again in the other Python, or ends it, where this one lacks torch."""
    try:
        import torch
        return torch
    except ImportError:
        other = os.environ.get("HALFMARK_TORCH_PYTHON")
        if other and os.environ.get("HALFMARK_TORCH_TRIED") is None:
            os.environ["HALFMARK_TORCH_TRIED"] = "1"
            os.execv(other, [other, *sys.argv])
        print("skipped: no Python with torch is at hand; HALFMARK_TORCH_PYTHON names one")
        sys.exit(SKIPPED)
