#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`halfmark fleet` as a user meets it: exit codes, one-line errors, what agents leave, and what goes wrong in shared folders."""
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
FAULT = ["--fault", "S01"]  # softmax without subtracting its maximum


def run(*words, **environment):
    # Variables of a launcher under which this test happens to run would name its task.
    clean = {name: value for name, value in os.environ.items() if not re.match("SLURM|OMPI|PMI|JOB_COMPLETION", name)}
    done = subprocess.run([HALFMARK, "fleet", *map(str, words)], capture_output=True, text=True, timeout=300,
                          env={**clean, **environment})
    return done.returncode, done.stdout, done.stderr


def agent(folder, node, *words, **environment):
    return run("run", folder, "--node", node, "--device", "host", "--tier", "epilog", *CASES, *words, **environment)


class Fleet(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = pathlib.Path(tempfile.mkdtemp(prefix="halfmark-fleet-"))
        cls.addClassCleanup(shutil.rmtree, cls.folder)
        cls.fleet = cls.folder / "fleet"
        cls.codes = [agent(cls.fleet, node, "--run", "r1", *more)[0]
                     for node, more in (("n1", []), ("n2", []), ("n3", FAULT))]

    def copy(self, name):
        shutil.copytree(self.fleet, self.folder / name)
        return self.folder / name

    def report(self, *words):
        file = self.folder / "report.json"
        file.unlink(missing_ok=True)
        code, out, errors = run("merge", *words, "--json", file)
        self.assertTrue(file.exists(), out + errors)
        report = json.loads(file.read_text())
        self.assertEqual(code, report["exit_code"])
        return {(row["node"], row["selector"]): row["verdict"] for row in report["deviating"]}, report

    def assert_refused(self, expected, words):
        code, out, errors = run(*words)
        self.assertEqual((expected, ""), (code, out), errors)
        self.assertRegex(errors, r"\Ahalfmark: [^\n]+\n\Z")
        return errors

    def test_a_faulty_device_among_right_ones(self):
        self.assertEqual([0, 0, 1], self.codes)
        deviating, report = self.report(self.fleet)
        self.assertEqual({("n3", "host"): "lone-deviation"}, deviating)
        self.assertEqual(2, report["verdicts"]["conformant"])
        self.assertEqual("device", report["deviating"][0]["scope"])
        # The next step is a command that finds it again.
        command = report["deviating"][0]["next"].removeprefix("on n3: halfmark ").split()
        done = subprocess.run([HALFMARK, *command, *FAULT], capture_output=True, text=True)
        self.assertEqual(1, done.returncode, done.stderr)

    def test_absent_nodes_are_a_verdict(self):
        roster = self.folder / "roster"
        roster.write_text("n1\nn2 # two\nn3\nn4 8\n")
        deviating, report = self.report(self.fleet, "--roster", roster)
        self.assertEqual("absent", deviating["n4", "-"])
        self.assertEqual(8, report["verdicts"]["absent"])
        nothing = self.folder / "nothing"
        nothing.mkdir()
        self.assertEqual(12 - 1, self.report(nothing, "--roster", roster)[1]["verdicts"]["absent"])

    def test_lists_go_to_stdout_and_the_report_to_stderr(self):
        code, out, errors = run("merge", self.fleet, "--drain", "slurm")
        self.assertEqual(1, code)
        self.assertRegex(out, r"\Ascontrol update NodeName=n3 State=DRAIN Reason='[^'\n]+'\n\Z")
        self.assertIn("lone-deviation", errors)
        self.assertEqual("n3\n", run("merge", self.fleet, "--drain", "plain", "--drain-cap", "0")[1])

    def test_metrics_are_written_whole(self):
        file = self.folder / "halfmark.prom"
        run("merge", self.fleet, "--metrics", file)
        self.assertIn('halfmark_fleet_devices{verdict="lone-deviation"} 1\n', file.read_text())
        self.assertEqual([file], list(self.folder.glob("halfmark.prom*")))

    def test_a_start_again_has_the_answer(self):
        folder = self.copy("again")
        code, out, _ = agent(folder, "n1", "--run", "r1")
        self.assertEqual(0, code)
        self.assertIn("an earlier start of this task has its answer", out)
        _, report = self.report(folder)
        self.assertEqual((3, 3), (report["devices"], report["rollups"]))
        self.assertIn("tasks that were started again: n1 (2 starts)", report["notes"])
        # What was wrong stays wrong.
        code, out, _ = agent(folder, "n3", "--run", "r1", *FAULT)
        self.assertEqual(1, code, out)
        self.assertRegex(out, r"host: seed 1: an earlier start of this task has its answer, [1-9]\d* miss")

    def test_a_start_again_with_another_question_or_device_is_a_new_one(self):
        folder = self.copy("other")
        words = ["run", folder, "--node", "n1", "--run", "r1", "--device", "host", "--tier", "epilog"]
        for count, more in enumerate([CASES[2:], [*CASES, "--suite", "softmax"], [*CASES, *FAULT], CASES], 1):
            with self.subTest(more):
                code, out, errors = run(*words, *more)
                self.assertEqual(1 if "--fault" in more else 0, code, out + errors)
                self.assertNotIn("an earlier start", out)
                rollup = json.loads(next(folder.glob("r1/n1.0/*/host/rollup.json")).read_text())
                self.assertEqual(more.count("--filter"), len(rollup["question"]["filters"]))
                self.assertEqual("complete", rollup["completeness"])
                self.assertEqual(count, len(list(folder.glob("r1/n1.0/*/host/journal.jsonl.earlier*"))), "none replaces another")

    def test_two_runs_in_one_folder(self):
        folder = self.copy("two")
        self.assertEqual(0, agent(folder, "n1", "--run", "r2")[0])
        _, report = self.report(folder)
        self.assertEqual((3, 4, 2), (report["devices"], report["rollups"], len(report["runs"])))
        self.assertIn("1 device was tested by more than one run, and counts once: n1 host", report["notes"])

    def test_a_damaged_roll_up_gives_way_to_the_card(self):
        folder = self.copy("damaged")
        file = next(folder.glob("r1/n1.0/*/host/rollup.json"))
        file.write_text(file.read_text()[:100])
        deviating, report = self.report(folder)
        self.assertEqual({("n3", "host"): "lone-deviation"}, deviating)
        self.assertTrue(any("rollup.json cannot be used" in note for note in report["notes"]), report["notes"])
        # Without card and journal, the device is an error, and is not forgotten.
        file.with_name("scorecard.json").write_text("{")
        file.with_name("journal.jsonl").unlink()
        deviating, report = self.report(folder)
        self.assertEqual("error", deviating["n1", "host"])
        self.assertEqual(3, report["devices"])

    def test_a_damaged_card_gives_way_to_the_journal(self):
        folder = self.copy("damaged card")
        card = next(folder.glob("r1/n1.0/*/host/scorecard.json"))
        card.with_name("rollup.json").unlink()
        digit = re.search(r'"digest": ?"[0-9a-f]{15}([0-9a-f])"', card.read_text())
        text = card.read_text()
        card.write_text(text[:digit.start(1)] + ("0" if digit[1] != "0" else "1") + text[digit.end(1):])
        deviating, report = self.report(folder)
        self.assertEqual({("n3", "host"): "lone-deviation"}, deviating)
        self.assertEqual(2, report["verdicts"]["conformant"])
        note = next(note for note in report["notes"] if "scorecard.json cannot be used" in note)
        self.assertIn("its content does not fit its 'digest'", note)

    def test_a_folder_may_have_any_name(self):
        card = next(self.fleet.glob("r1/n1.0/*/host/scorecard.json")).read_text()
        for name, content in (b"caf\xe9", card), (b"bad\xe9", "{"):
            device = self.folder / "odd" / os.fsdecode(name) / "host"
            device.mkdir(parents=True)
            (device / "scorecard.json").write_text(content)
        deviating, report = self.report(self.folder / "odd")
        self.assertEqual({("bad\\xe9", "host"): "error"}, deviating)
        self.assertEqual((2, 1), (report["devices"], report["verdicts"]["conformant"]))

    def test_a_card_and_a_journal_say_what_the_roll_up_says(self):
        _, before = self.report(self.fleet)
        folder = self.copy("older")
        for file in folder.glob("r1/*/*/host/rollup.json"):
            file.unlink()
        _, by_cards = self.report(folder)
        for file in folder.glob("r1/*/*/host/scorecard.json"):
            file.unlink()
        _, by_journals = self.report(folder)
        for after in by_cards, by_journals:
            self.assertEqual(before["deviating"], after["deviating"])
            self.assertEqual(before["bound"], after["bound"])

    def test_plain_runs_can_be_merged(self):
        for node in "n8", "n9":
            subprocess.run([HALFMARK, "run", "--device", "host", "--level", "smoke", "--no-throughput", "--out",
                            str(self.folder / "plain" / node), *CASES], capture_output=True)
        deviating, report = self.report(self.folder / "plain")
        self.assertEqual(({}, 2, 2), (deviating, report["devices"], report["nodes"]["answered"]))

    def test_two_agents_of_one_task_do_not_mix(self):
        folder = self.folder / "busy"
        words = [HALFMARK, "fleet", "run", str(folder), "--run", "r", "--node", "n", "--device", "host", "--tier", "epilog"]
        with subprocess.Popen(words, stdout=subprocess.PIPE) as first:
            first.stdout.readline()  # it has its folder
            code, _, errors = run(*words[2:])
            self.assertEqual(3, code, errors)
            self.assertIn(str(first.pid), errors)
            end = time.monotonic() + 60
            while not list(folder.glob("r/n.0/*/host/journal.jsonl")) and time.monotonic() < end:
                time.sleep(0.05)
            first.send_signal(signal.SIGTERM)
            start = time.monotonic()
            first.stdout.read()
            self.assertEqual(4, first.wait())
            self.assertLess(time.monotonic() - start, 5)
        deviating, report = self.report(folder)
        self.assertEqual({("n", "host"): "error"}, deviating)
        self.assertIn("stopped after", report["deviating"][0]["evidence"])

    def test_the_budget_is_kept(self):
        folder = self.folder / "budget"
        start = time.monotonic()
        code, out, _ = run("run", folder, "--node", "n", "--device", "host", "--tier", "soak", "--for", "3")
        self.assertLess(time.monotonic() - start, 5)
        self.assertEqual(4, code, out)
        self.assertIn("the budget is 3 s", out)

    def soak(self, name, seconds, expected, *words):
        """Folder and output of a run of this time, or of twice as much and so on, until it prints what is expected: the
        machine may be busy."""
        for factor in 1, 2, 4, 8:
            folder = self.folder / f"{name}-{factor}"
            code, out, _ = run("run", folder, "--node", "n", "--device", "host", "--tier", "soak", "--for", str(factor * seconds),
                               *words)
            if code == 0 and expected in out:
                return folder, out
        self.fail(f"exit code {code}, no '{expected}' in {out}")

    def test_soak_takes_fresh_seeds(self):
        folder, _ = self.soak("seeds", 15, "host: seed 2: ", *CASES)
        _, report = self.report(folder)
        self.assertGreater(report["rollups"], 1)
        self.assertEqual((1, report["rollups"]), (report["devices"], report["questions"]))

    def test_a_soak_that_is_started_again_goes_on_with_the_next_seed(self):
        words = "--run", "r", *CASES
        folder, _ = self.soak("goes-on", 8, "host: seed 2: ", *words)

        def seeds():
            return {int(file.parent.parent.name.rpartition("-s")[2]) for file in folder.glob("r/n.0/*/host/rollup.json")}
        before = seeds()
        seconds = str(int(folder.name.rpartition("-")[2]) * 8)
        _, out, _ = run("run", folder, "--node", "n", "--device", "host", "--tier", "soak", "--for", seconds, *words)
        self.assertIn("host: seed 1: an earlier start of this task has its answer, 0 misses\n", out)
        self.assertRegex(out, rf"host: seed {max(before) + 1}: \d+ of \d+ cases")
        self.assertGreater(seeds(), before)

    def test_short_slots_take_a_share_of_the_cases(self):
        folder, out = self.soak("share", 14, " slots, ", "--mode", "short")
        self.assertIn("level smoke, shard 2/16, seed 1", out)
        self.assertRegex(out, r"host: \d+ slots, \d+ trials, 0 misses; fewer than \S+ per trial are wrong \(95 %\)\n")
        deviating, report = self.report(folder)
        self.assertEqual(({}, 1), (deviating, report["devices"]))

    def test_quiet_slots_take_less_of_the_time(self):
        folder, out = self.soak("short", 12, "host: seed 2: ", "--mode", "short", *CASES)
        self.assertRegex(out, r"host: seed 2: \d+ of \d+ cases")
        seconds = int(folder.name.rpartition("-")[2]) * 12
        quiet, _ = self.soak("quiet", seconds, "", "--mode", "quiet", *CASES)
        self.assertLess(self.report(quiet)[1]["rollups"], self.report(folder)[1]["rollups"])

    def test_earlier_sweeps_say_since_when(self):
        first, second = self.folder / "first.json", self.folder / "second.json"
        self.assertEqual(1, run("merge", self.fleet, "--json", first)[0])
        report = json.loads(first.read_text())
        report["started"] = {"first": "2026-01-01T00:00:00Z", "last": "2026-01-01T00:00:00Z"}
        report["deviating"].append({**report["deviating"][0], "node": "n1"})
        first.write_text(json.dumps(report))
        _, out, _ = run("merge", self.fleet, "--json", second, "--earlier", first)
        self.assertIn("since 2026-01-01T00:00:00Z, and in 1 of 1 sweep before", out)
        report = json.loads(second.read_text())
        self.assertEqual((1, 1), (report["deviating"][0]["wrong_before"], report["earlier_sweeps"]))
        self.assertEqual(["n1"], [one["node"] for one in report["recurrences"]])
        for file in self.folder / "none.json", self.fleet, next(self.fleet.glob("r1/n1.0/agent.json")):
            self.assert_refused(2, ["merge", self.fleet, "--earlier", file])
        self.assert_refused(2, ["merge", self.fleet, "--earlier", second])  # the sweep itself

    def test_the_report_becomes_a_page(self):
        report, page = self.folder / "for a page.json", self.folder / "fleet.html"
        run("merge", self.fleet, "--json", report)
        done = subprocess.run([HALFMARK, "report", "html", report, "-o", page], capture_output=True, text=True)
        self.assertEqual(0, done.returncode, done.stderr)
        for part in "2 of 3 devices conform", "n3 host", "lone-deviation", "To drain":
            self.assertIn(part, page.read_text())
        # Beside the pages of cards, in one folder.
        card = next(self.fleet.glob("r1/n1.0/*/host/scorecard.json"))
        site = self.folder / "site"
        done = subprocess.run([HALFMARK, "report", "html", card, report, "-o", site], capture_output=True, text=True)
        self.assertEqual(0, done.returncode, done.stderr)
        self.assertEqual(["fleet.html", "host.html"], sorted(file.name for file in site.iterdir()))

    def test_merges_form_a_tree(self):
        whole, racks = self.report(self.fleet)[1], self.folder / "racks"
        racks.mkdir()
        # A rack of its own for each node, and one of them is merged twice.
        for node in "n1", "n2", "n3":
            rack = self.folder / "rack" / node / "r1"
            shutil.copytree(next(self.fleet.glob(f"r1/{node}.*")), rack / f"{node}.0")
            run("merge", rack.parent, "--collect", racks / f"{node}.rollups.jsonl")
        shutil.copy(racks / "n1.rollups.jsonl", racks / "again.rollups.jsonl")
        _, by_racks = self.report(racks)
        for member in "deviating", "verdicts", "bound", "self_tests", "nodes", "rollups":
            self.assertEqual(whole[member], by_racks[member], member)
        file = racks / "n2.rollups.jsonl"
        file.write_text(file.read_text()[:-30])
        _, cut = self.report(racks)
        self.assertTrue(any("n2.rollups.jsonl cannot be used" in note for note in cut["notes"]), cut["notes"])
        self.assert_refused(2, ["merge", self.fleet, "--collect", self.folder / "rack.json"])

    def test_launchers_name_the_task(self):
        folder = self.folder / "launched"
        for rank in "0", "1":
            code, out, _ = run("run", folder, "--device", "host", "--tier", "epilog", *CASES, SLURM_PROCID=rank,
                               SLURM_NTASKS="3", SLURMD_NODENAME=f"n{rank}", SLURM_JOB_ID="42")
            self.assertIn(f"task {rank} of 3 of run slurm-42 (slurm), node n{rank};", out)
            self.assertEqual(0, code)
        deviating, _ = self.report(folder)
        self.assertEqual({("?", "-"): "absent"}, deviating)

    def test_a_node_without_devices_is_an_error_of_that_node(self):
        folder = self.folder / "none"
        code, _, errors = run("run", folder, "--run", "r", "--node", "n", "--device", "opencl:no such")
        self.assertEqual(3, code, errors)
        deviating, _ = self.report(folder)
        self.assertEqual({("n", "-"): "error"}, deviating)

    def test_wrong_usage(self):
        file, empty = self.folder / "file", self.folder / "empty"
        file.write_text("a\na\n")
        empty.mkdir()
        for words in (["merge", self.folder / "no"], ["merge", empty], ["merge", self.fleet, "--drain", "email"],
                      ["merge", self.fleet, "--drain-cap", "101"], ["merge", self.fleet, "--roster", file],
                      ["merge", self.fleet, "--roster", empty / "no"], ["run", self.folder / "x", "--tier", "nap"],
                      ["run", self.folder / "x", "--node", "a/b"], ["run", self.folder / "x", "--run", ".."],
                      ["run", self.folder / "x", "--tasks", "0"], ["run", self.folder / "x", "--suite", "no"],
                      ["run", self.folder / "x", "--filter", "no.*"], ["run", self.folder / "x", "--mode", "wild"],
                      ["run", self.folder / "x", "--tier", "pulse", "--mode", "short"],
                      ["run", self.folder / "x", "--tier", "pulse", "--for", "5"], ["run"], ["merge"], []):
            self.assert_refused(2, words)
        self.assertFalse((self.folder / "x").exists())
        self.assertIn("there twice", run("merge", self.fleet, "--roster", file)[2])
        self.assertIn("SLURM_PROCID", run("run", self.folder / "x", SLURM_PROCID="first")[2])

    def test_the_environment_prevents_an_answer(self):
        file = self.folder / "in the way"
        file.write_text("")
        self.assert_refused(3, ["run", file / "x", "--device", "host"])
        self.assert_refused(3, ["merge", self.fleet, "--json", file / "x"])


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
