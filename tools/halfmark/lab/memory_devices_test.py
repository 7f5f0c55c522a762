#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`halfmark lab memory` as a user runs it: on the software device, on the stand-ins of the vendors' drivers, and on
stand-ins that lie about their memory, of whose figures none may be printed."""
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

HALFMARK = sys.argv[1]
STAND_INS = {"cuda": "cuMemGetInfo_v2", "hip": "hipMemGetInfo", "musa": "muMemGetInfo_v2"}
WHEN = ("prepared", "forward", "peak")
PAGES = 2_000_000  # that a process takes beside its tensors


def run(*words, **environment):
    """The exit code, what was printed, and the report as JSON."""
    with tempfile.TemporaryDirectory(prefix="halfmark-memory-") as folder:
        file = pathlib.Path(folder) / "memory.json"
        done = subprocess.run([HALFMARK, "lab", "memory", "--json", file, *words], capture_output=True, text=True,
                              timeout=300, env={**os.environ, **environment})
        report = json.loads(file.read_text()) if file.exists() else None
        return done.returncode, done.stdout + done.stderr, report


def modes_of(report):
    return [mode for network in report["networks"] for mode in network["modes"]]


class Memory(unittest.TestCase):
    def test_the_software_devices_process_grows_by_what_is_asked_for(self):
        code, text, report = run("--device", "host")
        self.assertEqual(0, code, text)
        self.assertIn("by /proc/self/statm", text)
        for mode in modes_of(report):
            self.assertTrue(mode["runtime"]["of_process"])
            for when in WHEN:
                more = mode["runtime"][when] - mode["asked"][when]
                self.assertLess(abs(more), PAGES, (mode["name"], when))
        for row in report["matrices"]["rows"]:
            self.assertLess(abs(row["runtime"] - row["asked"]), PAGES, row)

    def test_a_drivers_figures_are_those_of_its_allocations(self):
        for vendor, call in STAND_INS.items():
            code, text, report = run("--standin", vendor)
            self.assertEqual(0, code, text)
            self.assertIn(f"by {call}\n", text)
            for mode in modes_of(report):
                self.assertEqual({when: mode["asked"][when] for when in WHEN},
                                 {when: mode["runtime"][when] for when in WHEN}, (vendor, mode["name"]))
                self.assertEqual(0, mode["runtime"]["left"])
            rows = {(row["side"], row["format"]): row["runtime"] for row in report["matrices"]["rows"]}
            self.assertEqual([4 << 24, 2 << 24, 2 << 24, 1 << 24],
                             [rows[4096, name] for name in ("fp32", "fp16", "bf16", "e4m3fn")])

    def test_a_forwarded_query_is_the_targets(self):
        folder = pathlib.Path(HALFMARK).parent.parent / "lib" / "halfmark" / "standin" / "cuda"
        target = {"HALFMARK_CUDA_DRIVER": str(folder), "HALFMARK_CUDA_COMPILER": str(folder)}
        for vendor in ("hip", "musa"):
            code, text, report = run("--standin", f"{vendor}:forward", **target)
            self.assertEqual(0, code, text)
            self.assertIn(f"by {STAND_INS[vendor]}\n", text)
            for mode in modes_of(report):
                self.assertEqual(mode["asked"]["peak"], mode["runtime"]["peak"], (vendor, mode["name"]))

    def test_no_figure_of_a_driver_that_lies_is_used(self):
        lies = {"fail-memory": "cuMemGetInfo_v2: 1 CUDA_ERROR_INVALID_VALUE",
                "impossible-memory": "bytes are free, which cannot be",
                "still-memory": "says the same before and after 170.2 MB were written",
                "backward-memory": "says the same before and after 170.2 MB were written"}
        for word, sentence in lies.items():
            code, text, report = run("--standin", "cuda", HALFMARK_STAND_IN_MISBEHAVE=word)
            self.assertEqual(0, code, text)
            self.assertIn(f"the runtime does not say: {modes_of(report)[0]['runtime']['doubt']}", text)
            self.assertIn(sentence, text)
            self.assertNotIn("largest batch", text)
            self.assertNotIn("\nmeasured ", text)
            for mode in modes_of(report):
                self.assertEqual(["doubt"], list(mode["runtime"]), word)
                self.assertIsNone(mode["largest_batch_by_lint"])
            for row in report["matrices"]["rows"]:
                self.assertIsNone(row["runtime"], word)

    def test_a_driver_that_lies_once_in_a_while_is_not_used_there(self):
        _, text, report = run("--standin", "cuda", HALFMARK_STAND_IN_MISBEHAVE="impossible-memory@6")
        self.assertIn("which cannot be", text)
        for mode in modes_of(report):
            self.assertEqual(["doubt"], list(mode["runtime"]))

    def test_a_device_without_room_ends_the_measurement(self):
        code, text, report = run("--standin", "cuda", HALFMARK_STAND_IN_MISBEHAVE="fail-allocation@3")
        self.assertEqual(1, code)
        self.assertIn("not measured to the end: ", text)
        self.assertIn("OUT_OF_MEMORY", text)
        self.assertNotIn("runtime", report["networks"][0]["modes"][0])

    def test_without_a_device_nothing_is_measured(self):
        code, text, report = run("--reference-only")
        self.assertEqual(0, code, text)
        self.assertNotIn("does not say", text)
        self.assertNotIn("matrices", report)
        for mode in modes_of(report):
            self.assertNotIn("runtime", mode)

    def test_options_without_meaning_are_refused(self):
        for words in (["--size", "small"], ["--mode", "fp32"], ["--steps", "3"], ["--provider", "library"],
                      ["--no-diagnosis"]):
            code, text, report = run("--device", "host", *words)
            self.assertEqual(2, code, words)
            self.assertEqual(f"halfmark: memory holds tensors and computes nothing; leave out {words[0]}\n", text)
            self.assertIsNone(report)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
