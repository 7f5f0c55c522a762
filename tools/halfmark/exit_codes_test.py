#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The exit codes of the README, row by row, each provoked through several verbs.

A refusal (2 wrong usage, 3 the environment) is one short line on stderr, of characters that a terminal may show, whatever
the command line contains. An output other than the scorecard that cannot be written affects nothing else.
"""
import itertools
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

HALFMARK = sys.argv[1]
GTEST = str(pathlib.Path(HALFMARK).parent / "halfmark-gtest")
README = pathlib.Path(__file__).resolve().parent.parent.parent / "README.md"
MODELS = pathlib.Path(__file__).resolve().parent / "lint" / "examples"
MODEL = MODELS / "perceptron.json"

CASE = "arithmetic.fp32.add.portable.n4096.bits.s1"
TIMED = "arithmetic.fp32.add.portable.n65536.uniform.s1"
ROWS = "softmax.forward.fp32.out-fp32.library.r16n65.normal.s1"
# With a wrong tanh in the library of the software device; that of the stand-in has no GELU.
ON_TWO_DEVICES = ["activation.gelu_tanh.fp16.library.n65536.all.s1", "--device", "host", "--device", "cuda", "--standin", "cuda",
                  "--fault", "A08"]
# Softmax without subtracting its maximum, on the stand-in of a vendor, whose findings have programs.
WRONG = "softmax.forward.fp16.out-fp16.library.r16n65.large.s1"
UNSHIFTED = ["--standin", "cuda", "--fault", "S01"]
# A product that is right by itself, and whose second call is not what follows from it.
RELATED = "gemm.fp16.acc-fp32.out-fp16.library.nt.m17n33k33.plain.related.s1"
MISPLACED = ["--standin", "cuda", "--fault", "G54"]
MOST_OF_LINE = 1200
FOREIGN = ["a" * 100_000, "a\nb", "a\x1b[31mb", b"a\xffb", "a\u202eb", "a\rb\tc"]
NO_NUMBERS = ["nan", "inf", "-1", "1e13", "18446744073709551616", "0x10", "1.5x", "", "one"]
NO_WHOLE_NUMBERS = [*NO_NUMBERS, "010", "1.5"]


def readme_rows():
    """Code -> what it means according to the README."""
    rows = re.findall(r"^\| (\d) \| ([^|]+) \|", README.read_text(), re.MULTILINE)
    return {int(code): meaning for code, meaning in rows}


def run(*command, **environment):
    done = subprocess.run(command, capture_output=True, timeout=300, env={**os.environ, **environment})
    return done.returncode, done.stdout.decode(errors="replace"), done.stderr.decode(errors="surrogateescape")


class ExitCodes(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = pathlib.Path(tempfile.mkdtemp(prefix="halfmark-exit-codes-"))
        cls.addClassCleanup(shutil.rmtree, cls.folder)
        cls.good, cls.bad, cls.partial, cls.other = (cls.card(name, *words) for name, words in {
            "good": ["--filter", CASE],
            "bad": ["--filter", WRONG, "--fault", "S01"],
            "partial": ["--filter", "softmax.*.library.r16n65.*", "--fault", "S01", "--max-failures", "1"],
            "other": ["--filter", CASE.replace(".s1", ".s2"), "--seed", "2"]}.items())

    @classmethod
    def card(cls, name, *words):
        run(*cls.run_words(name, *words))
        return str(next((cls.folder / name).glob("*/scorecard.json")))

    @classmethod
    def run_words(cls, name, *words):
        device = [] if "--standin" in words or "--device" in words else ["--device", "host"]
        return [HALFMARK, "run", *words, *device, "--no-throughput", "--out", str(cls.folder / name)]

    def expect(self, code, *command, **environment):
        """Expects the code, and for 2 and 3 one line on stderr. Returns that line."""
        actual, _, err = run(*command, **environment)
        shown = [str(word)[:60] for word in command]
        self.assertEqual(code, actual, (shown, err[:2000]))
        if code in (2, 3):
            lines = [line for line in err.split("\n") if not re.match(r"\d+ cases at level ", line)]
            self.assertEqual(2, len(lines), (shown, err[:2000]))
            self.assertEqual("", lines[1], shown)
            self.assertRegex(lines[0], r"^halfmark[a-z -]*: ", shown)
            self.assertTrue(lines[0].isprintable(), (shown, lines[0][:2000]))
            self.assertLess(len(lines[0]), MOST_OF_LINE, shown)
            return lines[0]
        return err

    def test_the_readme_has_the_rows_that_are_tested(self):
        self.assertEqual({0: "conforms", 1: "does not", 2: "wrong usage", 3: "the environment prevents an answer",
                          4: "the run was incomplete"}, readme_rows())
        _, text, _ = run(HALFMARK, "--help")
        for code, meaning in readme_rows().items():
            self.assertIn(f"{code} {meaning}", " ".join(text.split()))

    def test_0_conforms(self):
        self.expect(0, *self.run_words("again", "--filter", CASE))
        self.expect(0, HALFMARK, "replay", CASE, "--device", "host")
        self.expect(0, HALFMARK, "list", "--filter", CASE)
        self.expect(0, HALFMARK, "devices")
        self.expect(0, HALFMARK, "report", "markdown", self.good)
        self.expect(0, HALFMARK, "gate", "--baseline", self.good, self.good)
        self.expect(0, HALFMARK, "validate", self.good, self.bad, self.partial)
        self.expect(0, HALFMARK, "explain", f"{self.bad}#F001")
        self.expect(0, HALFMARK, "compare", self.good, self.bad)
        self.expect(0, HALFMARK, "lint", MODEL)
        self.expect(0, HALFMARK, "ref", "op", "fp16.fma", "0x3c00", "0x3c01", "0x8000")
        self.expect(0, GTEST, "--device", "host", "--level", "smoke", "--gtest_filter=arithmetic.fp32.add.portable.n4096.corners.*")

    def test_1_does_not_conform(self):
        self.expect(1, *self.run_words("fails", "--filter", ROWS, "--fault", "S14",
                                       "--filter", "softmax.backward.fp32.out-fp32.library.*"))
        self.expect(1, HALFMARK, "replay", WRONG, "--device", "host", "--fault", "S01")
        self.expect(1, HALFMARK, "replay", f"{self.bad}#F001")
        self.expect(1, HALFMARK, "replay", *ON_TWO_DEVICES)  # which outranks the 4 of the second
        self.expect(1, HALFMARK, "gate", "--baseline", self.good, self.bad)
        self.expect(1, HALFMARK, "lint", MODELS / "by_hand.json")
        self.expect(1, HALFMARK, "lint", MODELS / "by_hand.json", MODEL)
        broken = json.loads(pathlib.Path(self.good).read_text())
        broken["digest"] = "0" * 64
        (self.folder / "broken.json").write_text(json.dumps(broken))
        self.expect(1, HALFMARK, "validate", str(self.folder / "broken.json"))

    def test_2_wrong_usage(self):
        absent = str(self.folder / "absent.json")
        for words in (["run", "--level", "x"], ["run", "--filter", "x.y"], ["run", "--no-such-option"], ["replay", "x.y.s1"],
                      ["replay", f"{self.bad}#F999"], ["replay"], ["report", "pdf", self.good], ["report", "html", absent],
                      ["gate", "--baseline", self.good, absent], ["gate", "--baseline", self.good, self.other],
                      ["validate", absent], ["explain", absent], ["explain", f"{self.bad}#F999"], ["compare", self.good, absent],
                      ["lint"], ["lint", absent], ["lint", README], ["lint", MODEL, "--card", absent],
                      ["lint", MODEL, "--profile", "x"], ["lint", MODEL, "--memory", "x"], ["lint", MODEL, "--memory", "0"],
                      ["lint", MODEL, absent], ["lint", MODEL, MODEL, "--json"],
                      ["ref", "autocast", "x"], ["ref", "autocast", "--profile", "x"], ["lab"], ["lab", "x"],
                      ["lab", "mlp", "--provider", "x", "--device", "host"], ["lab", "mlp", "--reference-only", "--mode", "x"],
                      ["lab", "mlp", "--reference-only", "--size", "x"], ["lab", "mlp", "--reference-only", "--provider", "library"],
                      ["lab", "mlp", "--reference-only", "--device", "host"], ["lab", "mlp", "--reference-only", "--fault", "G01"],
                      ["lab", "mlp", "--reference-only", "--json", self.folder],
                      ["diagnose"], ["diagnose", absent], ["diagnose", README], ["diagnose", "--card", absent, self.good],
                      ["diagnose", "--profile", "x", self.good], ["ref", "formats", "x"], ["ref", "precision", "0"],
                      ["list", "--suite", "x"], ["list", "--shard", "3/2"], ["ref", "op", "fp16.x"], ["ref", "value", "x", "1"],
                      ["bench", "--level", "x"], ["bench", "--filter", CASE, "--no-such-option"], ["no-such-verb"], []):
            self.expect(2, HALFMARK, *words)
        self.expect(2, GTEST, "--level", "x")
        self.expect(2, GTEST, "--no-such-option")
        nothing = GTEST, "--device", "host", "--level", "smoke", "--gtest_filter=no.such.case.*"
        self.assertIn("no test was selected; ", self.expect(2, *nothing))
        self.expect(0, *nothing, GTEST_TOTAL_SHARDS="2", GTEST_SHARD_INDEX="0")  # a share may be empty
        self.expect(0, *nothing, "--gtest_list_tests")

    def test_a_refusal_names_the_word_and_where_to_look(self):
        for words, said, help_of in ((["rnu"], "there is no verb 'rnu'", ""), (["ref", "opp", "1"], "there is no verb 'opp'", "ref "),
                                     (["run", "--devise", "host"], "'--devise' was not expected", "run "),
                                     (["fleet", "merge", "x", "--rooster", "y"], "'--rooster' was not expected", "fleet merge "),
                                     (["fleet", "golden", "x", "--percent", "9"], "--percent requires --check", "fleet golden "),
                                     ([], "A subcommand is required", "")):
            self.assertEqual(f"halfmark: {said}; `halfmark {help_of}--help` shows what is accepted", self.expect(2, HALFMARK, *words))
        folder = pathlib.Path(self.bad).parent
        for place in self.bad, folder:
            self.assertIn(f"name one of its findings, such as {place}#F001", self.expect(2, HALFMARK, "replay", place))
        named = self.folder / "files" / CASE  # such as a folder for the tensors of a case
        named.mkdir(parents=True)
        self.assertEqual(0, subprocess.run([HALFMARK, "replay", CASE, "--device", "host"], cwd=named.parent, capture_output=True).returncode)

    def test_3_the_environment_prevents_an_answer(self):
        file = str(self.folder / "good" / "host" / "scorecard.json")
        for words in (["run", "--filter", CASE, "--device", "nowhere"], ["replay", CASE, "--device", "nowhere"],
                      ["bench", "--filter", "arithmetic.fp32.add.*", "--device", "nowhere"],
                      ["run", "--filter", CASE, "--device", "host", "--out", f"{file}/x"],
                      ["report", "html", self.good, "-o", f"{file}/x.html"],
                      ["gate", "--baseline", self.good, self.good, "--junit", f"{file}/x.xml"]):
            self.expect(3, HALFMARK, *words)
        self.expect(3, GTEST, "--device", "nowhere")
        # A passing case whose program cannot be written.
        self.expect(3, HALFMARK, "replay", CASE, "--device", "host", "--reproducer", f"{file}/x.c")

    def test_4_the_run_was_incomplete(self):
        self.expect(4, HALFMARK, "replay", ON_TWO_DEVICES[0], "--device", "cuda", "--standin", "cuda")
        self.expect(4, *self.run_words("nothing", "--standin", "musa", "--filter", WRONG))
        cut = json.loads(pathlib.Path(self.partial).read_text())
        self.assertNotEqual("COMPLETE", cut["status"])

    # --- what the command line contains

    def test_words_of_all_kinds_are_refused_in_one_line(self):
        for word in FOREIGN:
            text = word if isinstance(word, bytes) else word.encode()
            for code, words in ((2, ["replay", word]), (2, ["replay", b"arithmetic.fp32.add.portable.n1." + text + b".s1"]),
                                (2, ["run", "--filter", word]), (2, ["list", "--filter", word]), (2, ["list", "--suite", word]),
                                (2, ["run", "--level", word]), (2, ["run", "--fault", word]), (2, ["run", "--shard", word]),
                                (2, ["run", "--standin", word]), (2, ["run", "--require", word]), (2, [word]),
                                (2, ["run", b"--" + text]), (2, ["explain", text + b"#F001"]), (2, ["explain", word]),
                                (2, ["explain", self.bad.encode() + b"#" + text]), (2, ["replay", text + b"#F001"]),
                                (2, ["replay", self.bad.encode() + b"#" + text]), (2, ["validate", word]),
                                (2, ["report", word, self.good]), (2, ["gate", "--baseline", word, word]),
                                (2, ["ref", "value", "fp16", word]), (2, ["ref", "infer", "--arithmetic", word]),
                                (2, ["bench", word]), (3, ["run", "--device", word, "--filter", CASE])):
                self.expect(code, HALFMARK, *words)
            self.expect(3, GTEST, "--device", word)
            self.expect(2, GTEST, word)

    def test_a_plugin_of_any_name_costs_one_line(self):
        for word in FOREIGN:
            code, _, err = run(*self.run_words("plugin", "--filter", CASE, "--device", "host", "--plugin", word))
            lines = err.splitlines()
            self.assertEqual(2 if isinstance(word, bytes) else 3, code, err[:2000])
            self.assertLessEqual(max(map(len, lines)), MOST_OF_LINE)
            self.assertTrue(all(line.isprintable() for line in lines), err[:2000])

    def test_numbers_are_what_they_seem_or_refused(self):
        whole = [["run", "--max-failures"], ["ref", "selftest", "--threads"], ["ref", "infer", "--k"],
                 ["ref", "infer", "--limit"], ["ref", "gemm", "--threads"], ["ref", "selftest", "--seed"],
                 ["ref", "infer", "--seed"], ["ref", "op", "fp16.add", "--random-bits"],
                 ["lab", "mlp", "--reference-only", "--steps"], *[[verb, "--seed"] for verb in ("run", "list", "bench", "lab")]]
        timed = [[verb, "--timeout"] for verb in ("run", "replay", "bench", "devices")] + [["ref", "selftest", "--seconds"]]
        for words, number in [*itertools.product(whole, NO_WHOLE_NUMBERS), *itertools.product(timed, NO_NUMBERS)]:
            self.assertRegex(self.expect(2, HALFMARK, *words, number), r"is not a (whole )?number from [\d.]+ to \d+; ")
        for number in NO_NUMBERS:
            self.assertIn("is not a number from 0.001 to", self.expect(2, GTEST, "--halfmark-timeout", number))
            self.assertIn("1 <= I <= N <= 4294967295", self.expect(2, HALFMARK, "list", "--shard", f"1/{number}"))
            self.assertIn("from 2 to 2^32 - 1",
                          self.expect(2, HALFMARK, "run", "--filter", CASE, "--fault", f"S07:width={number}"))
        for number in NO_WHOLE_NUMBERS:
            self.assertIn("is not a whole number from 0 to", self.expect(2, GTEST, "--seed", number))
            if "." not in number:
                self.assertIn("a seed from 0 to 18446744073709551615", self.expect(2, HALFMARK, "replay", CASE[:-1] + number))

    def test_a_case_that_no_memory_holds_is_wrong_usage(self):
        for case, limit in {"arithmetic.fp32.add.portable.n999999999999.bits.s1": "268435456",
                            "arithmetic.fp32.add.portable.n0.bits.s1": "268435456",
                            "gemm.fp32.acc-fp32.out-fp32.library.nn.m2000000n1000k2000000.plain.integer.s1": "",
                            "convert.fp32.fp16.portable.n999999999999.bits.s1": "",
                            "softmax.forward.fp32.out-fp32.portable.r999999999n99999999.normal.s1": "2^28"}.items():
            self.assertIn(limit, self.expect(2, HALFMARK, "replay", case, "--device", "host"))

    # --- what cannot be written

    def incomplete_outputs(self, name, spoil, case=WRONG, fault=UNSHIFTED):
        """Code, stderr and folder of a run that fails by its verdict and writes into a folder that `spoil` prepares."""
        place = self.folder / name / "cuda-0"
        place.mkdir(parents=True)
        spoil(place)
        code, out, err = run(*self.run_words(name, "--filter", case, *fault))
        self.assertIn("F001", out)
        return code, err.splitlines()[2:], place

    def test_a_related_call_that_fails_has_a_program(self):
        code, err, place = self.incomplete_outputs("whole", lambda place: None, RELATED, MISPLACED)
        self.assertEqual((1, []), (code, err))
        text = (place / "reproducers" / "F001.c").read_text()
        self.assertIn("a_related[", text)
        self.assertNotIn("a[", text)
        self.assertFalse((place / "reproducers" / "none.txt").exists())
        file = self.folder / "program.c"
        self.assertEqual(1, run(HALFMARK, "replay", RELATED, *MISPLACED, "--reproducer", str(file))[0])
        self.assertEqual(text, file.read_text())

    def test_a_suite_gets_no_name_that_does_not_compile(self):
        folder = self.folder / "suites"
        for name, works in {"class": False, "std": False, "gelu2": True}.items():
            code, _, err = run(str(README.parent / "tools" / "new_suite"), name, "--into", str(folder / name))
            self.assertEqual((works, works), (code == 0, (folder / name).exists()), err)

    def test_a_file_that_cannot_be_written_costs_itself(self):
        for name, missing in (("report", "report.html"), ("program", "reproducers/F001.c")):
            code, err, place = self.incomplete_outputs(name, lambda place: (place / missing).mkdir(parents=True))
            self.assertEqual(1, code)
            self.assertEqual(1, len(err), err)
            self.assertRegex(err[0], r"^halfmark: .* was not written: .*; `halfmark ")
            written = {str(file.relative_to(place)) for file in place.rglob("*") if file.is_file()}
            self.assertLessEqual({"journal.jsonl", "scorecard.json"}, written)
            self.assertNotIn(missing, written)
            if name == "program":
                self.assertIn("report.html", written)
                self.assertRegex((place / "reproducers" / "none.txt").read_text(), f"^F001 {WRONG}: cannot replace ")
            else:
                self.assertIn("reproducers/F001.c", written)

    def test_a_report_that_was_not_written_is_not_named(self):
        place = self.folder / "unnamed" / "host"
        place.mkdir(parents=True)
        (place / "report.html").symlink_to("/dev/full")
        code, out, err = run(*self.run_words("unnamed", "--filter", CASE))
        self.assertEqual(0, code, err)
        self.assertRegex(out, r"(?m)^scorecard .*/unnamed/host/scorecard\.json$")
        self.assertNotRegex(out, r"(?m)^report +/")

    def test_a_folder_that_cannot_be_used_costs_one_device(self):
        out = self.folder / "one"
        out.mkdir()
        (out / "host").write_text("a file where the folder belongs")
        code, _, err = run(*self.run_words("one", "--filter", WRONG, *UNSHIFTED, "--device", "host", "--device", "cuda"))
        self.assertEqual(1, code, err)
        self.assertRegex(err, r"(?m)^halfmark: cannot create the folder .*/one/host: ")
        self.assertTrue((out / "cuda-0" / "scorecard.json").is_file())

    def test_without_a_scorecard_only_a_failure_is_an_answer(self):
        code, err, place = self.incomplete_outputs("card", lambda place: (place / "scorecard.json").mkdir())
        self.assertEqual(1, code)
        self.assertIn("journal.jsonl has the verdicts", err[0])
        self.assertTrue((place / "report.html").is_file())
        (self.folder / "kept" / "host" / "scorecard.json").mkdir(parents=True)
        self.expect(3, *self.run_words("kept", "--filter", CASE))


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1] + sys.argv[4:])
