#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The profile `pytorch` of `halfmark ref loss_scaler` against PyTorch's own GradScaler, bit for bit.

    loss_scaler_pytorch_test.py HALFMARK [SCRIPTS [SEED]]

Random scripts: factors, initial scales and intervals; gradients with infinities, NaN and subnormal numbers, of one to
three devices; clean and bad stretches that drive the scale to its largest value and to zero; restores of states that were
saved in mid-interval, into the same scaler and into a new one with other settings. Compared after each step are the flag of
every device, every unscaled gradient (a NaN as a class), whether the optimizer took the step, the scale and the counter. Then steps
with fp32 gradients that are unscaled and clipped by clip_grad_norm_.

Needs a Python with torch, and is skipped without one; tensors are on the device of PyTorch that HALFMARK_TORCH_DEVICE names
(tools/halfmark/python_with_torch.py).
"""
import collections
import json
import pathlib
import random
import struct
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
from python_with_torch import DEVICE, torch_or_skip

torch = torch_or_skip()

FP32_SPECIALS = [0x00000000, 0x80000000, 0x00000001, 0x007fffff, 0x00800000, 0x7f7fffff, 0xff7fffff, 0x3f800000, 0x3dcccccd]
FP32_BAD = [0x7f800000, 0xff800000, 0x7fc00000, 0x7f800001, 0xffc12345]


def fp64_hex(value):
    return struct.pack(">d", value).hex()


def fp32_hex(value):
    return struct.pack(">f", value).hex()


class CountingSGD(torch.optim.SGD):
    """An optimizer that says whether its step was taken."""
    steps = 0

    def step(self, closure=None):
        self.steps += 1


class Framework:
    """GradScaler with one parameter, and so one flag, for each device."""

    def __init__(self, settings, devices):
        self.scaler = self.new_scaler(settings)
        self.optimizers = [CountingSGD([torch.nn.Parameter(torch.zeros(1, device=DEVICE))], lr=0.0) for _ in range(devices)]

    @staticmethod
    def new_scaler(settings):
        scaler = torch.amp.GradScaler(DEVICE, **settings)
        scaler.scale(torch.zeros((), device=DEVICE))  # creates its tensors
        return scaler

    def step(self, devices):
        """Gradients as (format, encodings) of each device -> what an answer of halfmark holds."""
        flags, unscaled = {}, []
        for index, (optimizer, (name, bits)) in enumerate(zip(self.optimizers, devices)):
            values = torch.tensor(bits, dtype=torch.int64)
            gradient = (values.to(torch.int32).view(torch.float32) if name == "fp32"
                        else values.to(torch.int16).view(torch.bfloat16))
            parameter = torch.nn.Parameter(torch.zeros_like(gradient, device=DEVICE))
            parameter.grad = gradient.to(DEVICE)
            optimizer.param_groups[0]["params"] = [parameter]
            self.scaler.unscale_(optimizer)
            state = self.scaler._per_optimizer_states[id(optimizer)]
            flags[index] = next(iter(state["found_inf_per_device"].values()))
            whole = parameter.grad.view(torch.int32 if name == "fp32" else torch.int16).tolist()
            unscaled.append((name, [word & (0xffffffff if name == "fp32" else 0xffff) for word in whole]))
        found = [bool(flag.item()) for flag in flags.values()]
        first = self.optimizers[0]
        for optimizer in self.optimizers[1:]:
            del self.scaler._per_optimizer_states[id(optimizer)]
        self.scaler._per_optimizer_states[id(first)]["found_inf_per_device"] = flags
        before = first.steps
        self.scaler.step(first)
        self.scaler.update()
        return {"found_inf": found, "gradients": unscaled, "outcome": "taken" if first.steps > before else "skipped", **self.state()}

    def state(self):
        return {"scale": fp32_hex(self.scaler.get_scale()), "clean_steps": self.scaler._get_growth_tracker()}


def as_state(saved):
    return {"profile": "pytorch", "scale": fp32_hex(saved["scale"]), "clean_steps": saved["_growth_tracker"],
            "growth_factor": fp64_hex(saved["growth_factor"]), "backoff_factor": fp64_hex(saved["backoff_factor"]),
            "growth_interval": saved["growth_interval"]}


def random_settings(rng):
    return {"init_scale": rng.choice([3.0, 3.0, 1.0, 65536.0, 1000.0, 2.0**127, 2.0**-140, 1e-3, rng.uniform(1e-6, 1e6)]),
            "growth_factor": rng.choice([2.0, 2.0, 1.1, 1.1, 1.5, 16.0, 2.0**20, rng.uniform(1.0001, 9)]),
            "backoff_factor": rng.choice([0.5, 0.5, 0.7, 0.7, 0.9, 2.0**-20, rng.uniform(0.01, 0.99)]),
            "growth_interval": rng.randint(1, 5)}


def random_gradients(rng, bad):
    name = rng.choice(["fp32", "fp32", "fp32", "bf16"])
    if DEVICE != "cpu":  # the kernels for GPUs take no bf16 (PyTorch 2.11)
        name = "fp32"
    words = [rng.choice(FP32_SPECIALS) if rng.random() < 0.2 else struct.unpack(">I", struct.pack(">f", rng.gauss(0, 1000)))[0]
             for _ in range(rng.choice([1, 2, 7, 8, 9, 19]))]
    if bad:
        words[rng.randrange(len(words))] = rng.choice(FP32_BAD)
    if name == "bf16":
        words = [(word >> 16) | (1 if word & 0x7f800000 == 0x7f800000 and word & 0x7fffff else 0) for word in words]
    return name, words


def tensor(name, words):
    return {"format": name, "bits": [f"{word:0{8 if name == 'fp32' else 4}x}" for word in words]}


def random_script(rng, seen):
    """A problem for halfmark, and what the framework does in it."""
    settings, devices = random_settings(rng), rng.choice([1, 1, 1, 2, 3])
    framework = Framework(settings, devices)
    problem = {"profile": "pytorch", "scale": fp64_hex(settings["init_scale"]), "growth_factor": fp64_hex(settings["growth_factor"]),
               "backoff_factor": fp64_hex(settings["backoff_factor"]), "growth_interval": settings["growth_interval"], "steps": []}
    expected, saved = [], []
    share_of_bad = rng.choice([0, 0.05, 0.3, 1])
    for _ in range(rng.choice([5, 10, 20, 40])):
        if saved and rng.random() < 0.08:
            if rng.random() < 0.5:
                framework.scaler = Framework.new_scaler(random_settings(rng))
            state = rng.choice(saved)
            framework.scaler.load_state_dict(state)
            problem["steps"].append({"restore": as_state(state)})
            expected.append(framework.state())
            seen["restores"] += 1
            seen["restores in mid-interval"] += 0 < state["_growth_tracker"] < state["growth_interval"]
        bad = rng.random() < share_of_bad
        gradients = [random_gradients(rng, bad and (index == 0 or rng.random() < 0.5)) for index in range(devices)]
        problem["steps"].append({"gradients": [tensor(*each) for each in gradients]})
        before = framework.scaler.get_scale()
        expected.append(framework.step(gradients))
        after, factor = framework.scaler.get_scale(), framework.scaler.get_growth_factor()
        seen["steps"] += 1
        seen["scales of zero"] += after == 0
        seen["subnormal scales"] += 0 < after < 2.0**-126
        seen["growths that would be infinite"] += after == before and framework.scaler._get_growth_tracker() == 0 \
            and not any(expected[-1]["found_inf"]) and before * factor > 3.4028235677973366e38
        seen["flags of two devices"] += sum(expected[-1]["found_inf"]) > 1
        if rng.random() < 0.2:
            saved.append(framework.scaler.state_dict())
    return problem, expected


def is_nan(name, word):
    return word & 0x7fffffff > 0x7f800000 if name == "fp32" else word & 0x7fff > 0x7f80


def differing_bits(expected, actual):
    """How many bits of a step differ; a NaN equals any NaN."""
    differ = bin(int(expected["scale"], 16) ^ int(actual["scale"], 16)).count("1")
    differ += bin(expected["clean_steps"] ^ actual["clean_steps"]).count("1")
    if "outcome" not in expected:
        return differ
    differ += expected["outcome"] != actual["outcome"]
    differ += sum(a != b for a, b in zip(expected["found_inf"], actual["found_inf"], strict=True))
    for (name, words), got in zip(expected["gradients"], actual["gradients"], strict=True):
        assert got["format"] == name
        for word, text in zip(words, got["bits"], strict=True):
            if not (is_nan(name, word) and is_nan(name, int(text, 16))):
                differ += bin(word ^ int(text, 16)).count("1")
    return differ


def answers(halfmark, problems):
    lines = "".join(json.dumps(problem) + "\n" for problem in problems)
    done = subprocess.run([halfmark, "ref", "loss_scaler"], input=lines, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        sys.exit(f"halfmark ref loss_scaler: exit code {done.returncode}: {done.stderr}")
    return [json.loads(line)["steps"] for line in done.stdout.splitlines()]


def total_of_differences(halfmark, scripts, shows_first=True):
    total = 0
    for (problem, expected), actual in zip(scripts, answers(halfmark, [problem for problem, _ in scripts]), strict=True):
        for step, (want, got) in enumerate(zip(expected, actual, strict=True)):
            differ = differing_bits(want, got)
            if differ and total == 0 and shows_first:
                print(f"first difference, in step {step} of\n{json.dumps(problem)}\nexpected {want}\nactual   {got}")
            total += differ
    return total


def clipping_script(rng):
    """Gradients whose norm is exact in any order of its sum, unscaled and clipped by both."""
    scale, limit = 2.0 ** rng.randint(-3, 16), rng.choice([1.0, 0.5, 2.5, rng.uniform(0.1, 100)])
    parameters = []
    for _ in range(rng.choice([1, 1, 2, 3])):
        parameter = torch.nn.Parameter(torch.zeros(rng.choice([1, 4, 9]), device=DEVICE))
        # One number other than zero each: its square's root is itself, whatever it is.
        values = torch.zeros_like(parameter)
        values[rng.randrange(len(values))] = rng.choice([3.0, 4.0, 12.0, rng.gauss(0, 100)] if parameters == [] else [0.0])
        parameter.grad = values * scale
        parameters.append(parameter)
    problem = {"profile": "pytorch", "scale": fp64_hex(scale), "clip": fp32_hex(limit),
               "steps": [{"gradients": [tensor("fp32", words_of(parameter.grad)) for parameter in parameters]}]}
    scaler = torch.amp.GradScaler(DEVICE, init_scale=scale)
    scaler.scale(torch.zeros((), device=DEVICE))
    scaler.unscale_(torch.optim.SGD(parameters, lr=0.0))
    norm = torch.nn.utils.clip_grad_norm_(parameters, limit)
    return problem, [words_of(parameter.grad) for parameter in parameters], words_of(norm.reshape(1))


def words_of(values):
    return [word & 0xffffffff for word in values.detach().view(torch.int32).tolist()]


def clipping_differences(halfmark, rng, count):
    scripts = [clipping_script(rng) for _ in range(count)]
    differ = 0
    for (problem, gradients, norm), steps in zip(scripts, answers(halfmark, [script[0] for script in scripts]), strict=True):
        got = [[int(text, 16) for text in each["bits"]] for each in steps[0]["gradients"]]
        if got != gradients or [int(steps[0]["norm"], 16)] != norm:
            if differ == 0:
                print(f"first difference in clipping: {json.dumps(problem)}\nexpected {gradients} {norm}\nactual   {steps[0]}")
            differ += 1
    return differ


def as_wrong_profile(script):
    """The same script for a scaler that multiplies in fp32."""
    problem, expected = script
    return {**problem, "profile": "halfmark"}, expected


def main():
    halfmark, count, seed = sys.argv[1], int((sys.argv[2:] or [10_000])[0]), int((sys.argv[3:] or [1])[0])
    torch.set_num_threads(1)
    rng, seen = random.Random(seed), collections.Counter()
    scripts = [random_script(rng, seen) for _ in range(count)]
    differ = total_of_differences(halfmark, scripts)
    print(f"PyTorch {torch.__version__} on {DEVICE}, {count} scripts, {differ} bits differ; " +
          ", ".join(f"{value} {name}" for name, value in sorted(seen.items())))
    missing = [name for name in ("scales of zero", "growths that would be infinite", "flags of two devices",
                                 "restores in mid-interval", "subnormal scales") if count >= 1000 and seen[name] == 0]
    plain = [script for script in scripts if not any("restore" in step for step in script[0]["steps"])
             and all(each["format"] == "fp32" for step in script[0]["steps"] for each in step["gradients"])]
    is_sharp = total_of_differences(halfmark, [as_wrong_profile(script) for script in plain], shows_first=False) > 0
    clipped = clipping_differences(halfmark, rng, 1000)
    print(f"1000 clipped steps, {clipped} differ")
    if missing:
        sys.exit(f"the scripts show no {', '.join(missing)}")
    if not is_sharp:
        sys.exit("a scaler that multiplies in fp32 goes unnoticed")
    return 1 if differ or clipped else 0


if __name__ == "__main__":
    sys.exit(main())
