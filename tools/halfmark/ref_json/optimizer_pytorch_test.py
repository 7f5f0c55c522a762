#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`halfmark ref optimizer` against PyTorch's own SGD, Adam and AdamW, bit for bit.

    optimizer_pytorch_test.py HALFMARK [SCRIPTS [SEED]]

Random scripts: rates, momenta, betas, epsilons and decays; weights and gradients of every magnitude, subnormal numbers and
zeros among them; up to six steps. Compared after each step are weights and both moments.

PyTorch's arithmetic is determined but for one operation: the square root of its CPU builds is not always rounded correctly.
(The kernels for GPUs round otherwise; `halfmark ref optimizer` knows them as the code "gpu".)
Elements do not see each other, so a weight counts only while the root was right in all steps so far; the moments, which need no
root, always count. Whether a multiplication and an addition are fused depends on the processor and is found by one addition.

Each known mistake must show. Needs a Python with torch, and is skipped without one; tensors are on the device of PyTorch that
HALFMARK_TORCH_DEVICE names (tools/halfmark/python_with_torch.py).
"""
import json
import pathlib
import random
import struct
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
from python_with_torch import DEVICE, torch_or_skip

torch = torch_or_skip()

MISTAKES = ["epsilon-inside-root", "epsilon-in-half", "no-bias-correction", "decay-coupled", "second-moment-in-half",
            "weights-in-half", "skipped-steps-counted"]


def fp64_hex(value):
    return struct.pack(">d", value).hex()


def words(tensor):
    return [word & 0xffffffff for word in tensor.detach().view(torch.int32).tolist()]


def as_json(tensor):
    return {"format": "fp32", "bits": [f"{word:08x}" for word in words(tensor)]}


def is_fused():
    """Whether add_ with a factor rounds once: 1 + 2^-12 squared, minus its square rounded."""
    x = torch.full((64,), 1 + 2.0**-12, device=DEVICE)
    return bool((-(x * x)).add_(x, alpha=1 + 2.0**-12)[0] != 0)


def roots_are_right(second):
    """Elementwise: torch's root of an fp32 tensor is that of fp64, rounded, which is the correct one."""
    return second.sqrt() == second.double().sqrt().float()


def random_settings(rng):
    kind = rng.choice(["sgd", "adam", "adamw"])
    settings = {"rate": rng.choice([1e-3, 0.01, 0.1, rng.uniform(1e-5, 1)]), "decay": rng.choice([0.0, 0.0, 0.01, rng.random()])}
    if kind == "sgd":
        settings["momentum"] = rng.choice([0.0, 0.9, rng.random()])
        settings["nesterov"] = settings["momentum"] > 0 and rng.random() < 0.3
        settings["dampening"] = 0.0 if settings["nesterov"] else rng.choice([0.0, 0.1, rng.random()])
    else:
        settings |= {"beta1": rng.choice([0.9, 0.9, 0.4, 0.50000001, rng.random()]),
                     "beta2": rng.choice([0.999, 0.95, rng.random()]), "epsilon": rng.choice([1e-8, 1e-7, 1e-3])}
    return kind, settings


def optimizer_of(kind, settings, parameter):
    if kind == "sgd":
        return torch.optim.SGD([parameter], lr=settings["rate"], momentum=settings["momentum"], dampening=settings["dampening"],
                               nesterov=settings["nesterov"], weight_decay=settings["decay"], foreach=False)
    maker = torch.optim.Adam if kind == "adam" else torch.optim.AdamW
    return maker([parameter], lr=settings["rate"], betas=(settings["beta1"], settings["beta2"]), eps=settings["epsilon"],
                 weight_decay=settings["decay"], foreach=False)


def random_numbers(rng, count, deviation):
    special = [0.0, -0.0, 1e-40, 1.0, -1e-8, 65504.0]
    return torch.tensor([rng.choice(special) if rng.random() < 0.1 else rng.gauss(0, deviation) for _ in range(count)],
                        device=DEVICE)


