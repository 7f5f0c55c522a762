#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Benchmarks whose driver hangs, and benchmarks that are ended from outside.

The driver is a misbehaving stand-in (backends/standin/misbehaviour.hpp). The test expects that a hang costs only the
benchmark that was running, is reported in one line and in its row, and makes the exit code 4; that a long measurement is
no hang; and that no process stays behind.
"""
import json
import os
import pathlib
import signal
import subprocess
import sys
import time
import unittest

BENCH = sys.argv[1]
STAND_IN = sorted(path.name for path in (pathlib.Path(sys.argv[2]) / "lib/halfmark/standin").iterdir())[0]
SECONDS_TO_STOP = 2.0
TIMEOUT = 2.0
OPERATIONS = ["add", "mul", "fma"]


def start(how="", operations=OPERATIONS, timeout=TIMEOUT, least_seconds=1e-9):
    filters = [word for name in operations for word in ("--filter", f"arithmetic.fp32.{name}.portable.n262144.near.*")]
    command = [BENCH, "--standin", STAND_IN, "--level", "smoke", "--timeout", str(timeout), *filters,
               "--benchmark_format=json", f"--benchmark_min_time={least_seconds}"]
    # Hides the drivers of this machine: listing them takes longer than everything else.
    environment = {**os.environ, "HALFMARK_STAND_IN_MISBEHAVE": how, "OCL_ICD_VENDORS": "/nonexistent"}
    return subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def rows_of(process):
    """The rows by operation, and the lines that Halfmark wrote."""
    out, err = process.communicate(timeout=60)
    rows = {row["name"].split(".")[2]: row for row in json.loads(out)["benchmarks"]}
    return rows, [line for line in err.splitlines() if line.startswith("halfmark: ")]


def finish(process):
    """The error of each benchmark ("" if it was timed), and the lines."""
    rows, lines = rows_of(process)
    return {name: row.get("error_message", "") for name, row in rows.items()}, lines


def worker_of(process):
    """The child that still exists after half a second: those that list devices end sooner."""
    seen, since = None, time.monotonic()
    while seen is None or time.monotonic() - since < 0.5:
        now = pathlib.Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text().split()
        if len(now) != 1 or now != seen:
            seen, since = now if len(now) == 1 else None, time.monotonic()
        time.sleep(0.02)
    return seen[0]


def is_gone(pid):
    try:
        return pathlib.Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0] == "Z"
    except OSError:
        return True


class Limit(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        # All at once, since a hanging process uses no processor time.
        cls.processes = {name: start(**options) for name, options in {
            "verifying": {"how": "hang@fp32_mul"},
            # Two launches verify a case; the third warms the device up.
            "timing": {"how": "hang@3", "operations": ["add"]},
            "building": {"how": "hang-compiler@program", "timeout": TIMEOUT / 2},
            "SIGTERM": {"how": "hang", "timeout": 100},
            "SIGINT": {"how": "hang", "timeout": 100}}.items()}

    @classmethod
    def tearDownClass(cls):
        for process in cls.processes.values():
            process.kill()
            process.communicate()

    def test_a_hang_costs_itself(self):
        errors, lines = finish(self.processes["verifying"])
        self.assertEqual({"add": "", "fma": "", "mul": errors["mul"]}, errors)
        self.assertRegex(errors["mul"], "^not timed: hang: no answer within --timeout; the stage was 'launch'; raise it")
        self.assertEqual([f"halfmark: arithmetic.fp32.mul.portable.n262144.near.s1: {errors['mul']}"], lines)
        self.assertEqual(4, self.processes["verifying"].returncode)

    def test_a_hang_of_a_case_that_passed(self):
        errors, lines = finish(self.processes["timing"])
        self.assertRegex(errors["add"], "^not timed: no answer within --timeout; the stage was 'launch'; raise it")
        self.assertEqual([f"halfmark: arithmetic.fp32.add.portable.n262144.near.s1: {errors['add']}"], lines)
        self.assertEqual(4, self.processes["timing"].returncode)

    def test_a_device_that_always_hangs_is_not_waited_for(self):
        errors, lines = finish(self.processes["building"])
        for name in ("add", "mul"):
            self.assertIn("not timed: hang: no answer within --timeout; the stage was 'build'", errors[name])
        self.assertRegex(errors["fma"], "^not timed: .*:0 lost 2 benchmarks in a row$")
        self.assertEqual(2, len(lines), lines)
        self.assertRegex(lines[1], "; nothing more is timed on .*:0$")
        self.assertEqual(4, self.processes["building"].returncode)

    def test_long_is_not_hung(self):
        process = start(operations=["add"], timeout=1, least_seconds=1.05)
        rows, lines = rows_of(process)
        self.assertEqual((0, []), (process.returncode, lines))
        self.assertGreater(rows["add"]["iterations"] * rows["add"]["real_time"] * 1e-9, 1)

    def test_a_signal_ends_it_within_two_seconds(self):
        for number in (signal.SIGTERM, signal.SIGINT):
            with self.subTest(number.name):
                process = self.processes[number.name]
                worker = worker_of(process)
                begun = time.monotonic()
                process.send_signal(number)
                errors, lines = finish(process)
                self.assertLess(time.monotonic() - begun, SECONDS_TO_STOP)
                self.assertEqual((dict.fromkeys(OPERATIONS, "not timed: interrupted"), []), (errors, lines))
                self.assertEqual(4, process.returncode)
                self.assertTrue(is_gone(worker))


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1] + sys.argv[3:], verbosity=2)
