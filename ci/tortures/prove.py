# SPDX-License-Identifier: Apache-2.0
"""Proves that the judge can fail: stand-ins for halfmark, each with one fault, which the judge must report.

A stand-in is a line of sh that finds the program at $H; a line of Python changes what a run wrote.
"""
import pathlib
import shlex
import sys
import tempfile

from tortures import cards, outputs, runs

PYTHON = shlex.quote(sys.executable)
CHANGE = (f'"$H" "$@"; s=$?; for w; do [ "$p" = --out ] && out=$w; p=$w; done; [ "$1" = run ] && {PYTHON} -c "import json,sys; '
          'p=sys.argv[1]+\'/host/scorecard.json\'; c=json.load(open(p)); %s; json.dump(c,open(p,\'w\'))" "$out"; exit $s')
# fault -> stand-ins that commit it when they read a card
READING = {
    "signal": ["kill -SEGV $$", "kill -ABRT $$", "kill -PIPE $$"],
    "code": ["exit 7", "exit 139", "exit 255"],
    "unsafe": [r"printf '\033[2J'", r"printf '\302\233' >&2", r"printf '\342\200\256x'", r"printf '\377'", r"printf 'a\rb'"],
    "slow": [f"exec {PYTHON} -c 'import time; time.sleep(100)'"],
    "large": [f"exec {PYTHON} -c 'x = bytearray(600 << 20)'", f"exec {PYTHON} -c 'x = bytearray(3000 << 20); import time; time.sleep(9)'"],
    "error": ["echo 'halfmark: unexpected: x' >&2; exit 3", "echo 'terminate called after' >&2; exit 1", "exit 2", "exit 3",
              "echo 'halfmark: a\nb' >&2; exit 2", "echo 'b' >&2; exit 2"],
    "": ["exit 0", "echo 'halfmark: a' >&2; exit 2", "echo 'é | a\tb'", '"$H" "$@"'],
}
CHANGED = {"false": ["exit 0"], "": ["echo 'halfmark: no' >&2; exit 2", '"$H" "$@"']}
# fault -> stand-ins whose runs do something wrong
RUNNING = {
    "lost": [CHANGE % "c['cases'].pop()", '[ "$1" = run ] || exec "$H" "$@"', "echo 'halfmark: no' >&2; exit 2"],
    "false": [CHANGE % "c['cases'][0]['verdict']='fail'", CHANGE % "c['cases'][0]['digest']='0'", CHANGE % "c['digest']='0'",
              CHANGE % "c.pop('marks')"],
    "code": ['"$H" "$@"; [ "$1" = run ] && exit 4'],
    "": ['exec "$H" "$@"'],
}
PRINTING = {"silent": ['"$H" "$@" 2>/dev/null; exit 0'], "": ["echo x 2>/dev/null || exit 3"]}


def stand_in(bench, line):
    return ["env", f"H={bench.halfmark_itself}", "sh", "-c", line, "halfmark"]


def reads(attack, bench):
    attack.call("validate", bench.cards[0], seconds=1.0 if "sleep(100)" in attack.halfmark[4] else 5.0)


def reads_changed(attack, bench):
    path = attack.folder / "card.json"
    path.write_bytes(bench.cards[0].read_bytes().replace(b'"pass"', b'"fail"'))
    cards.judge_card(attack, ["validate", path], "console", False)


def runs_on(attack, bench):
    run, out = bench.runs["few"], attack.folder / "out"
    (out / "host").mkdir(parents=True)
    (out / "host" / "journal.jsonl").write_bytes(run.journal[:len(run.journal) // 2])
    runs.go_on(attack, run, out, runs.held_by(out))


def prints(attack, bench):
    words = ["report", "console", outputs.SAMPLE]
    with open("/dev/full", "wb") as full:
        ended = attack.start(*words, stdout=full).end(10)
    if ended.code == 0:
        attack.fault("silent", "exit code 0 though output was lost", ended)


def main(make_bench, folder):
    bench = make_bench(folder, 1)
    bench.prepare(["few"])
    bench.halfmark_itself = bench.halfmark[0]
    checks = failures = 0
    for way, table in ((reads, READING), (reads_changed, CHANGED), (runs_on, RUNNING), (prints, PRINTING)):
        for fault, lines in table.items():
            for line in lines:
                attack = bench.attack("prove", checks, pathlib.Path(tempfile.mkdtemp(dir=folder)))
                attack.halfmark = stand_in(bench, line)
                way(attack, bench)
                named = {name for name, _ in attack.faults}
                checks += 1
                if fault not in named if fault else named:
                    failures += 1
                    print(f"FAIL {way.__name__.replace('_', ' ')} `{line}`: expected {fault or 'nothing'}, actual {attack.faults or 'nothing'}")
    print(f"{checks} stand-ins, {failures} failures")
    return 1 if failures else 0
