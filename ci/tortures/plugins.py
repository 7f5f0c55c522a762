# SPDX-License-Identifier: Apache-2.0
"""Plug-ins that are no plug-ins, damaged, or misbehaving: each costs one line, and the rest is tested as if it were not
there. The tests build the misbehaving ones; without them only files are tried. Also drivers that misbehave: ci/standins
checks what each costs, here the run must end with a valid scorecard."""
import os
import shutil

from tortures import runs
from tortures.judge import ROOT, patience
from tortures.journals import flip

FIXTURES = ROOT / "build" / "tests" / "plugins"
# A process that queries plug-ins waits for an answer for the time of --timeout, in addition to its own work.
TIMEOUT = ["--timeout", "8"]
SECONDS = 15.0


def no_plugins(attack, fixtures):
    """name -> function that makes the file"""
    path = attack.folder / "plugin.so"
    whole = attack.rng.choice(fixtures).read_bytes() if fixtures else b"\x7fELF" + bytes(1000)
    # The tables of a library are at its ends; damage in its code would make another program, not a damaged file.
    header = 64 + 56 * 9
    return path, {
        "empty": lambda: path.write_bytes(b""),
        "of text": lambda: path.write_text("no library\n"),
        "of hostile text": lambda: path.write_bytes(b"\x1b[2J\x9b\xff\n" * 100),
        "truncated": lambda: path.write_bytes(whole[:attack.rng.randrange(len(whole))]),
        "with a damaged header": lambda: path.write_bytes(flip(attack, whole[:header], 5) + whole[header:]),
        "without an end": lambda: path.write_bytes(whole[:-attack.rng.randrange(1, 5000)]),
        "a folder": path.mkdir,
        "a FIFO": lambda: os.mkfifo(path),
        "/dev/zero": lambda: path.symlink_to("/dev/zero"),
        "/dev/full": lambda: path.symlink_to("/dev/full"),
        "a loop": lambda: path.symlink_to(path),
        "missing": lambda: None,
        "a program": lambda: shutil.copy("/bin/true", path),
        "a script": lambda: path.write_text("#!/bin/sh\ntouch injected\n"),
        "of another machine": lambda: path.write_bytes(whole[:18] + b"\xb7\x00" + whole[20:]),
        "the library of C": lambda: path.symlink_to("/lib/x86_64-linux-gnu/libc.so.6"),
    }


MISBEHAVIOURS = ["crash", "hang", "lose-device", "wrong-error", "ignore-launch", "corrupt-copy", "fail-allocation", "crash-compiler@program",
                 "hang-telemetry"]


def driver(attack):
    """A driver that does one or two things wrong, everywhere or at one kernel."""
    wrong = [name + attack.rng.choice(["", "@fp32_add"]) if "-" not in name or name == "ignore-launch" else name
             for name in attack.rng.sample(MISBEHAVIOURS, attack.rng.choice([1, 1, 2]))]
    attack.deed = f"a driver set to {','.join(wrong)}"
    out = attack.folder / "out"
    few = ["--level", "smoke", "--suite", "arithmetic", "--filter", "*fp32.add*n4096*", "--no-throughput", "--timeout", "2"]
    # A driver whose telemetry hangs, too, costs ten seconds each time that it is opened anew.
    seconds = (8 if {"hang", "hang-telemetry"} <= set(wrong) else 2) * runs.SECONDS_OF_A_RUN
    ended = attack.start("run", "--standin", attack.rng.choice(["cuda", "hip", "musa"]), *few, "--out", out,
                         environment={"HALFMARK_STAND_IN_MISBEHAVE": ",".join(wrong)}).end(seconds * patience())
    attack.judge(ended, seconds, one_line=False, timed=False)
    written = list(out.glob("*/scorecard.json"))
    if ended.code in (0, 1) and not written:
        attack.fault("lost", f"exit code {ended.code} without a scorecard", ended)
    if written and attack.call("validate", written[0]).code != 0:
        attack.fault("false", "the scorecard is not a valid one", ended)


def plugin(attack, bench):
    driver(attack) if attack.rng.random() < 0.15 else library(attack, bench)


def library(attack, bench):
    fixtures = sorted(FIXTURES.glob("fixture*.so"))
    if fixtures and attack.rng.random() < 0.35:
        path = attack.rng.choice(fixtures)
        attack.deed = f"plug-in {path.name}"
    else:
        path, ways = no_plugins(attack, fixtures)
        way = attack.rng.choice(list(ways))
        ways[way]()
        if attack.rng.random() < 0.1 and path.exists():
            path = path.rename(path.with_name(attack.rng.choice(["\x1b[2J.so", "a\nb.so", "\udcff.so", "a b;c.so", "\u202e.so"])))
        attack.deed = f"a plug-in that is {way}"
    asked = attack.rng.random() < 0.5
    words = ["--plugin", path] if asked else []
    environment = {} if asked else {"HALFMARK_PLUGIN_PATH": str(path)}
    if attack.rng.random() < 0.6:
        ended = attack.call("devices", *TIMEOUT, *words, seconds=SECONDS, environment=environment, rules={"one_line": False, "timed": False})
        if b"\nhost: ok" not in b"\n" + ended.out:
            attack.fault("lost", "the software device is gone", ended)
        return
    run = bench.runs["few"]
    ended = attack.start(*run.command(attack.folder / "out"), "--timeout", "10", *words, environment=environment).end(runs.SECONDS_OF_A_RUN)
    # A listing may take half as long again as a case.
    allowed = SECONDS + run.seconds + 5
    runs.judge_run(attack, ended) if ended.code != 3 else attack.judge(ended, allowed, one_line=False, timed=False)
    if asked and ended.code == 2 and b"is not UTF-8" in ended.err:  # a word of the command line that is no text
        return
    if ended.code == 3 and asked:  # requested but unusable; the rest has its answer
        ended.code = run.code
    runs.judge_end(attack, run, attack.folder / "out", ended)
