#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The relocatable archive, as users find it on another machine.

The build's own CPack makes it, and the test unpacks it under a path with a space. The requirements of its files are read
from the files themselves, since the test machine has everything: libraries from a closed list, no symbol version newer
than the oldest supported glibc, no path of the machine that built it.
"""
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
import unittest

from plugins_test import BUILD, CMAKE, build_example

# Every distribution has these, the last one next to glibc.
LIBRARIES = {"ld-linux-x86-64.so.2", "libc.so.6", "libm.so.6", "libgcc_s.so.1"}
# RHEL 9: glibc 2.34 and the libgcc of GCC 11.
NEWEST = {"GLIBC": (2, 34), "GCC": (7, 0, 0)}
ONE_CASE = ["--filter", "arithmetic.fp32.add.portable.n4096.corners.*", "--level", "smoke", "--no-throughput"]
SCRATCH = ROOT = None


def setUpModule():
    global SCRATCH, ROOT
    SCRATCH = pathlib.Path(tempfile.mkdtemp(prefix="halfmark-archive-"))
    cpack = pathlib.Path(CMAKE).with_name("cpack")
    subprocess.run([cpack, "--config", f"{BUILD}/CPackConfig.cmake", "-B", str(SCRATCH)], check=True, capture_output=True)
    archive, = SCRATCH.glob("halfmark-*-linux-*.tar.gz")
    with tarfile.open(archive) as packed:
        packed.extractall(SCRATCH / "any where")
    ROOT, = (SCRATCH / "any where").iterdir()
    assert f"{ROOT.name}.tar.gz" == archive.name


def tearDownModule():
    shutil.rmtree(SCRATCH)


def readelf(*arguments):
    return subprocess.run(["readelf", "-W", *arguments], check=True, capture_output=True, text=True).stdout


def programs_and_libraries():
    def is_elf(file):
        with file.open("rb") as opened:
            return opened.read(4) == b"\x7fELF"
    return [file for file in sorted(ROOT.rglob("*")) if file.is_file() and is_elf(file)]


def halfmark(*arguments, **environment):
    result = subprocess.run([ROOT / "bin" / "halfmark", *arguments], capture_output=True, text=True, timeout=120,
                            env={**os.environ, **environment})
    return result.returncode, result.stdout, result.stderr


class Files(unittest.TestCase):
    def test_ask_for_nothing_but_glibc(self):
        files = programs_and_libraries()
        stand_ins = {file.parent.name for file in files if file.parent.parent.name == "standin"}
        self.assertIn(ROOT / "bin" / "halfmark", files)
        self.assertEqual({folder.name for folder in (ROOT / "lib/halfmark/standin").iterdir()}, stand_ins)
        for file in files:
            with self.subTest(file=str(file.relative_to(ROOT))):
                dynamic = readelf("--dynamic", str(file))
                self.assertLessEqual(set(re.findall(r"\(NEEDED\).*\[(.*)\]", dynamic)), LIBRARIES)
                self.assertNotRegex(dynamic, r"\((RPATH|RUNPATH)\)")

    def test_ask_for_no_newer_glibc_than_is_promised(self):
        for file in programs_and_libraries():
            needs = readelf("--version-info", str(file)).partition("Version needs section")[2]
            versions = re.findall(r"Name: ([A-Z]+)_([0-9.]+) ", needs)
            self.assertGreater(len(versions), 0, file)
            for kind, version in versions:
                with self.subTest(file=str(file.relative_to(ROOT)), version=f"{kind}_{version}"):
                    self.assertLessEqual(tuple(map(int, version.split("."))), NEWEST.get(kind, ()))

    def test_licences_are_there(self):
        own = pathlib.Path(__file__).resolve().parents[2] / "LICENSE"
        self.assertEqual(own.read_bytes(), (ROOT / "LICENSE").read_bytes())
        licences = {file.name for file in (ROOT / "share/doc/halfmark/licenses").iterdir() if file.stat().st_size > 0}
        self.assertLessEqual({"libfmt-dev", "libsodium-dev", "libstdc++6", "libzydis-dev"}, licences)


class Use(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(dir=SCRATCH))

    def test_host_says_that_it_needs_a_compiler(self):
        code, out, err = halfmark("devices", PATH="/nonexistent")
        self.assertEqual((0, ""), (code, err))
        self.assertRegex(out, r"(?m)^host: .*no C\+\+ compiler found; install g\+\+ or clang\+\+, or set HALFMARK_CXX")
        code, _, err = halfmark("run", "--device", "host", *ONE_CASE, "--out", str(self.folder), PATH="/nonexistent")
        self.assertEqual(3, code)
        self.assertRegex(err, r"no C\+\+ compiler found; install")

    def test_the_reference_needs_no_compiler(self):
        result = subprocess.run([ROOT / "bin" / "halfmark", "ref", "op", "fp16.fma"], input="3c00 3c01 8000\n",
                                capture_output=True, text=True, env={"PATH": "/nonexistent"})
        self.assertEqual("3c01 0\n", result.stdout, result.stderr)

    def test_every_stand_in_works(self):
        for folder in sorted((ROOT / "lib/halfmark/standin").iterdir()):
            with self.subTest(stand_in=folder.name):
                out = self.folder / folder.name
                code, text, err = halfmark("run", "--standin", folder.name, *ONE_CASE, "--out", str(out))
                self.assertEqual(0, code, err)
                self.assertIn("1 of 1 have a result", text)
                self.assertTrue((out / f"{folder.name}-0" / "scorecard.json").is_file())

    def test_instructions_are_counted_by_its_own_decoder(self):
        case = "arithmetic.fp32.add.portable.n262144.near.*"
        code, _, err = halfmark("run", "--device", "host", "--level", "smoke", "--filter", case, "--out", str(self.folder),
                                LD_DEBUG="files", LD_DEBUG_OUTPUT=str(self.folder / "loader"))
        self.assertEqual(0, code, err)
        scorecard = json.loads((self.folder / "host" / "scorecard.json").read_text())
        self.assertEqual([1], [row["conditions"]["instructions"]["fp32"] for row in scorecard["throughput"]])
        opened = {name for log in self.folder.glob("loader.*") for name in re.findall(r"calling init: (.*libZydis.*)", log.read_text())}
        decoder, = (ROOT / "lib/halfmark").glob("libZydis.so.*")
        self.assertEqual({decoder}, {pathlib.Path(name).resolve() for name in opened})

    def test_bench_says_where_it_comes_from(self):
        code, _, err = halfmark("bench", "--device", "host")
        self.assertEqual(3, code)
        self.assertRegex(err, r"^halfmark: '.*/bin/halfmark-bench' cannot be started: .*\n$")

    def test_the_script_for_gpu_machines_finds_the_program(self):
        script = ROOT / "bin" / "halfmark-gpu-check"
        environment = {name: value for name, value in os.environ.items() if name != "HALFMARK"}
        subprocess.run([script, str(self.folder), "--standin", "--seconds", "1"], capture_output=True, env=environment,
                       timeout=60)
        version = halfmark("--version")[1]
        self.assertIn(version, (self.folder / "machine.log").read_text())

    def test_a_plugin_is_built_against_it(self):
        plugin = build_example(self.folder, prefix=ROOT)
        code, out, err = halfmark("devices", "--plugin", plugin)
        self.assertEqual(0, code, err)
        self.assertRegex(out, r"(?m)^  example:0 ")


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1] + sys.argv[4:], verbosity=2)
