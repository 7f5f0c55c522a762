#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What goes wrong around a fleet run: agents killed, full and slow disks, wrong clocks, ranks given twice. Nothing is lost, and
nothing counts twice. verbs_test.py has restarts, damaged files and two runs in one folder; ci/fleet kills a node of Slurm."""
import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest

HALFMARK = sys.argv[1]
CASES = ["--filter", "softmax.forward.fp16.out-fp16.library.r16n6?.*", "--filter", "arithmetic.fp32.add.portable.n4096.*"]
MANY_CASES = ["--filter", "arithmetic.*"]  # 198, whose journal takes 120 KiB

# A disk that needs a while for every flush, a clock that is ahead, and files that do not become those of a name.
SHIM = """
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
static void wait_a_while(void) {
  const char* text = getenv("SLOW_FLUSH_MS");
  if (text) usleep(1000 * (useconds_t)atoi(text));
}
int fsync(int fd) { wait_a_while(); return ((int (*)(int))dlsym(RTLD_NEXT, "fsync"))(fd); }
int fdatasync(int fd) { wait_a_while(); return ((int (*)(int))dlsym(RTLD_NEXT, "fdatasync"))(fd); }
int rename(const char* from, const char* to) {
  const char* refused = getenv("NOTHING_BECOMES");
  if (refused && strstr(to, refused)) return errno = EIO, -1;
  return ((int (*)(const char*, const char*))dlsym(RTLD_NEXT, "rename"))(from, to);
}
time_t time(time_t* out) {
  const char* text = getenv("CLOCK_AHEAD_S");
  struct timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  time_t ahead = now.tv_sec + (text ? atoi(text) : 0);
  if (out) *out = ahead;
  return ahead;
}
"""


def clean_environment(**more):
    kept = {name: value for name, value in os.environ.items() if not re.match("SLURM|OMPI|PMI|JOB_COMPLETION", name)}
    return {**kept, **more}


def words_for(folder, node, *more):
    return [HALFMARK, "fleet", "run", str(folder), "--run", "r", "--node", node, "--device", "host", "--tier", "epilog",
            *map(str, more)]


def run(*words, **environment):
    done = subprocess.run(words, capture_output=True, text=True, timeout=300, env=clean_environment(**environment))
    return done.returncode, done.stdout, done.stderr


class Faults(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = pathlib.Path(tempfile.mkdtemp(prefix="halfmark-fleet-faults-"))
        cls.addClassCleanup(shutil.rmtree, cls.folder)
        source, cls.shim = cls.folder / "shim.c", cls.folder / "shim.so"
        source.write_text(SHIM)
        subprocess.run(["cc", "-shared", "-fPIC", "-o", cls.shim, source, "-ldl"], check=True)

    def report(self, folder, *words):
        file = self.folder / "report.json"
        file.unlink(missing_ok=True)
        code, out, errors = run(HALFMARK, "fleet", "merge", str(folder), "--json", str(file), *words)
        self.assertTrue(file.exists(), out + errors)
        report = json.loads(file.read_text())
        self.assertEqual(code, report["exit_code"])
        return {(row["node"], row["selector"]): row["verdict"] for row in report["deviating"]}, report

    def test_an_agent_that_is_killed_is_seen_and_goes_on(self):
        folder = self.folder / "killed"
        self.assertEqual(0, run(*words_for(folder, "n1", *CASES))[0])
        slow = clean_environment(LD_PRELOAD=str(self.shim), SLOW_FLUSH_MS="20")  # a flush for each case
        with subprocess.Popen(words_for(folder, "n2", *MANY_CASES), stdout=subprocess.DEVNULL, env=slow) as agent:
            end = time.monotonic() + 60
            journals = []
            while not (journals and journals[0].read_text().count('"kind":"case"') > 20) and time.monotonic() < end:
                time.sleep(0.02)
                journals = list(folder.glob("r/n2.0/*/host/journal.jsonl"))
            agent.send_signal(signal.SIGKILL)
        finished = journals[0].read_text().count('"kind":"case"')
        deviating, report = self.report(folder)
        self.assertEqual(({("n2", "host"): "error"}, 2), (deviating, report["devices"]))
        code, out, errors = run(*words_for(folder, "n2", *MANY_CASES))
        self.assertEqual(0, code, out + errors)
        # The cases that were finished are in the journal once, and the device counts once.
        names = re.findall(r'"kind":"case".*?"name":"([^"]+)"', journals[0].read_text())
        self.assertGreater(len(names), finished)
        self.assertEqual(len(names), len(set(names)))
        deviating, report = self.report(folder)
        self.assertEqual(({}, 2, 2), (deviating, report["devices"], report["rollups"]))
        self.assertIn("tasks that were started again: n2 (2 starts)", report["notes"])

    def test_a_full_disk_costs_one_node_until_there_is_space(self):
        disk = self.folder / "disk"
        disk.mkdir()
        may_mount = subprocess.run(["unshare", "-m", "true"], capture_output=True).returncode == 0
        if not may_mount:
            self.skipTest("a disk that is full needs the right to mount one")
        # 100 KiB: enough to begin, not to end. The script leaves what the merge says while it is full, and afterwards.
        script = f"""