def random_script(rng, fused):
    """A problem for halfmark, and the tensors after each step, with which weights count."""
    kind, settings = random_settings(rng)
    count = rng.choice([1, 3, 8, 17, 64, 131])
    parameter = torch.nn.Parameter(random_numbers(rng, count, 1))
    optimizer = optimizer_of(kind, settings, parameter)
    problem = {"optimizer": kind, "fused": fused, "code": "processor" if DEVICE == "cpu" else "gpu", "n": count, "weights": as_json(parameter), "steps": []}
    problem |= {name: value if isinstance(value, bool) else fp64_hex(value) for name, value in settings.items()}
    counts = torch.ones(count, dtype=torch.bool, device=DEVICE)
    expected = []
    for _ in range(rng.randint(1, 6)):
        if expected and rng.random() < 0.15:
            problem["steps"].append({"skipped": True})
            expected.append(expected[-1])
            continue
        parameter.grad = random_numbers(rng, count, 10.0 ** rng.randint(-6, 2))
        problem["steps"].append({"gradients": as_json(parameter.grad)})
        optimizer.step()
        state = optimizer.state[parameter]
        moments = {"first": state.get("momentum_buffer") if kind == "sgd" else state["exp_avg"], "second": state.get("exp_avg_sq")}
        if kind != "sgd":
            counts &= roots_are_right(state["exp_avg_sq"])
        expected.append({"weights": words(parameter), "counts": counts.tolist(),
                         **{name: words(tensor) for name, tensor in moments.items() if tensor is not None}})
        if not bool((torch.isfinite(parameter)).all()):
            break
    return problem, expected


def answers(halfmark, problems):
    lines = "".join(json.dumps(problem) + "\n" for problem in problems)
    done = subprocess.run([halfmark, "ref", "optimizer"], input=lines, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        sys.exit(f"halfmark ref optimizer: exit code {done.returncode}: {done.stderr}")
    return [json.loads(line)["steps"] for line in done.stdout.splitlines()]


def is_nan(word):
    return word & 0x7fffffff > 0x7f800000


def differing_bits(expected, actual, may_print):
    differ = compared = left_out = 0
    for name in ("weights", "first", "second"):
        if name not in expected:
            continue
        for i, (word, text) in enumerate(zip(expected[name], actual[name]["bits"], strict=True)):
            # Adam's decay that is coupled lets the moments see the weights, and so the roots.
            if not expected["counts"][i]:
                left_out += 1
                continue
            got = int(text, 16)
            compared += 1
            if word != got and not (is_nan(word) and is_nan(got)):
                if may_print and differ == 0:
                    print(f"first difference: {name}[{i}] is {word:08x} in PyTorch, {got:08x} here")
                differ += bin(word ^ got).count("1")
    return differ, compared, left_out


def total(halfmark, scripts, may_print=True):
    differ = compared = left_out = 0
    for (problem, expected), actual in zip(scripts, answers(halfmark, [problem for problem, _ in scripts]), strict=True):
        for want, got in zip(expected, actual, strict=True):
            bits, numbers, others = differing_bits(want, got, may_print and differ == 0)
            if bits and may_print and differ == 0:
                print(json.dumps(problem))
            differ, compared, left_out = differ + bits, compared + numbers, left_out + others
    return differ, compared, left_out


def main():
    halfmark, count, seed = sys.argv[1], int((sys.argv[2:] or [3000])[0]), int((sys.argv[3:] or [1])[0])
    torch.set_num_threads(1)
    rng, fused = random.Random(seed), is_fused()
    scripts = [random_script(rng, fused) for _ in range(count)]
    differ, compared, left_out = total(halfmark, scripts)
    print(f"PyTorch {torch.__version__} on {DEVICE}, {count} scripts, {'fused' if fused else 'separate'} multiplications: {differ} bits of "
          f"{compared} numbers differ; {left_out} after a root that PyTorch did not round correctly are left out")
    for mistake in MISTAKES:
        wrong = [({**problem, "mistake": mistake}, expected) for problem, expected in scripts]
        if total(halfmark, wrong, may_print=False)[0] == 0:
            sys.exit(f"the mistake {mistake} goes unnoticed")
    return 1 if differ or compared < left_out else 0


if __name__ == "__main__":
    sys.exit(main())
