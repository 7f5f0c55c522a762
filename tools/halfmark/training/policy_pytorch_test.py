#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The lists `pytorch-gpu` and `pytorch-cpu` of `halfmark ref autocast` against PyTorch itself.

    policy_pytorch_test.py HALFMARK

First the names: every operator that PyTorch registers for automatic casts is on the list, and the list has no other. Then what
happens: operators are called with automatic casts on, and the formats of their operands and results are those of their class.
No GPU is needed: tensors are fake ones, which have formats and shapes and no data, but for those of the device that
HALFMARK_TORCH_DEVICE names.

Needs a Python with torch (tools/halfmark/python_with_torch.py), and is skipped without one.
"""
import contextlib
import json
import os
import pathlib
import subprocess
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
from python_with_torch import torch_or_skip

torch = torch_or_skip()

import torch.nn.functional as F
from torch._subclasses.fake_tensor import FakeTensorMode
from torch.utils._python_dispatch import TorchDispatchMode

HALFMARK = sys.argv[1]
DEVICES = {"pytorch-gpu": ("cuda", "AutocastCUDA"), "pytorch-cpu": ("cpu", "AutocastCPU")}
FORMATS = {"fp16": torch.float16, "bf16": torch.bfloat16}
# Functions that only call registered ones.
COMPOSED = {"chain_matmul", "cross_entropy", "einsum", "grid_sample", "linalg_multi_dot", "multi_dot", "normalize", "softmin",
            "tensordot"}

M, V, B, T = (4, 4), (4,), (2, 4, 4), (1, 1, 4, 4)  # matrix, vector, batch of matrices, images

# An operator, and the shapes of its operands.
CALLS = {name: (getattr(torch, name), M) for name in (
    "acos asin cosh erfinv exp expm1 log log10 log2 log1p reciprocal rsqrt sinh tan sqrt sin cos atan erf erfc exp2 tanh round "
    "sigmoid relu").split()}
CALLS |= {name: (getattr(torch, name), M, M) for name in "matmul mm dist maximum add sub mul div atan2 fmod hypot".split()}
CALLS |= {name: (lambda x, f=getattr(torch, name): f(x, -1), M) for name in
          "mean amax sum prod cumsum cumprod logsumexp".split()}
CALLS |= {name: (getattr(F, name), M, M) for name in
          "mse_loss l1_loss smooth_l1_loss huber_loss binary_cross_entropy binary_cross_entropy_with_logits".split()}
CALLS |= {
    "linear": (F.linear, M, M), "mv": (torch.mv, M, V), "addmm": (torch.addmm, M, M, M), "bmm": (torch.bmm, B, B),
    "baddbmm": (torch.baddbmm, B, B, B), "addr": (torch.addr, M, V, V), "prelu": (F.prelu, M, (1,)),
    "einsum": (lambda x, y: torch.einsum("ij,jk->ik", x, y), M, M), "conv2d": (F.conv2d, T, T),
    "scaled_dot_product_attention": (F.scaled_dot_product_attention, T, T, T), "softmax": (lambda x: F.softmax(x, -1), M),
    "log_softmax": (lambda x: F.log_softmax(x, -1), M), "softmin": (lambda x: F.softmin(x, -1), M),
    "layer_norm": (lambda x: F.layer_norm(x, (4,)), M), "rms_norm": (lambda x: F.rms_norm(x, (4,)), M),
    "group_norm": (lambda x: F.group_norm(x, 2), M), "pow": (lambda x: torch.pow(x, 3), M), "softplus": (F.softplus, M),
    "gelu": (F.gelu, M), "silu": (F.silu, M), "norm": (torch.norm, M), "linalg_vector_norm": (torch.linalg.vector_norm, M),
    "cdist": (torch.cdist, M, M), "dropout": (lambda x: F.dropout(x, 0.5), M),
    "cross_entropy": (lambda x: F.cross_entropy(x, torch.zeros(4, dtype=torch.int64, device=x.device)), M),
    "kl_div": (lambda x, y: F.kl_div(x, y, reduction="sum"), M, M),
    "cosine_similarity": (lambda x, y: F.cosine_similarity(x, y, -1), M, M),
    "cross": (lambda x, y: torch.cross(x, y, -1), (4, 3), (4, 3)),
    "cat": (lambda x, y: torch.cat([x, y]), M, M), "stack": (lambda x, y: torch.stack([x, y]), M, M), "dot": (torch.dot, V, V),
    "vdot": (torch.vdot, V, V), "multi_dot": (lambda x: torch.linalg.multi_dot([x, x, x]), M),
    "tensordot": (lambda x, y: torch.tensordot(x, y, 1), M, M),
    "addcmul": (torch.addcmul, M, M, M), "addcdiv": (torch.addcdiv, M, M, M),
}
BOTH = ("widest", "as-operands")


class Calls(TorchDispatchMode):
    """What reaches the kernels: whether an operand is cast, and the formats of results."""

    def __init__(self):
        super().__init__()
        self.casts, self.results = 0, {}

    def __torch_dispatch__(self, function, types, arguments=(), keywords=None):
        self.casts += function is torch.ops.aten._to_copy.default
        made = function(*arguments, **(keywords or {}))
        self.results[str(function)] = getattr(made, "dtype", None)
        return made


@contextlib.contextmanager
def casting(device, narrow):
    torch.set_autocast_enabled(device, True)
    torch.set_autocast_dtype(device, narrow)
    try:
        yield
    finally:
        torch.set_autocast_enabled(device, False)


def tensors_of(device):
    """Operators of this device meet data if it was asked for by name."""
    return contextlib.nullcontext() if device == os.environ.get("HALFMARK_TORCH_DEVICE") else FakeTensorMode()


def result(name, device, narrow, *formats):
    """The format of the result, and whether something was cast; the last of the formats is that of all further operands."""
    function, *shapes = CALLS[name]
    with tensors_of(device), Calls() as calls, casting(device, narrow):
        operands = [torch.full(shape, 0.5, device=device, dtype=formats[min(i, len(formats) - 1)])
                    for i, shape in enumerate(shapes)]
        return function(*operands).dtype, calls.casts > 0


def listed(profile, *names):
    words = [HALFMARK, "ref", "autocast", "--json", "--profile", profile, *names]
    report = json.loads(subprocess.run(words, capture_output=True, check=True).stdout)
    return {row["operator"]: row["casts"][profile] for row in report["operators"]}


def registered(key):
    names = torch._C._dispatch_get_all_op_names()
    return {name[6:].split(".")[0] for name in names
            if name.startswith("aten::") and torch._C._dispatch_has_kernel_for_dispatch_key(name, key)}


class Lists(unittest.TestCase):
    def test_have_what_is_registered_and_nothing_else(self):
        for profile, (_, key) in DEVICES.items():
            names = set(listed(profile))
            self.assertEqual(set(), registered(key) - names, profile)
            self.assertEqual(set(), names - registered(key) - COMPOSED, profile)
            self.assertLess(60, len(names))


class Formats(unittest.TestCase):
    def check(self, name, cast, device, narrow):
        wide = torch.float32
        if cast == "refused":
            with self.assertRaises(RuntimeError):
                result(name, device, narrow, narrow)
        elif cast == "narrow":
            self.assertEqual(narrow, result(name, device, narrow, wide)[0])
        elif cast == "wide":
            self.assertEqual((wide, True), result(name, device, narrow, narrow))
        elif cast == "wide-result":
            dtype, is_cast = result(name, device, narrow, narrow)
            self.assertEqual(wide, dtype)
            if narrow is torch.float16:  # the softmax that reads bf16 and writes fp32 begins with a cast, which loses nothing
                self.assertFalse(is_cast)
        else:
            self.assertIn(cast, BOTH)
            self.assertEqual(narrow, result(name, device, narrow, narrow)[0])
            self.assertEqual(wide, result(name, device, narrow, wide)[0])
            if cast == "widest":
                self.assertEqual((wide, True), result(name, device, narrow, narrow, wide))

    def test_are_those_of_the_class(self):
        seen, lacks_device = {}, set()
        for profile, (device, _) in DEVICES.items():
            for word, narrow in FORMATS.items():
                for name, cast in listed(profile, *CALLS).items():
                    with self.subTest(profile=profile, narrow=word, operator=name, cast=cast):
                        try:
                            self.check(name, cast, device, narrow)
                            seen.setdefault((profile, cast), set()).add(name)
                        except RuntimeError as error:
                            if "not linked with support" not in str(error):
                                raise
                            lacks_device.add(name)
        print(f"{sum(map(len, seen.values()))} operators have the formats of their class; not to be called without a device: "
              f"{', '.join(sorted(lacks_device)) or 'none'}")
        for cast in ("narrow", "wide", "wide-result", "widest", "as-operands", "refused"):
            self.assertIn(("pytorch-gpu", cast), seen)
        self.assertLess(len(lacks_device), len(CALLS) // 4)


class WhatIsOftenSaid(unittest.TestCase):
    def test_cross_entropy_does_not_take_logits_to_fp32_first(self):
        for narrow in FORMATS.values():
            with tensors_of("cuda"), Calls() as calls, casting("cuda", narrow):
                logits = torch.ones(4, 4, device="cuda", dtype=narrow)
                loss = F.cross_entropy(logits, torch.zeros(4, dtype=torch.int64, device="cuda"))
            self.assertEqual(narrow, calls.results["aten._log_softmax.default"])
            self.assertEqual(torch.float32, loss.dtype)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
