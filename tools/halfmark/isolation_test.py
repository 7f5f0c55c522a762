#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Devices that hang, crash, freeze, crawl or get lost during a run, and runs that are ended from outside.

The device is the example plug-in behind plugin_fixture_wrap.c, which misbehaves on request. The test expects that at most
one case is lost, with the right verdict; that the other cases get theirs; that no process stays behind; and that a later
run can continue from the files.
"""
import json
import os
import pathlib
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest

from plugins_test import HALFMARK, build_example, fixture

SECONDS_TO_STOP = 2.0
LAUNCHES = 4  # of one case until its results are judged
PLUGIN = None  # the example, built once
SHARED = None


def setUpModule():
    global PLUGIN, SHARED
    SHARED = tempfile.mkdtemp(prefix="halfmark-isolation-")
    PLUGIN = build_example(pathlib.Path(SHARED))


def tearDownModule():
    shutil.rmtree(SHARED)


def comparable(card):
    kept = {key: value for key, value in card.items() if key not in ("environment", "throughput", "times")}
    kept["cases"] = [{key: value for key, value in case.items() if key not in ("process", "attempt")} for case in card["cases"]]
    return kept


def process_state(pid):
    try:
        return pathlib.Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0]
    except OSError:
        return "gone"


class Misbehaving(unittest.TestCase):
    """What tests about such devices need; has none itself."""

    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="halfmark-isolation-"))
        self.addCleanup(shutil.rmtree, self.folder)
        self.out = self.folder / "out"

    def start(self, *arguments, how="", at="fp32_lt", once=False, start=1, device="wrap", speed=False, plugin=None, lies=0,
              after=0, counted=False, level="smoke", **options):
        environment = {**os.environ, "HM_WRAPPED": PLUGIN, "HM_MISBEHAVE": how, "HM_MISBEHAVE_AT": at,
                       "HM_LIES": str(lies), "HM_AFTER_ITEMS": str(after), "HM_MISBEHAVE_FROM": str(start),
                       "HM_LAUNCHES": str(self.folder / "launches") if counted else "",
                       "HM_MISBEHAVE_ONCE": str(self.folder / "once") if once else ""}
        plugin = plugin or fixture("fixture_wrap" if device == "wrap" else "fixture")
        command = [HALFMARK, "run", "--plugin", plugin, "--device", f"{device}:0", "--level", level,
                   *([] if speed else ["--no-throughput"]), "--out", str(self.out), *arguments]
        if "--filter" not in arguments:
            for operation in ["add", "lt", "eq"]:
                command += ["--filter", f"arithmetic.fp32.{operation}.portable.n4096.*"]
        return subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, **options)

    def run_to_end(self, *arguments, **options):
        process = self.start(*arguments, **options)
        out, err = process.communicate(timeout=120)
        return process.returncode, out, err

    def journal(self, device="wrap"):
        text = (self.out / f"{device}-0" / "journal.jsonl").read_text()
        return [json.loads(line) for line in text.splitlines()]

    def results(self):
        return {line["result"]["name"]: line["result"] for line in self.journal() if line["kind"] == "case"}

    def card(self):
        return json.loads((self.out / "wrap-0" / "scorecard.json").read_text())

    def other_than_pass(self):
        return [result for result in self.results().values() if result["verdict"] != "pass"]

    def undisturbed(self):
        """The scorecard of a run without any incident."""
        out, self.out = self.out, self.folder / "undisturbed"
        self.assertEqual(0, self.run_to_end()[0])
        card, self.out = self.card(), out
        return comparable(card)

    def wait_for_cases(self, count):
        deadline = time.monotonic() + 30
        while time.monotonic() < deadline:
            try:
                if sum(line["kind"] == "case" for line in self.journal()) >= count:
                    return
            except (OSError, ValueError):
                pass
            time.sleep(0.02)
        self.fail("the run did not get going")

    def ends_and_losses(self):
        return [(incident["then"], incident["lost"]) for incident in self.card()["environment"]["incidents"]]


class Isolation(Misbehaving):
    # --- a device that is asked again

    def failed_fma(self, *arguments, **options):
        """The finding of an fma that rounds its product."""
        case = "arithmetic.fp32.fma.portable.n4096.finite.s1"
        code, _, _ = self.run_to_end("--filter", case, *arguments, at="fp32_fma", after=2048, counted=True, **options)
        self.assertEqual(1, code)
        return self.card()["findings"][0]

    def test_a_device_that_repeats_its_error_is_asked_on_other_data(self):
        finding = self.failed_fma(lies=1000)
        self.assertGreater(len(finding["experiments"]["asked"]), 2)
        self.assertTrue(any(question["confirms"] for question in finding["experiments"]["asked"]))

    def test_a_device_that_lies_on_the_first_call_alone_keeps_its_finding(self):
        finding = self.failed_fma(lies=LAUNCHES)
        self.assertEqual("on the same data the device now gives other results", finding["experiments"]["end"])
        self.assertEqual([], finding["experiments"]["asked"])
        self.assertTrue(finding["explanations"])

    def test_a_process_that_dies_when_asked_again_keeps_the_finding(self):
        finding = self.failed_fma(lies=1000, how="crash", start=LAUNCHES + 1)
        self.assertRegex(finding["experiments"]["end"], "^asking again gave no answer: signal 6")
        self.assertTrue(finding["explanations"])
        self.assertIn("more data for arithmetic.fp32.fma", self.card()["environment"]["incidents"][0]["case"])

    def test_a_hang_when_asked_again_keeps_the_finding(self):
        finding = self.failed_fma("--timeout", "2", lies=1000, how="hang", start=LAUNCHES + 1)
        self.assertIn("asking again gave no answer: no answer", finding["experiments"]["end"])
        self.assertTrue(finding["explanations"])

    # --- one case is lost, with the right verdict

    def expect_one(self, verdict, *reasons):
        lost = self.other_than_pass()
        self.assertEqual([verdict], [result["verdict"] for result in lost], lost)
        self.assertIn(".lt.", lost[0]["name"])
        for reason in reasons:
            self.assertIn(reason, lost[0]["reason"])
        self.assertEqual("COMPLETE", self.card()["status"])

    def test_a_hang_without_history_ends_with_the_timeout(self):
        code, _, _ = self.run_to_end("--timeout", "2", how="hang", once=True)
        self.assertEqual(1, code)
        self.expect_one("hang", "no answer within --timeout", "the stage was 'launch'")

    def test_a_driver_that_changes_under_a_run_ends_it(self):
        plugin, newer = self.folder / "driver.so", self.folder / "newer.so"
        shutil.copy(fixture("fixture_wrap"), plugin)
        shutil.copy(plugin, newer)
        with newer.open("ab") as file:
            file.write(b"an update")
        run = self.start("--timeout", "3", how="hang", once=True, plugin=str(plugin))
        self.wait_for_cases(1)
        newer.replace(plugin)  # while the first process of the run still has the old one
        _, err = run.communicate(timeout=120)
        self.assertEqual(3, run.returncode, err)
        self.assertRegex(err, r"(?m)^halfmark: device wrap:0 has changed since the run began \(.*driver.so was .*; "
                              r"its verdicts cannot be combined: start again without --resume$")
        self.assertTrue(self.results(), "what was measured stays")
        self.assertFalse((self.out / "wrap-0" / "scorecard.json").exists())

    def test_a_hang_is_seen_sooner_with_history(self):
        begun = time.monotonic()
        code, _, _ = self.run_to_end("--timeout", "16", how="hang", once=True, start=3)
        self.assertEqual(1, code)
        self.assertLess(time.monotonic() - begun, 14)
        self.expect_one("hang", "far longer than whole cases like it", "the stage was 'launch'")

    def test_a_time_that_cannot_be_is_an_error(self):
        self.assertEqual(1, self.run_to_end(how="clock", once=True)[0])
        self.expect_one("error", "program_launch: claims that it took 18446744073709551615 ns, over a day")

    def test_an_earlier_journal_is_history(self):
        self.assertEqual(0, self.run_to_end()[0])
        begun = time.monotonic()
        self.assertEqual(1, self.run_to_end("--timeout", "16", how="hang", once=True)[0])
        self.assertLess(time.monotonic() - begun, 14)
        self.expect_one("hang", "far longer than whole cases like it")

    def test_slow_is_not_hung(self):
        # Two launches of two seconds each: together longer than a stage may last, but each stage ends.
        code, _, _ = self.run_to_end("--timeout", "12", "--filter", "arithmetic.fp32.lt.portable.n4096.corners.*",
                                     "--filter", "arithmetic.fp32.lt.portable.n4096.bits.*", how="slow", start=3)
        self.assertEqual(0, code)
        self.assertGreater(max(result["times"]["execute_seconds"] for result in self.results().values()), 3.0)

    def test_what_would_take_too_long_is_left_out(self):
        large = "gemm.fp32.acc-fp32.out-fp32.library.nn.m8192n8192k8192.plain.integer.s1"
        command = [HALFMARK, "run", "--device", "host", "--suite", "gemm", "--level", "full", "--out", str(self.out), "--filter",
                   large.replace(".s1", "*"), "--filter", "gemm.fp32.acc-fp32.out-fp32.library.nn.m128n128k128.plain.normal*"]
        for resumed in [[], ["--resume"]]:
            subprocess.run(command + resumed, capture_output=True, timeout=60, check=False)
            card = json.loads((self.out / "host" / "scorecard.json").read_text())
            verdict = {case["name"]: case["verdict"] for case in card["cases"]}[large]
            row = {row["case"]: row for row in card["throughput"]}[large]
            self.assertEqual("skipped", verdict)
            self.assertEqual([], row["samples_ns"])
            self.assertRegex(row["excluded"], "left out: up to 27 launches would take [0-9]+ s")

    def test_a_frozen_process_is_named(self):
        begun = time.monotonic()
        code, _, _ = self.run_to_end("--timeout", "30", how="stop", once=True)
        self.assertEqual(1, code)
        self.assertLess(time.monotonic() - begun, 20)
        self.expect_one("hang", "frozen")

    def test_a_crash_costs_one_case(self):
        self.assertEqual(1, self.run_to_end(how="crash", once=True)[0])
        self.expect_one("crash", "signal 6 (Aborted)")

    def test_whoever_starts_a_run_may_ignore_the_end_of_children(self):
        ignoring = {"preexec_fn": lambda: signal.signal(signal.SIGCHLD, signal.SIG_IGN)}
        self.assertEqual(1, self.run_to_end(how="crash", once=True, **ignoring)[0])
        self.expect_one("crash", "signal 6 (Aborted)")

    def test_a_crash_is_seen_though_an_orphan_keeps_the_pipe(self):
        begun = time.monotonic()
        self.assertEqual(1, self.run_to_end(how="orphan", once=True)[0])
        self.assertLess(time.monotonic() - begun, 15)
        self.expect_one("crash", "signal 6 (Aborted)")

    def test_a_device_lost_twice_is_lost(self):
        code, _, err = self.run_to_end("--filter", "arithmetic.fp32.lt.portable.n4096.corners.*",
                                       "--filter", "arithmetic.fp32.add.portable.n4096.*", how="lose")
        self.assertEqual(1, code)
        self.expect_one("device-lost", "the device fell off the bus", "It happened twice")
        self.assertNotIn("incident", err)

    def test_a_device_lost_once_is_an_incident(self):
        code, _, err = self.run_to_end(how="lose", once=True)
        self.assertEqual(0, code, err)
        self.assertEqual([], self.other_than_pass())
        incidents = [line["incident"] for line in self.journal() if line["kind"] == "incident"]
        self.assertEqual(1, len(incidents))
        self.assertIn("fell off the bus", incidents[0]["what"])
        self.assertEqual("pass", incidents[0]["then"])
        self.assertEqual(incidents, self.card()["environment"]["incidents"])
        self.assertRegex(err, r"(?m)^incident  arithmetic.fp32.lt.*; then: pass$")
        self.assertEqual(self.undisturbed(), comparable(self.card()))

    def killed_from_outside(self, times, *arguments, once):
        """Kills the worker of a case that waits, as often as it says; the run's exit code and stderr."""
        process = self.start("--timeout", "100", *arguments, how="hang", once=once, counted=not once)
        waits = self.folder / ("once" if once else "launches")  # which the device writes before it hangs
        for count in range(1, times + 1):
            deadline = time.monotonic() + 30
            while not (waits.exists() and (once or waits.stat().st_size >= count)) and time.monotonic() < deadline:
                time.sleep(0.02)
            [worker] = pathlib.Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text().split()
            os.kill(int(worker), signal.SIGKILL)
        _, err = process.communicate(timeout=60)
        return process.returncode, err

    def test_a_worker_killed_once_from_outside_is_an_incident(self):
        code, err = self.killed_from_outside(1, once=True)
        self.assertEqual(0, code, err)
        self.assertEqual([], self.other_than_pass())
        incidents = self.card()["environment"]["incidents"]
        self.assertEqual(["the worker died: signal 9 (Killed)"], [incident["what"] for incident in incidents])
        self.assertEqual("pass", incidents[0]["then"])
        self.assertEqual(incidents, [line["incident"] for line in self.journal() if line["kind"] == "incident"])
        self.assertRegex(err, r"(?m)^incident  arithmetic.fp32.lt.*signal 9 \(Killed\); then: pass$")
        self.assertEqual(self.undisturbed(), comparable(self.card()))

    def test_a_worker_killed_twice_from_outside_is_a_crash(self):
        code, err = self.killed_from_outside(2, "--filter", "arithmetic.fp32.lt.portable.n4096.corners.*",
                                             "--filter", "arithmetic.fp32.add.portable.n4096.*", once=False)
        self.assertEqual(1, code, err)
        self.expect_one("crash", "signal 9 (Killed)", "It happened twice")
        self.assertEqual([2], [result["attempt"] for result in self.other_than_pass()])
        self.assertNotIn("incident", err)

    def test_a_crash_of_the_probes_is_an_incident(self):
        code, _, err = self.run_to_end(how="crash", once=True, at="fp32_mul")
        self.assertEqual(0, code)
        self.assertRegex(err, r"(?m)^incident  canaries: .*signal 6.*; then: answered$")
        self.assertEqual(self.undisturbed(), comparable(self.card()))

    def test_a_device_that_is_gone_is_not_waited_for_by_every_case(self):
        code, _, _ = self.run_to_end(how="gone", once=True)
        self.assertEqual(1, code)
        lost = self.other_than_pass()
        self.assertEqual("crash", lost[0]["verdict"])
        self.assertEqual({"device-lost"}, {result["verdict"] for result in lost[1:]})
        self.assertIn("no such device any more", lost[1]["reason"])
        self.assertIn("several times in a row", lost[-1]["reason"])
        self.assertEqual("COMPLETE", self.card()["status"])

    # --- the run is ended from outside

    def test_a_signal_ends_the_run_within_two_seconds(self):
        for number in (signal.SIGTERM, signal.SIGINT):
            with self.subTest(number.name):
                (self.folder / "once").unlink(missing_ok=True)
                process = self.start("--timeout", "100", how="hang", once=True, start=3)
                self.wait_for_cases(2)
                while not (self.folder / "once").exists():
                    time.sleep(0.02)
                begun = time.monotonic()
                process.send_signal(number)
                process.communicate(timeout=30)
                self.assertLess(time.monotonic() - begun, SECONDS_TO_STOP)
                self.assertEqual(4, process.returncode)
                self.assertEqual("PARTIAL", self.card()["status"])
                self.assertEqual([], self.other_than_pass(), "the case that was dropped has no verdict")
                self.assertEqual(0, self.run_to_end("--resume")[0])
                self.assertEqual(self.undisturbed(), comparable(self.card()))

    def test_a_killed_runner_leaves_no_worker_and_can_be_resumed(self):
        # The worker ignores SIGPIPE, as drivers make processes do: otherwise the next heartbeat would end it as well.
        process = self.start("--timeout", "100", how="deaf", once=True, start=3)
        while not (self.folder / "once").exists():
            time.sleep(0.02)
        children = pathlib.Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text().split()
        self.assertEqual(1, len(children))
        process.kill()
        process.communicate()
        deadline = time.monotonic() + 2
        while process_state(children[0]) not in ("gone", "Z") and time.monotonic() < deadline:
            time.sleep(0.02)
        self.assertIn(process_state(children[0]), ("gone", "Z"))
        journal = self.out / "wrap-0" / "journal.jsonl"
        journal.write_bytes(journal.read_bytes()[:-20])  # as if killed in the middle of a write
        self.assertEqual(0, self.run_to_end("--resume")[0])
        self.assertEqual(self.undisturbed(), comparable(self.card()))

    def expect_no_answer_of_before(self, *arguments):
        """Expects that a run with these arguments, which dies at its third case, leaves nothing of an earlier answer."""
        place = self.out / "wrap-0"
        (self.folder / "once").unlink(missing_ok=True)
        (place / "reproducers").mkdir(exist_ok=True)
        for name in ("scorecard.json", "report.html", "reproducers/F001.c", "reproducers/none.txt", "reproducers/main.c"):
            (place / name).write_text("of before")
        process = self.start("--timeout", "100", *arguments, how="hang", once=True, start=3)
        while not (self.folder / "once").exists():
            time.sleep(0.02)
        process.kill()
        process.communicate()
        for name in ("scorecard.json", "report.html", "reproducers/F001.c", "reproducers/none.txt"):
            self.assertFalse((place / name).exists(), name)
        for name in ("journal.jsonl", "reproducers/main.c"):
            self.assertTrue((place / name).exists(), name)

    def test_a_run_that_dies_leaves_no_answer_of_an_earlier_one(self):
        self.assertEqual(0, self.run_to_end()[0])
        self.expect_no_answer_of_before()

    def test_a_resume_without_a_journal_starts_anew(self):
        self.assertEqual(0, self.run_to_end()[0])
        journal = self.out / "wrap-0" / "journal.jsonl"
        line = journal.read_text().splitlines()[0]
        journal.unlink()
        self.expect_no_answer_of_before("--resume")
        for begun in ("", line[:100]):  # the disk was full at once
            with self.subTest(begun):
                journal.write_text(begun)
                self.expect_no_answer_of_before("--resume")

    def test_a_resume_of_another_run_is_refused(self):
        self.assertEqual(0, self.run_to_end()[0])
        code, _, err = self.run_to_end("--resume", "--seed", "9")
        self.assertEqual(2, code)
        self.assertRegex(err, r"(?m)^halfmark: .*journal.jsonl belongs to another run")
        self.assertTrue((self.out / "wrap-0" / "scorecard.json").exists(), "whose answer stays")

    def test_a_full_disk_is_told_and_can_be_resumed(self):
        limit = 5000  # bytes of the journal, in the middle of a line
        code, _, err = self.run_to_end(
            "--filter", "arithmetic.fp32.add.portable.n4096.*", device="fixture",
            preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit)))
        self.assertEqual(3, code, err)
        self.assertRegex(err, r"(?m)^halfmark: cannot write .*journal.jsonl: File too large; .*--resume$")
        journal = self.out / "fixture-0" / "journal.jsonl"
        self.assertEqual(limit, journal.stat().st_size)
        self.assertNotEqual(b"\n", journal.read_bytes()[-1:])
        code, _, err = self.run_to_end("--resume", "--filter", "arithmetic.fp32.add.portable.n4096.*", device="fixture")
        self.assertEqual(1, code, err)  # this fixture builds no kernel
        names = [line["result"]["name"] for line in self.journal("fixture") if line["kind"] == "case"]
        self.assertEqual(sorted(set(names)), sorted(names), "no case twice, none missing")
        self.assertEqual("end", self.journal("fixture")[-1]["kind"])


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1] + sys.argv[4:], verbosity=2)
