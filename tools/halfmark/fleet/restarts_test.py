#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Tasks of a fleet run that a launcher starts again, on a device that gets lost, and on one whose plug-in is another one by then.
verbs_test.py has the same with another question, and whole answers of devices that stay as they are."""
import json
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import time
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
from plugins_test import HALFMARK, Scratch, build_example, fixture

CASES = ["--filter", "arithmetic.fp32.*.portable.n4096.*"]
STEP = ["--filter", "loss_scaled_backward.portable.b16i16h16o16.scale1.fragile.s1"]


class Restarts(Scratch):
    def setUp(self):
        super().setUp()
        self.fleet, self.plugin = self.folder / "fleet", self.folder / "driver.so"
        shutil.copy(fixture("fixture_wrap"), self.plugin)
        self.environment = {**os.environ, "HM_WRAPPED": build_example(self.folder), "HM_MISBEHAVE_ONCE": str(self.folder / "once")}

    def words(self, *more, tier="epilog"):
        return [HALFMARK, "fleet", "run", str(self.fleet), "--run", "r", "--node", "n", "--device", "wrap:0", "--plugin",
                str(self.plugin), "--tier", tier, *more]

    def agent(self, *more, tier="epilog", **environment):
        done = subprocess.run(self.words(*more, tier=tier), env={**self.environment, **environment}, capture_output=True, text=True,
                              timeout=300)
        return done.returncode, done.stdout + done.stderr

    def place(self):
        return next(self.fleet.glob("r/n.0/*/wrap-0"))

    def rebuild(self):
        newer = self.folder / "newer.so"
        newer.write_bytes(self.plugin.read_bytes() + b"an update")
        newer.replace(self.plugin)

    def merged(self):
        file = self.folder / "report.json"
        done = subprocess.run([HALFMARK, "fleet", "merge", self.fleet, "--json", file], capture_output=True, text=True)
        return done.returncode, json.loads(file.read_text())

    def test_losses_beyond_the_allowance_stay(self):
        # Every case passes; then the device is gone, and twice no process reaches it.
        gone = {"HM_MISBEHAVE": "gone", "HM_MISBEHAVE_AT": "statistics_total"}
        code, text = self.agent(*STEP, tier="accept", **gone)
        self.assertEqual(1, code, text)
        code, text = self.agent(*STEP, tier="accept", **gone)
        self.assertIn("an earlier start of this task has its answer, 1 miss\n", text)
        self.assertEqual(1, code, text)
        code, report = self.merged()
        self.assertEqual((1, 0, 1), (code, report["verdicts"]["conformant"], len(report["deviating"])))
        self.assertEqual(["losses"], report["deviating"][0]["cases"])

    def test_a_whole_answer_of_another_plug_in_is_none(self):
        self.assertEqual(0, self.agent(*CASES)[0])
        self.assertIn("an earlier start of this task has its answer", self.agent(*CASES)[1])
        self.rebuild()
        code, text = self.agent(*CASES)
        self.assertEqual(0, code, text)
        self.assertNotIn("an earlier start", text)
        self.assertEqual(["journal.jsonl", "journal.jsonl.earlier"], sorted(file.name for file in self.place().glob("journal*")))

    def test_a_part_of_an_answer_of_another_plug_in_is_put_aside(self):
        hang = {"HM_MISBEHAVE": "hang", "HM_MISBEHAVE_AT": "fp32_lt"}
        with subprocess.Popen(self.words(*CASES), env={**self.environment, **hang}, stdout=subprocess.DEVNULL) as agent:
            end = time.monotonic() + 60
            while not (self.folder / "once").exists() and time.monotonic() < end:
                time.sleep(0.02)
            agent.send_signal(signal.SIGTERM)
        self.assertEqual(4, agent.returncode)
        part = (self.place() / "journal.jsonl").read_text()
        self.assertIn('"kind":"case"', part)
        self.rebuild()
        code, text = self.agent(*CASES)
        self.assertEqual(0, code, text)
        self.assertEqual("COMPLETE", json.loads((self.place() / "scorecard.json").read_text())["status"])
        aside = (self.place() / "journal.jsonl.earlier").read_text()
        self.assertTrue(aside.startswith(part), "what was found stays")


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1] + sys.argv[4:], verbosity=2)
