#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Failures of the machine are no verdicts: a compiler or a disk fails before or during a run.

The device is `host`, whose compiler works a number of times and then fails. The test expects one line that names the
problem and the remedy, exit code 3, no failing verdict, and a journal that --resume can continue. Damage to the kernels
that are cached between runs must change no verdict and cost no time. Libraries of devices that are not asked are not opened.
"""
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import time
import unittest

HALFMARK = str(pathlib.Path(sys.argv[1]).resolve())
PASSES = "elementary.fp32.exp.standard.libm.portable.n4096.moderate.s1"
# Two kernels; the probes before the first case have compiled one of them.
CASES = ["--device", "host", "--level", "smoke", "--filter", "arithmetic.fp32.add.portable.n4096.*",
         "--filter", "elementary.fp32.exp.*.n4096.*"]
LEAVES_NO_FILE = "exit 0"
IS_FULL = "echo 'as: cannot write: No space left on device' >&2; exit 1"


class EnvironmentFault(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="halfmark-environment-"))
        self.addCleanup(shutil.rmtree, self.folder)
        self.cache = self.folder / "cache"
        self.log = self.folder / "log"

    def compiler(self, works=1000, then=LEAVES_NO_FILE):
        """Compiles `works` kernels, then does something else."""
        script = self.folder / "compiler"
        script.write_text(f"""#!/bin/sh
case "$*" in *-shared*)
  echo run >>'{self.log}'
  if [ "$(wc -l <'{self.log}')" -gt {works} ]; then {then}; fi;;