mount -t tmpfs -o size=100k none {disk}
"$@" > {self.folder}/full.out 2> {self.folder}/full.err; echo $? > {self.folder}/full.code
{HALFMARK} fleet merge {disk} --json {self.folder}/full.json > /dev/null
mount -o remount,size=64m {disk}
"$@" > {self.folder}/again.out 2>&1; echo $? > {self.folder}/again.code
{HALFMARK} fleet merge {disk} --json {self.folder}/again.json > /dev/null
"""
        subprocess.run(["unshare", "-m", "sh", "-c", script, "sh", *words_for(disk, "n1", *MANY_CASES)], env=clean_environment(), check=True,
                       timeout=300)
        text = {name: (self.folder / name).read_text() for name in ("full.code", "full.err", "again.code", "again.out")}
        self.assertEqual("3\n", text["full.code"], text["full.err"])
        self.assertRegex(text["full.err"], r"\A(halfmark: [^\n]*\n)+\Z")
        self.assertIn("No space left on device", text["full.err"])
        full = json.loads((self.folder / "full.json").read_text())
        self.assertEqual(1, full["devices"])
        self.assertIn(full["deviating"][0]["verdict"], ("error", "absent"))
        self.assertEqual("0\n", text["again.code"], text["again.out"])
        again = json.loads((self.folder / "again.json").read_text())
        self.assertEqual((1, 1, 0), (again["devices"], again["rollups"], again["exit_code"]))

    def test_a_journal_that_cannot_be_put_aside_stays(self):
        folder = self.folder / "aside"
        self.assertEqual(0, run(*words_for(folder, "n1", *CASES))[0])
        journal = next(folder.glob("r/n1.0/*/host/journal.jsonl"))
        before = journal.read_text()
        code, _, errors = run(*words_for(folder, "n1", *CASES[2:]), LD_PRELOAD=str(self.shim), NOTHING_BECOMES=".earlier")
        self.assertEqual(3, code, errors)
        self.assertRegex(errors, r"\Ahalfmark: host: cannot put [^\n]*journal.jsonl aside: Input/output error\n\Z")
        self.assertEqual(before, journal.read_text())

    def test_a_slow_disk_does_not_break_the_budget(self):
        folder = self.folder / "slow"
        start = time.monotonic()
        code, out, errors = run(HALFMARK, "fleet", "run", str(folder), "--run", "r", "--node", "n1", "--device", "host",
                                "--tier", "soak", "--for", "4", LD_PRELOAD=str(self.shim), SLOW_FLUSH_MS="100")
        self.assertLess(time.monotonic() - start, 6)
        self.assertEqual(4, code, out + errors)
        deviating, report = self.report(folder)
        self.assertEqual({("n1", "host"): "error"}, deviating)
        self.assertIn("the budget is 4 s", report["deviating"][0]["evidence"])

    def test_a_wrong_clock_is_a_note_and_no_verdict(self):
        folder = self.folder / "clock"
        for node, ahead in ("n1", 0), ("n2", 86400), ("n3", -3600):
            code, out, errors = run(*words_for(folder, node, *CASES), LD_PRELOAD=str(self.shim), CLOCK_AHEAD_S=str(ahead))
            self.assertEqual(0, code, out + errors)
        deviating, report = self.report(folder)
        self.assertEqual(({}, 3), (deviating, report["devices"]))
        note = next(note for note in report["notes"] if note.startswith("clocks that differ"))
        self.assertRegex(note, r"n2 by \+8\d{4} s, n3 by -3\d{3} s; no verdict depends on them")
        self.assertNotIn("n1", note)

    def test_a_rank_that_is_given_twice_is_named_and_counts_each_device_once(self):
        folder = self.folder / "ranks"
        for node in "n1", "n2":
            code, out, errors = run(HALFMARK, "fleet", "run", str(folder), "--device", "host", "--tier", "epilog", *CASES,
                                    SLURM_PROCID="0", SLURM_NTASKS="2", SLURMD_NODENAME=node, SLURM_JOB_ID="7")
            self.assertEqual(0, code, out + errors)
        deviating, report = self.report(folder)
        self.assertEqual(2, report["verdicts"]["conformant"])
        self.assertEqual({("?", "-"): "absent"}, deviating)  # task 1 left nothing
        self.assertIn("task 0 of run slurm-7 ran on two nodes or more: n1, n2; each device counts once", report["notes"])


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
