# SPDX-License-Identifier: Apache-2.0
"""Outputs that are closed, full or slow, or whose reader gives up, for every verb that prints.

The requirements: exit code 0 only if every byte was written; a run that cannot print still ends and keeps its scorecard.
Assumes, as on Unix, that SIGPIPE may end a verb that only reads when its reader gives up.
"""
import fcntl
import json
import os
import signal
import threading
import time

from tortures import runs
from tortures.judge import ROOT, patience
from tortures.words import CASES, PROBLEMS

PIPE_BYTES = 4096
GOLDEN = ROOT / "reports" / "golden"
SAMPLE = GOLDEN / "sample.json"


def verbs(attack):
    """(words, input) with reproducible output, byte by byte, and exit code 0 or 1."""
    text = [["report", form, SAMPLE] for form in ("console", "markdown", "html", "json", "junit")]
    other = [["list", "--suite", "loss", "--level", "smoke"], ["list", "--suite", "loss", "--level", "smoke", "--json"],
             ["list", "--faults"], ["list", "--axes"], ["validate", SAMPLE], ["explain", SAMPLE], ["explain", f"{SAMPLE}#F001"],
             ["compare", SAMPLE, GOLDEN / "clean.json"], ["gate", "--baseline", SAMPLE, SAMPLE], ["ref", "arithmetics"],
             ["ref", "value", "fp16", "0.1"], ["ref", "op", "fp16.add", "1", "2"], ["replay", CASES[0], "--device", "host"],
             ["devices", "--json"], ["--help"], ["--version"], ["run", "--help"]]
    operands = b"3c00 3c00\n" * attack.rng.choice([1, 100, 20_000])
    problem = json.dumps(PROBLEMS["gemm"]).encode() + b"\n"
    lines = [(["ref", "op", "fp16.add"], operands), (["ref", "gemm"], problem * attack.rng.choice([1, 500]))]
    return attack.rng.choice([(words, None) for words in text + other] + lines)


def pipe():
    reader, writer = os.pipe()
    fcntl.fcntl(writer, fcntl.F_SETPIPE_SZ, PIPE_BYTES)
    return reader, writer


def read_some(reader, most, delay):
    """Reads at most `most` bytes in pieces, then closes."""
    got = b""
    while len(got) < most:
        piece = os.read(reader, min(most - len(got), 1 + len(got)))
        if not piece:
            break
        got += piece
        time.sleep(delay)
    os.close(reader)
    return got


def through_pipe(attack, name, most, delay, words, **options):
    """Starts the program with an output into a pipe whose reader takes `most` bytes: (running, reading thread, bytes read)."""
    reader, writer = pipe()
    running = attack.start(*words, **{name: writer}, **options)
    os.close(writer)
    got = []
    thread = threading.Thread(target=lambda: got.append(read_some(reader, most, delay)))
    thread.start()
    return running, thread, got


def disturb(attack, words, total, **options):
    """One hostile output: (Ended, the bytes of a slow reader or None, whether bytes of standard output were lost, how)."""
    how = attack.rng.choice(["closed", "full", "errors full", "errors closed", "both full", "both closed", "all closed", "early",
                             "early", "slow", "errors early"])
    attack.deed = {"early": "its reader gives up", "slow": "its reader is slow"}.get(how, f"output is {how}")
    seconds = runs.SECONDS_OF_A_RUN * patience()
    got = None
    if how in ("early", "slow", "errors early"):
        most = 1 << 40 if how == "slow" else attack.rng.choice([0, 0, attack.rng.randrange(total + 1)])
        attack.deed += f" after {most} bytes" if how == "early" else ""
        running, thread, got = through_pipe(attack, "stderr" if how == "errors early" else "stdout", most, 0.02, words, **options)
        ended = running.end(seconds)
        thread.join()
        lost = how == "early" and total > most + PIPE_BYTES
        return ended, b"".join(got) if how == "slow" else None, lost, how
    closed = {"closed": (1,), "errors closed": (2,), "both closed": (1, 2), "all closed": (0, 1, 2)}.get(how, ())
    with open("/dev/full", "wb") as full, open("/dev/full", "wb") as full_too:
        given = {name: file for name, file in {"stdout": full if how in ("full", "both full") else None,
                                               "stderr": full_too if how in ("errors full", "both full") else None}.items() if file}
        ended = attack.start(*words, closed=closed, **given, **options).end(seconds)
    return ended, None, total > 0 and how in ("closed", "full", "both full", "both closed", "all closed"), how


def output(attack, bench):
    words, text = verbs(attack)
    plain = attack.start(*words, stdin=text).end(runs.SECONDS_OF_A_RUN)
    ended, got, lost, how = disturb(attack, words, len(plain.out), stdin=text)
    lost = lost and not (how == "all closed" and text is not None)  # without input there is nothing to print
    sent = (signal.SIGPIPE,) if "early" in how else ()
    attack.judge(ended, runs.SECONDS_OF_A_RUN, sent=sent, one_line=False, text=False, timed=False)
    if lost and ended.code == 0:
        attack.fault("silent", "exit code 0 though output was lost", ended)
    if not lost and ended.code >= 0 and ended.code != plain.code and how in ("slow", "errors closed", "errors full"):
        attack.fault("code", f"exit code {ended.code}, undisturbed {plain.code} (says {ended.last_error()})", ended)
    if got is not None and got != plain.out and "--json" not in words:  # that output contains times
        attack.fault("lost", f"a slow reader gets {len(got)} bytes of {len(plain.out)}", ended)


def run_output(attack, bench):
    """A run whose outputs are hostile; its scorecard must be the undisturbed one."""
    run = bench.any_run(attack)
    out = attack.folder / "out"
    ended, _, lost, how = disturb(attack, run.command(out), 3000)
    attack.judge(ended, runs.SECONDS_OF_A_RUN, one_line=False, timed=False)
    if lost and how != "early" and ended.code == 0:
        attack.fault("silent", "exit code 0 though output was lost", ended)
    # The run's exit code may say that it could not print.
    code, ended.code = ended.code, run.code if ended.code in (run.code, 3) else ended.code
    if code >= 0:
        runs.judge_end(attack, run, out, ended)


def any_output(attack, bench):
    (run_output if attack.rng.random() < 0.25 else output)(attack, bench)