esac
exec {os.environ.get("HALFMARK_CXX", "c++")} "$@"
""")
        script.chmod(0o700)
        return str(script)

    def compilations(self):
        return len(self.log.read_text().splitlines())

    def call(self, *words, program=HALFMARK, **environment):
        begun = time.monotonic()
        result = subprocess.run([program, *words], capture_output=True, text=True, timeout=300, check=False, cwd=self.folder,
                                env={**os.environ, "HALFMARK_CACHE_DIR": str(self.cache), **environment})
        self.seconds = time.monotonic() - begun
        return result.returncode, result.stdout, result.stderr

    def run_cases(self, *words, out="out", **environment):
        return self.call("run", *CASES, "--no-throughput", "--out", str(self.folder / out), *words, **environment)

    def verdicts(self, out="out"):
        lines = (self.folder / out / "host" / "journal.jsonl").read_text().splitlines()
        results = [line["result"] for line in map(json.loads, lines) if line["kind"] == "case"]
        return {result["name"]: result["verdict"] for result in results}

    def expect_fault(self, code, err, *words):
        self.assertEqual(3, code, err)
        lines = [line for line in err.splitlines() if line.startswith("halfmark")]
        self.assertEqual(1, len(lines), err)
        self.assertNotIn("unexpected", lines[0])
        for word in words:
            self.assertIn(word, lines[0])

    def test_in_the_middle_of_a_run(self):
        self.assertEqual(0, self.run_cases(out="whole", HALFMARK_CXX=self.compiler())[0])
        needed = self.compilations()
        whole = self.verdicts("whole")
        for then, words in ((LEAVES_NO_FILE, ["wrote no file", "install g++"]),
                            (IS_FULL, ["No space left on device", "set HALFMARK_CACHE_DIR"])):
            for path in (self.cache, self.folder / "out"):
                shutil.rmtree(path, ignore_errors=True)
            self.log.unlink()
            code, _, err = self.run_cases(HALFMARK_CXX=self.compiler(needed - 1, then))
            self.expect_fault(code, err, "device host cannot be used", *words)
            kept = self.verdicts()
            self.assertTrue(kept and len(kept) < len(whole), kept)
            self.assertLessEqual(kept.items(), whole.items())
            code, _, err = self.run_cases("--resume", HALFMARK_CXX=self.compiler())
            self.assertEqual(0, code, err)
            self.assertEqual(whole, self.verdicts())
            self.assertEqual("COMPLETE", json.loads((self.folder / "out/host/scorecard.json").read_text())["status"])

    def test_before_the_first_case(self):
        code, _, err = self.run_cases(HALFMARK_CXX=self.compiler(0))
        self.expect_fault(code, err, "device host cannot be used", "wrote no file")
        code, _, err = self.run_cases(HALFMARK_CXX="/bin/true")
        self.expect_fault(code, err, "HALFMARK_CXX='/bin/true' is no C++ compiler", "install g++")
        code, _, err = self.run_cases(HALFMARK_CACHE_DIR="/proc/absent", TMPDIR="/proc")
        self.expect_fault(code, err, "no folder for compiled kernels", "set HALFMARK_CACHE_DIR")
        code, _, err = self.run_cases(HALFMARK_HOST_THREADS="many")
        self.expect_fault(code, err, "HALFMARK_HOST_THREADS='many' is no number")

    def test_other_verbs(self):
        code, out, err = self.call("replay", PASSES, "--device", "host", HALFMARK_CXX=self.compiler(0))
        self.expect_fault(code, err, "device host cannot be used", "wrote no file")
        self.assertEqual("", out)
        bench = pathlib.Path(HALFMARK).with_name("halfmark-bench")
        if bench.exists():
            code, _, err = self.call("bench", *CASES, HALFMARK_CXX=self.compiler(0))
            self.expect_fault(code, err, "device host cannot be used", "wrote no file")
        gtest = pathlib.Path(HALFMARK).with_name("halfmark-gtest")
        if gtest.exists():
            code, _, err = self.call("--device", "host", "--suite", "elementary", "--level", "smoke",
                                     "--gtest_filter=elementary.fp32.exp.*n4096.*", program=gtest,
                                     HALFMARK_CXX=self.compiler(0))
            self.expect_fault(code, err, "device host cannot be used", "wrote no file")
        code, out, _ = self.call("devices", HALFMARK_CXX="/bin/true")
        self.assertEqual(0, code)
        self.assertRegex(out, r"(?m)^host: HALFMARK_CXX='/bin/true' is no C\+\+ compiler; install")

    def test_a_folder_named_like_an_option(self):
        code, _, err = self.run_cases(HALFMARK_CACHE_DIR="-1")
        self.assertEqual(0, code, err)
        self.assertTrue((self.folder / "-1" / "host").is_dir())

    def damage(self, how):
        first, *_, last = sorted((self.cache / "host").iterdir())
        for image in (self.cache / "host").iterdir():
            content = image.read_bytes()
            if how == "cut":
                image.write_bytes(content[:len(content) // 2])
            elif how == "altered":
                image.write_bytes(bytes(byte ^ 16 for byte in content))
            elif how == "a pipe":
                image.unlink()
                os.mkfifo(image)
            elif how == "a folder":
                image.unlink()
                image.mkdir()
        if how == "swapped":
            first.rename(self.folder / "kept")
            last.rename(first)
            (self.folder / "kept").rename(last)

    def test_libraries_of_other_devices_stay_closed(self):
        opened, source, library = (self.folder / name for name in ("opened", "library.c", "library.so"))
        source.write_text("#include <stdio.h>\n__attribute__((constructor)) static void leave_a_trace(void) {"
                          f' fclose(fopen("{opened}", "w")); }}\n')
        subprocess.run(["cc", "-shared", "-fPIC", "-o", library, source], check=True)
        code, _, _ = self.run_cases(HALFMARK_CPU_OPENBLAS=str(library))
        self.assertEqual(code, 0)
        self.assertFalse(opened.exists(), "a run of host opened a library of cpu")
        self.call("devices", HALFMARK_CPU_OPENBLAS=str(library))
        self.assertTrue(opened.exists())

    def test_kernels_that_were_damaged(self):
        compiler = self.compiler()
        self.assertEqual(0, self.run_cases(HALFMARK_CXX=compiler)[0])
        whole = self.verdicts()
        for how in ("cut", "altered", "a pipe", "a folder", "swapped"):
            with self.subTest(how):
                self.damage(how)
                before = self.compilations()
                code, _, err = self.run_cases(HALFMARK_CXX=compiler)
                self.assertEqual(0, code, err)
                self.assertEqual(whole, self.verdicts())
                self.assertGreater(self.compilations(), before)
                self.assertLess(self.seconds, 60)
        before = self.compilations()
        self.assertEqual(0, self.run_cases(HALFMARK_CXX=compiler)[0])
        self.assertEqual(before, self.compilations(), "what was made again is kept")


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1] + sys.argv[4:], verbosity=2)
