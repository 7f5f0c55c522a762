#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Golden stores and the self-test as a user meets them: the same card with and without a store, stores that are wrong or
damaged, and a pipeline that does not notice faults."""
import hashlib
import json
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

HALFMARK = sys.argv[1]
SOFTMAX = ["--filter", "softmax.*.portable.*"]
CASES = ["--filter", "gemm.fp16.*.portable.*", "--filter", "arithmetic.fp32.*.n4096.*", *SOFTMAX]
LIBRARY = ["--filter", "gemm.fp16.*.library.*n1*", "--filter", "softmax.forward.fp16.*.library.r16n6?.*"]
ONE = "arithmetic.fp32.add.portable.n4096.bits.s1"
FAULT = ["--fault", "G10"]  # products rounded toward zero: it breaks library cases, which no store decides
SMALL_WRITES_ARE_LOST = ["--fault", "T02:granule=2"]


def halfmark(*words):
    done = subprocess.run([HALFMARK, *map(str, words)], capture_output=True, text=True, timeout=300)
    return done.returncode, done.stdout, done.stderr


def sealed(lines):
    """A store with a last line that fits."""
    body = "".join(line + "\n" for line in lines)
    return f"{body}sha256 {hashlib.sha256(body.encode()).hexdigest()}\n"


class Golden(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = pathlib.Path(tempfile.mkdtemp(prefix="halfmark-golden-"))
        cls.addClassCleanup(shutil.rmtree, cls.folder)
        cls.store = cls.folder / "store"
        code, cls.said, errors = halfmark("fleet", "golden", cls.store)
        assert code == 0, errors
        cls.lines = cls.store.read_text().splitlines()[:-1]

    def write(self, name, text):
        file = self.folder / name
        file.write_text(text)
        return file

    def forged(self, name, case=ONE):
        """A store with another digest for one case."""
        lines = [line[:-1] + ("0" if line[-1] != "0" else "1") if line.startswith(case + " ") else line for line in self.lines]
        self.assertNotEqual(lines, self.lines)
        return self.write(name, sealed(lines))

    def card(self, name, *words):
        out = self.folder / name
        code, _, errors = halfmark("run", "--device", "host", "--level", "smoke", "--no-throughput", "--out", out, *words)
        return code, json.loads((out / "host" / "scorecard.json").read_text()), errors

    def node(self, folder, node, *words):
        return halfmark("fleet", "run", folder, "--run", "r", "--node", node, "--device", "host", "--tier", "epilog", *words)

    def report(self, folder, *words):
        file = self.folder / "report.json"
        halfmark("fleet", "merge", folder, "--json", file, *words)
        return json.loads(file.read_text())

    def assert_refused(self, expected, *words):
        code, out, errors = halfmark(*words)
        self.assertEqual((expected, ""), (code, out), errors)
        self.assertRegex(errors, r"\Ahalfmark: [^\n]+\n\Z")
        return errors

    def test_a_card_says_the_same_with_a_store(self):
        for name, fault in ("right", []), ("wrong", FAULT):
            code, usual, _ = self.card(name, *CASES, *LIBRARY, *fault)
            code_by_store, by_store, _ = self.card(name + "-by-store", *CASES, *LIBRARY, *fault, "--golden", self.store)
            self.assertEqual(({"right": 0, "wrong": 1}[name],) * 2, (code, code_by_store))
            self.assertRegex(self.said, by_store["suite"].pop("golden"))
            counts = by_store["environment"]["golden"]
            self.assertGreater(counts["matched"], 100)
            self.assertEqual(0, counts["refuted"])
            self.assertNotIn("golden", usual["environment"])
            for member in "cases", "findings", "suites", "marks", "status", "accuracy", "arithmetic", "suite":
                a, b = usual[member], by_store[member]
                self.assertEqual(*(json.dumps(x).replace('"process": 2', '"process": 1') for x in (a, b)), member)

    def test_the_reference_confirms_a_store(self):
        code, out, _ = halfmark("fleet", "golden", self.store, "--check", "--percent", "5")
        self.assertEqual(0, code, out)
        code, out, _ = halfmark("fleet", "golden", self.forged("to check"), "--check")
        self.assertEqual(1, code)
        self.assertIn(f"wrong: {ONE}\n", out)

    def test_a_store_in_error_accuses_nobody_and_is_said(self):
        store = self.forged("forged")
        code, card, _ = self.card("by-forged", "--filter", "arithmetic.fp32.*.n4096.*", "--golden", store)
        self.assertEqual((4, "PARTIAL", []), (code, card["status"], card["findings"]))
        self.assertEqual(f"the golden store is in error: the reference has other digests for 1 case, first {ONE}; "
                         "run again without --golden", card["incomplete_reasons"][-1])
        fleet = self.folder / "by a forged store"
        self.node(fleet, "n1", *CASES, "--golden", store)
        # A node that was not asked the case with the wrong digest.
        self.node(fleet, "n2", *SOFTMAX, "--golden", store)
        report = self.report(fleet)
        self.assertEqual([("n1", "error", "suite")],
                         [(row["node"], row["verdict"], row["scope"]) for row in report["deviating"]])
        self.assertEqual([], report["drain"]["nodes"])
        self.assertEqual((4, 1), (report["exit_code"], report["stores"][0]["refuting_answers"]))
        self.assertTrue(any("is in error" in note for note in report["notes"]), report["notes"])

    def test_a_wrong_device_is_found_by_a_store(self):
        fleet = self.folder / "one is wrong"
        for node, fault in ("n1", []), ("n2", []), ("n3", ["--fault", "S01"]):
            self.node(fleet, node, *CASES, *LIBRARY, *fault, "--golden", self.store)
        report = self.report(fleet)
        self.assertEqual([("n3", "lone-deviation")], [(row["node"], row["verdict"]) for row in report["deviating"]])
        self.assertEqual({"caught": 3, "none": 0}, report["self_tests"])

    def test_answers_by_other_stores_are_not_compared(self):
        other = self.write("other", sealed(line for line in self.lines if not line.startswith(ONE)))
        fleet = self.folder / "two stores"
        for node, store in ("n1", self.store), ("n2", other):
            self.node(fleet, node, *SOFTMAX, "--golden", store)
        report = self.report(fleet)
        self.assertEqual((2, 2), (report["questions"], len(report["stores"])))
        cards = [str(next(fleet.glob(f"r/{node}.0/*/host/scorecard.json"))) for node in ("n1", "n2")]
        self.assert_refused(2, "gate", "--baseline", *cards)
        self.assertIn("golden store", halfmark("compare", *cards)[1])

    def test_stores_that_cannot_be_used_are_refused_in_one_line(self):
        text = self.store.read_text()
        revision = self.lines[1].split()[1]
        bad = {"damaged": (text.replace("s1 ", "s1 f", 1), "damaged"),
               "cut off": (text[:len(text) // 2], "cut off"),
               "foreign": (sealed([self.lines[0], "contract-revision 7", *self.lines[2:]]),
                           f"made for contract revision 7, and this program has revision {revision}"),
               "a card": ("{}", "no golden store"), "empty": ("", "no golden store"),
               "unsorted": (sealed([*self.lines[:5], *reversed(self.lines[5:])]), "not sorted"),
               "without cases": (sealed(self.lines[:5]), "has no case")}
        for name, (content, reason) in bad.items():
            file = self.write(name, content)
            for words in (["run", "--device", "host", "--level", "smoke", "--out", self.folder / "x"],
                          ["fleet", "run", self.folder / "x", "--device", "host"]):
                self.assertIn(reason, self.assert_refused(2, *words, "--golden", file))
            self.assertIn(reason, self.assert_refused(2, "fleet", "golden", file, "--check"))
        for file in self.folder / "no such file", self.folder:
            self.assert_refused(2, "run", "--device", "host", "--level", "smoke", "--golden", file)
        self.assertFalse((self.folder / "x").exists())
        self.assert_refused(2, "fleet", "golden", self.folder / "x", "--level", "most")
        self.assert_refused(2, "fleet", "golden", self.folder / "x", "--seeds", "0")
        self.assert_refused(3, "fleet", "golden", self.store / "x", "--level", "smoke")
        for others in ("--level", "smoke"), ("--seed", "5"), ("--seeds", "2"):  # those of the store are checked
            self.assertIn("excludes", self.assert_refused(2, "fleet", "golden", self.store, "--check", *others))

    def test_a_journal_goes_on_with_its_own_store_only(self):
        words = ["run", "--device", "host", "--level", "smoke", "--no-throughput", *SOFTMAX, "--out", self.folder / "resumed"]
        self.assertEqual(0, halfmark(*words, "--golden", self.store)[0])
        self.assertEqual(0, halfmark(*words, "--golden", self.store, "--resume")[0])
        self.assertIn("golden", self.assert_refused_later(*words, "--resume"))

    def assert_refused_later(self, *words):
        code, _, errors = halfmark(*words)
        self.assertEqual(2, code)
        return errors

    def test_a_pipeline_that_notices_nothing_is_an_error(self):
        words = ["--filter", "arithmetic.fp32.*.n4096.*", *SMALL_WRITES_ARE_LOST]
        code, card, _ = self.card("blind", *words, "--self-test")
        self.assertEqual((4, "PARTIAL", []), (code, card["status"], card["findings"]))
        self.assertIn("the self-test failed: a bit flipped in d[131072] was not noticed by the reference",
                      card["incomplete_reasons"][-1])
        self.assertEqual(0, self.card("unasked", *words)[0])  # nothing else tells the two apart
        fleet = self.folder / "blind fleet"
        self.assertEqual(4, self.node(fleet, "n1", *words)[0])
        report = self.report(fleet)
        self.assertEqual("error", report["deviating"][0]["verdict"])
        self.assertIn("the self-test failed", report["deviating"][0]["evidence"])
        self.assertEqual((4, {"caught": 0, "none": 1}), (report["exit_code"], report["self_tests"]))

    def test_several_seeds_serve_a_soak(self):
        store = self.folder / "seeds"
        self.assertEqual(0, halfmark("fleet", "golden", store, "--seed", "5", "--seeds", "2")[0])
        names = [line.split()[0] for line in store.read_text().splitlines()[5:-1]]
        self.assertEqual({"s5", "s6"}, {name.rsplit(".", 1)[1] for name in names if "pairs" not in name})


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
