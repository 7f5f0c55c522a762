# SPDX-License-Identifier: Apache-2.0
"""Kills of runners, workers and compilers at any moment; two runs in one folder; disks that are small or become full."""
import os
import shutil
import signal
import subprocess
import time

from tortures import runs
from tortures.judge import alive, descendants, patience, send

SECONDS_TO_STOP = 2.0
MOST_SAID = 4096  # bytes on standard error
ENDING = {"KILL": (signal.SIGKILL,), "TERM": (signal.SIGTERM,), "INT": (signal.SIGINT,), "HUP": (signal.SIGHUP,),
          "INT twice": (signal.SIGINT, signal.SIGINT), "STOP, then KILL": (signal.SIGSTOP, signal.SIGKILL)}
# What may happen to a worker or a compiler, which no user asks to end.
FATAL = ("KILL", "TERM", "STOP, then KILL")


def wait_until_gone(attack, pids, ended):
    deadline = time.monotonic() + SECONDS_TO_STOP * patience()
    while any(map(alive, pids)) and time.monotonic() < deadline:
        time.sleep(0.01)
    left = [pid for pid in pids if alive(pid)]
    if left:
        attack.fault("left", f"{len(left)} processes outlive their runner", ended)
    for pid in left:
        send(pid, signal.SIGKILL)


def strike(attack, running, victim, how):
    for number in ENDING[how]:
        if not send(victim, number):
            return
        time.sleep(attack.rng.uniform(0, 0.1))


def judge_struck(attack, run, out, ended, how, took, excused):
    """A runner that got a signal: exit code 4 in time, unless it had ended already or had not yet said that it begins."""
    sent = [int(number) for number in ENDING[how]]
    runs.judge_run(attack, ended, sent=sent)
    polite = how in ("INT", "TERM")
    if polite and ended.err and ended.code not in (4, run.code, *([1] if excused else [])):
        attack.fault("code", f"SIG{how} gives exit code {ended.code}, expected 4", ended)
    if polite and took > SECONDS_TO_STOP * patience():
        attack.fault("slow", f"SIG{how} takes {took:.1f} s", ended)
    if polite and ended.code == 4 and runs.held_by(out) and (runs.read_card(out) or {}).get("status") != "PARTIAL":
        attack.fault("lost", "exit code 4 without a scorecard that says PARTIAL", ended)


def one_kill(attack, run, out, seconds, options, excused):
    """Starts or resumes a run, strikes at a random moment, and returns whether a child was struck."""
    journal = out / "host" / "journal.jsonl"
    running = attack.start(*run.command(out, *(["--resume"] if journal.exists() else [])), **options)
    running.wait(attack.rng.uniform(0, seconds))
    below = descendants(running.pid)
    place = attack.rng.choices(["runner", "worker", "compiler"], [6, 3, 2])[0]
    children = {"runner": [running.pid], "worker": below[:1], "compiler": below[1:]}[place]
    place, victim = (place, children[0]) if children else ("runner", running.pid)
    how = attack.rng.choice(list(ENDING) if place == "runner" else FATAL)
    attack.deed += f"{', ' if attack.deed else ''}{how} to the {place} after {time.monotonic() - running.begun:.2f} s"
    struck = time.monotonic()
    strike(attack, running, victim, how)
    attack.weight += 1
    ended = running.end(runs.SECONDS_OF_A_RUN)
    if place == "runner":
        judge_struck(attack, run, out, ended, how, time.monotonic() - struck, excused)
    else:
        runs.judge_run(attack, ended)
    wait_until_gone(attack, set(below), ended)
    return place != "runner"


def kill(attack, bench):
    run = bench.any_run(attack)
    out = attack.folder / "out"
    options, seconds = {}, 1.1 * run.seconds
    if attack.rng.random() < 0.2:
        options, seconds = {"environment": {"HALFMARK_CACHE_DIR": str(attack.folder / "cache")}}, 3 * run.seconds
    attack.weight, held, excused = 0, {}, 0
    for _ in range(attack.rng.randint(1, 4)):
        excused += one_kill(attack, run, out, seconds, options, excused)
        for name, verdict in held.items():
            if runs.held_by(out).get(name) != verdict:
                attack.fault("lost", f"the journal no longer holds the verdict of {name}")
        held.update(runs.held_by(out))
    runs.go_on(attack, run, out, held, excused, **options)


