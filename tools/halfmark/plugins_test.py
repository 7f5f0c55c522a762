#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Plug-ins, from the points of view of a vendor and of a user.

Vendor: installs the plug-in package into a fresh prefix, builds the example with its own project against it, and runs real
cases through it. User: plug-ins that are broken in any way cost one line each and nothing else. Also asserts that no verb
loads a plug-in into the process that the user started.
"""
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

HALFMARK, BUILD, CMAKE = sys.argv[1:4]
FIXTURES = pathlib.Path(BUILD) / "tests" / "plugins"
HANGS = "fixture_hang"

# Fixture -> the expected message; only those that no process survives or that need several processes are not
# in plugin_test.cpp.
REFUSED = {
    "fixture_crash": r"plug-in .*fixture_crash.so refused: its process died: signal 6 \(Aborted\)",
    "fixture_answers": r"plug-in .*fixture_answers.so refused: its process died: it answered another request",
    "fixture_exit": r"plug-in .*fixture_exit.so refused: its process died: exit status 0",
    HANGS: r"plug-in .*fixture_hang.so refused: no answer in 8 s",
    "fixture_old": r"plug-in .*fixture_old.so refused: speaks version 0 .* this program speaks 1",
    "fixture_new": r"plug-in .*fixture_new.so refused: speaks version 2 .* this program speaks 1",
    "fixture_clash": r"plug-in .*fixture_clash.so refused: there is a backend named 'host' already",
    "fixture_twin": r"plug-in .*fixture_twin.so refused: there is a backend named 'fixture' already",
    "fixture_throw": r"throwing \(plug-in .*fixture_throw.so\): .*thrown by the fixture",
    "fixture_growing": r"growing \(plug-in .*fixture_growing.so\): device_count: changed from 1 to 2",
    "fixture_memory": r"memory \(plug-in .*fixture_memory.so\): device 0 left out: .*'memory_bytes'",
    "fixture_utf8": r"utf8 \(plug-in .*fixture_utf8.so\): device 0 left out: .*byte 9 is 0xff",
}
ONE_CASE = ["--filter", "arithmetic.fp32.add.portable.n4096.corners.*", "--level", "smoke"]


def run(*arguments, **environment):
    """(process number, exit code, stdout, stderr) of the program."""
    process = subprocess.Popen([HALFMARK, *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                               env={**os.environ, **environment})
    out, err = process.communicate(timeout=600)
    return process.pid, process.returncode, out, err


def fixture(name):
    return str(FIXTURES / f"{name}.so")


class Scratch(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="halfmark-plugins-"))
        self.addCleanup(shutil.rmtree, self.folder)


def call(*command, expected=0):
    result = subprocess.run(command, capture_output=True, text=True)
    assert result.returncode == expected, result.stdout + result.stderr
    return result.stdout + result.stderr


def install(folder):
    prefix = folder / "prefix"
    call(CMAKE, "--install", BUILD, "--component", "plugin", "--prefix", str(prefix))
    return prefix


def build_example(folder, edit=lambda folder: None, prefix=None):
    """The example, built in `folder` by its own project against the package in `prefix`, by default a fresh one."""
    prefix, source = prefix or install(folder), folder / "mine"
    shutil.copytree(prefix / "share" / "doc" / "halfmark-plugin" / "example", source)
    edit(source)
    call(CMAKE, "-S", str(source), "-B", str(source / "build"), f"-DCMAKE_PREFIX_PATH={prefix}", "-DCMAKE_C_FLAGS=-Werror")
    call(CMAKE, "--build", str(source / "build"))
    return str(source / "build" / "example.so")


class Vendor(Scratch):

    def run_example(self, plugin, *arguments):
        out = self.folder / "out"
        _, code, text, err = run("run", "--plugin", plugin, "--device", "example", "--level", "smoke", "--out", str(out),
                                 "--no-throughput", *arguments)
        return code, json.loads((out / "example-0" / "scorecard.json").read_text()), text + err

    def test_the_package_holds_what_an_author_needs(self):
        prefix = install(self.folder)
        for file in ["include/halfmark/backend_abi.h", "share/doc/halfmark-plugin/README.md",
                     "share/doc/halfmark-plugin/dialect.md", "share/doc/halfmark-plugin/operators.md",
                     "share/doc/halfmark-plugin/example/device.c"]:
            self.assertTrue((prefix / file).is_file(), file)
        for file in prefix.rglob("*.cmake"):
            self.assertNotIn(str(prefix), file.read_text(), "the package must be relocatable")

    def test_a_package_of_another_version_is_not_taken(self):
        prefix = install(self.folder)
        for wanted, works in [("1.0", True), ("1", True), ("2.0", False), ("0.9", False), ("1.1", True), ("1.2", True), ("1.99", False)]:
            project = self.folder / f"wants-{wanted}"
            project.mkdir()
            (project / "CMakeLists.txt").write_text(
                f"cmake_minimum_required(VERSION 3.16)\nproject(p LANGUAGES NONE)\n"
                f"find_package(HalfmarkPlugin {wanted} QUIET)\n"
                f"if(NOT HalfmarkPlugin_FOUND)\n  message(FATAL_ERROR \"not taken\")\nendif()\n")
            text = call(CMAKE, "-S", str(project), "-B", str(project / "b"), f"-DCMAKE_PREFIX_PATH={prefix}",
                        expected=0 if works else 1)
            self.assertEqual(works, "not taken" not in text)

    def counts(self, card, verdict):
        """Suite -> the numbers of passing cases and of cases with this verdict; asserts that there are no others."""
        counts = {suite["name"]: (suite["verdicts"]["pass"], suite["verdicts"][verdict]) for suite in card["suites"]}
        self.assertEqual([suite["cases"] for suite in card["suites"]], [sum(pair) for pair in counts.values()])
        return counts

    def test_the_example_conforms(self):
        plugin = build_example(self.folder)
        code, card, text = self.run_example(plugin, "--suite", "arithmetic", "--suite", "softmax")
        self.assertEqual(0, code, text)
        self.assertEqual([], card["findings"])
        self.assertEqual(plugin, card["environment"]["device"]["plugin"])
        # Cases that need fp16 arithmetic are not supported; all others pass.
        self.assertEqual({"arithmetic": (128, 70), "softmax": (82, 0)}, self.counts(card, "not-supported"))
        _, code, out, err = run("replay", "softmax.forward.fp16.out-fp16.portable.r16n63.mask.s1", "--device", "example:0",
                                HALFMARK_PLUGIN_PATH=str(pathlib.Path(plugin).parent))
        self.assertEqual(0, code, err)
        self.assertRegex(out, r"on example:0 \(Example.*: pass")

    def outcomes(self, case, edit):
        """The exit codes of the reproducer of `case`, which fails on the edited example, there and on the original example."""
        prefix = install(self.folder)
        wrong = build_example(self.folder / "wrong", edit, prefix)
        source, program = self.folder / "reproducer.c", self.folder / "reproducer"
        _, code, out, err = run("replay", case, "--device", "example", "--plugin", wrong, "--reproducer", str(source))
        self.assertEqual(1, code, out + err)
        self.assertLessEqual(len(source.read_text().splitlines()), 40)
        call("cc", "-Wall", "-Wextra", "-Werror", "-I", str(prefix / "include"), str(source), "-ldl", "-o", str(program))
        right = build_example(self.folder / "right", lambda folder: edit(folder, mistake=False), prefix)
        return [subprocess.run([program, plugin]).returncode for plugin in (wrong, right)]

    def test_a_kernel_that_fails_is_a_program_that_needs_the_header_alone(self):
        def unfuse(folder, mistake=True):
            file = folder / "dialect.h"
            text = file.read_text()
            self.assertEqual(1, text.count("__builtin_fmaf(a, b, c)"))
            if mistake:
                file.write_text(text.replace("__builtin_fmaf(a, b, c)", "((a) * (b) + (c))"))
        self.assertEqual([1, 0], self.outcomes("arithmetic.fp32.fma.portable.n4096.bits.s1", unfuse))

    def test_a_library_written_from_the_kit_alone_has_no_finding(self):
        code, card, text = self.run_example(build_example(self.folder), "--filter", "*.library.*")
        self.assertEqual(0, code, text)
        self.assertEqual([], card["findings"])
        self.assertEqual([0], list({refused for _, refused in self.counts(card, "not-supported").values()}), text)

    def change(self, file, old, new):
        text = file.read_text()
        self.assertEqual(1, text.count(old), old)
        file.write_text(text.replace(old, new))

    def test_a_refusal_names_the_string_that_was_looked_for(self):
        def misspell(folder):
            self.change(folder / "elements.c", '{"relu_backward"', '{"relu-backward"')
            self.change(folder / "rows.c", '"masked_row=zero"', '"masked-row=zero"')
        plugin = build_example(self.folder, misspell)
        for case, reason in {
                "activation.relu-backward.fp16.library.n65536.all.s1":
                    r"no library of the device offers the operator 'relu_backward': example \(built in",
                "softmax.forward.fp16.out-fp16.library.r16n100.zeroed.s1":
                    r"'softmax' has no option 'masked_row=zero'"}.items():
            _, code, out, err = run("replay", case, "--device", "example", "--plugin", plugin)
            self.assertRegex(out, r"not.supported", out + err)
            self.assertRegex(" ".join(out.split()), reason)

    def test_a_library_that_fails_is_a_program_that_makes_its_call(self):
        def lose_the_end_of_sums(folder, mistake=True):
            if mistake:
                self.change(folder / "products.c", "x < a->width", "x < a->width - 1")
        self.assertEqual([1, 0], self.outcomes("gemm.fp32.acc-fp32.out-fp32.library.nt.m33n17k40.plain.integer.s1",
                                               lose_the_end_of_sums))

    def test_a_vendors_own_information_is_not_taken_for_halfmarks(self):
        def lie(folder):
            self.change(folder / "dialect.h", "__builtin_fmaf(a, b, c)", "((a) * (b) + (c))")
            self.change(folder / "device.c", '\\"kind\\": \\"cpu\\"', '\\"kind\\": \\"stand-in\\"')
            self.change(folder / "device.c", '\\"extra\\": {', '\\"extra\\": {' + "".join(
                f'\\"{key}\\": {value}, ' for key, value in extra.items()))
        for extra in ({"fault": 7, "compiler": 7, "compiler_flags": "[]", "queued_calls": '\\"yes\\"'},
                      {"fault": '\\"none\\"', "compiler": '\\"cc\\"', "compiler_flags": '\\"-O2\\"', "queued_calls": "null"}):
            folder = self.folder / str(extra["fault"]).strip('\\"')
            plugin = build_example(folder, lie)
            code, card, text = self.run_example(plugin, "--filter", "arithmetic.fp32.fma.portable.n4096.bits.*")
            self.assertEqual(1, code, text)
            self.assertNotIn("fault is planted", text)
            replay = card["findings"][0]["replay"]
            self.assertRegex(replay, rf"^halfmark replay \S+ --device example:0 --plugin {plugin}$")
            self.assertEqual(1, run(*replay.split()[1:])[1])
            self.assertEqual(1, run("replay", str(self.folder / "out" / "example-0" / "scorecard.json#F001"))[1])
            self.assertTrue((self.folder / "out" / "example-0" / "reproducers" / "F001.c").is_file(), text)

    def test_a_failure_of_the_machine_is_no_verdict_about_the_example(self):
        out = self.folder / "out"
        _, code, text, err = run("run", "--plugin", build_example(self.folder), "--device", "example", *ONE_CASE,
                                 "--no-throughput", "--out", str(out), TMPDIR="/proc")
        self.assertEqual(3, code, text + err)
        self.assertRegex(err, r"(?m)^halfmark: device example:0 cannot be used: /proc: no folder can be made there; set TMPDIR")

    def test_a_capability_that_is_claimed_and_absent_is_a_failure(self):
        def claim_fp16(folder):
            file = folder / "device.c"
            text = file.read_text()
            claim = '{\\"capability\\": \\"fp16.arithmetic\\", \\"offered\\": false'
            self.assertEqual(1, text.count(claim))
            file.write_text(text.replace(claim, claim.replace("false", "true")))
        plugin = build_example(self.folder, claim_fp16)
        code, card, text = self.run_example(plugin, "--suite", "arithmetic")
        self.assertEqual(1, code, text)
        [suite] = card["suites"]  # 13 ask for correctly rounded quotients and roots, which nobody claims
        verdicts = suite["verdicts"]
        self.assertEqual((128, 57, 13), (verdicts["pass"], verdicts["error"], verdicts["not-supported"]))
        self.assertRegex(text, r"the program has no kernel 'fp16_")


class User(Scratch):
    def test_broken_plugins_cost_one_line_each(self):
        _, code, out, err = run("devices", "--timeout", "5", HALFMARK_PLUGIN_PATH=str(FIXTURES))
        self.assertEqual((0, ""), (code, err))
        for name, said in REFUSED.items():
            self.assertRegex(out, rf"(?m)^{said}")
            lines = [line for line in out.splitlines() if f"{name}.so" in line]
            self.assertEqual(1, len(lines), lines)
        self.assertRegex(out, r"(?m)^host: ok$")
        self.assertRegex(out, r"(?m)^fixture \(plug-in .*/fixture.so\): ok$")
        self.assertRegex(out, r"(?m)^  memory:1 ")

    def test_a_name_that_is_no_text_costs_one_line(self):
        folder = tempfile.TemporaryDirectory(prefix="halfmark-plugins-")
        self.addCleanup(folder.cleanup)
        shutil.copy(os.fsencode(fixture("fixture")), os.path.join(os.fsencode(folder.name), b"x\xff.so"))
        for words in (["devices"], ["devices", "--json"]):
            _, code, out, err = run(*words, HALFMARK_PLUGIN_PATH=folder.name)
            self.assertEqual((0, ""), (code, err))
            self.assertIn(r"x\xff.so refused: its name is not UTF-8" if len(words) == 1 else "its name is not UTF-8", out)

    def test_json_is_valid_whatever_plugins_say(self):
        quick = ":".join(fixture(name) for name in REFUSED if name != HANGS)
        _, code, out, _ = run("devices", "--json", HALFMARK_PLUGIN_PATH=quick)
        self.assertEqual(0, code)
        rows = [row for row in json.loads(out)["backends"] if "plugin" in row]
        self.assertEqual(len(REFUSED) - 1, len(rows))

    def test_a_run_names_them_and_tests_the_rest(self):
        for name in REFUSED:
            if name == HANGS:
                continue
            arguments = ["run", "--device", "host", *ONE_CASE, "--no-throughput", "--out", str(self.folder / name)]
            clash = {"HALFMARK_PLUGIN_PATH": fixture("fixture")} if name != "fixture_twin" else {}
            first = ["--plugin", fixture("fixture")] if name == "fixture_twin" else []
            _, code, out, err = run(*arguments, *first, "--plugin", fixture(name), **clash)
            self.assertEqual(3, code, f"{name}: a plug-in that was asked for cannot be used\n{err}")
            self.assertEqual(1, sum(f"{name}.so" in line for line in err.splitlines()), err)
            self.assertIn("halfmark: ", err)
            self.assertIn("Conforms", out)
            _, code, out, err = run(*arguments, HALFMARK_PLUGIN_PATH=f"{fixture('fixture')}:{fixture(name)}")
            self.assertEqual(0, code, f"{name}: nobody asked for it\n{err}")
            self.assertEqual(1, sum(f"{name}.so" in line for line in err.splitlines()), err)

    def test_a_device_that_cannot_be_opened_costs_only_itself(self):
        _, code, out, err = run("run", "--plugin", fixture("fixture"), "--device", "fixture:1", "--device", "host", *ONE_CASE,
                                "--no-throughput", "--out", str(self.folder))
        self.assertEqual(3, code, err)
        self.assertRegex(err, r"(?m)^halfmark: device fixture:1 cannot be opened: .*the second device is gone")
        self.assertIn("Conforms", out)

    def test_no_verb_loads_a_plugin_into_the_process_that_was_started(self):
        trace = self.folder / "trace"
        plugin = ["--plugin", fixture("fixture")]
        verbs = {
            "devices": plugin,
            "run": [*plugin, "--device", "fixture:0", *ONE_CASE, "--out", str(self.folder / "out")],
            "replay": ["arithmetic.fp32.add.portable.n4096.corners.s1", *plugin, "--device", "fixture:0"],
            "bench": [*plugin, "--device", "fixture:0", "--filter", "arithmetic.fp32.add.portable.n262144.near.*"],
        }
        for verb, arguments in verbs.items():
            trace.unlink(missing_ok=True)
            pid, _, _, _ = run(verb, *arguments, HM_FIXTURE_TRACE=str(trace))
            loaded = [line.split(" ", 1) for line in trace.read_text().splitlines()]
            self.assertGreater(len(loaded), 0, verb)
            self.assertNotIn(str(pid), [number for number, _ in loaded], verb)
            for _, command in loaded:
                self.assertIn("--halfmark-worker", command, verb)

    def test_a_worker_loads_only_what_its_device_needs(self):
        trace = self.folder / "trace"
        run("run", "--device", "host", *ONE_CASE, "--no-throughput", "--out", str(self.folder / "out"),
            "--plugin", fixture("fixture"), HM_FIXTURE_TRACE=str(trace))
        self.assertEqual(1, len(trace.read_text().splitlines()), "the process that listed its devices, and no other")

    def test_a_driver_that_dies_when_opened(self):
        plugin = ["--plugin", fixture("fixture_open"), "--device", "dying:0"]
        for verb in (["bench", "--filter", "arithmetic.fp32.add.portable.n262144.near.*"],
                     ["run", *ONE_CASE, "--out", str(self.folder)]):
            _, code, _, err = run(*verb, *plugin)
            self.assertEqual(3, code, err)
            self.assertRegex(err, r"(?m)^halfmark: device dying:0 cannot be opened: the worker died: signal 6")


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1] + sys.argv[4:], verbosity=2)