def twice(attack, bench):
    """Two runs at once in one folder: one wins and the other names it, or both end undisturbed."""
    run = bench.any_run(attack)
    out = attack.folder / "out"
    pair = []
    for i in range(2):
        more = ["--resume"] if attack.rng.random() < 0.3 else []
        pair.append(attack.start(*run.command(out, *more)))
        if i == 0:
            pair[0].wait(attack.rng.choice([0, attack.rng.uniform(0, run.seconds)]))
    attack.deed = "two runs at once in one folder"
    finished = 0
    for running in pair:
        ended = running.end(runs.SECONDS_OF_A_RUN)
        runs.judge_run(attack, ended)
        if ended.code == run.code:
            finished += 1
        elif ended.code in (2, 3):
            runs.judge_refusal(attack, ended, r"process \d+|pid \d+")
        else:
            attack.fault("false", f"exit code {ended.code}, undisturbed {run.code} (says {ended.last_error()})", ended)
    if finished == 0:
        attack.fault("lost", "neither of the runs ends", ended)
    names = [line.split(b'"name":"')[-1] for line in (out / "host" / "journal.jsonl").read_bytes().split(b"\n")
             if b'"kind":"case"' in line]
    if len(names) != len(run.cases):
        attack.fault("false", f"the journal holds {len(names)} cases of {len(run.cases)}", ended)
    runs.go_on(attack, run, out)


def mounted(folder, kib, nodes):
    """Mounts a file system of that size in memory; False where that is not allowed."""
    folder.mkdir()
    done = subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={kib}k,nr_inodes={nodes}", "torture", folder],
                          check=False, capture_output=True)
    return done.returncode == 0


def disk(attack, bench):
    """A disk that is full from the start or after some bytes; with more space, --resume continues."""
    run = bench.any_run(attack)
    out = attack.folder / "disk" / "out"
    whole = len(run.journal)
    room = attack.rng.choice([0, attack.rng.randrange(200), attack.rng.randrange(whole), attack.rng.randrange(3 * whole)])
    mount = bench.may_mount and attack.rng.random() < 0.5
    says = True
    nodes = attack.rng.choice([2, 3, 4, 5, 6, 100, 100])
    if mount and mounted(out.parent, 4 * max(1, room // 4096), nodes):
        if room < 4096:
            (out.parent / "filler").write_bytes(bytes(4096))
        attack.deed = f"a disk of {4 * max(1, room // 4096)} KiB and {nodes} files{', full' if room < 4096 else ''}"
        ended = runs.call_run(attack, run, out)
        subprocess.run(["mount", "-o", "remount,size=64m,nr_inodes=1000", out.parent], check=True)
    else:
        mount = False
        out.parent.mkdir(exist_ok=True)
        attack.deed = f"files of at most {room} bytes"
        piped = attack.rng.random() < 0.8
        says = piped or room > MOST_SAID  # otherwise the limit also applies to the file of errors
        ended = runs.call_run(attack, run, out, says=says, file_limit=room, piped=piped)
    has_card = runs.read_card(out) is not None
    # What a run has proven outranks a card that could not be written.
    expected = {3, run.code} if run.code in (1, 4) else {3}
    if ended.code == run.code and has_card:
        runs.judge_end(attack, run, out, ended)
    elif ended.code >= 0 and ended.code not in expected:
        attack.fault("false", f"exit code {ended.code} of a full disk, expected 3 (says {ended.last_error()})", ended)
    elif says and ended.code in expected and not any(word in ended.last_error() for word in ("o space left", "too large", "cannot", "is full")):
        attack.fault("error", f"a full disk that is not reported: {ended.last_error()}", ended)
    runs.go_on(attack, run, out, runs.held_by(out))
    if mount:
        shutil.copytree(out, attack.folder / "kept", dirs_exist_ok=True)
        subprocess.run(["umount", "-l", out.parent], check=False)
    if os.path.ismount(out.parent):
        attack.fault("harness", "the disk is still mounted")
