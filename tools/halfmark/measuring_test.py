#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What is measured beside the cases, speed and the training step, on the devices of isolation_test.py: an incident costs one
measurement, losses count, and a resumed run keeps what is not measured again."""
import sys
import unittest

import isolation_test

setUpModule, tearDownModule = isolation_test.setUpModule, isolation_test.tearDownModule


class Measuring(isolation_test.Misbehaving):
    # --- speed

    def expect_incidents(self, *ends):
        """Expects these ends among the incidents during the measurement of speed; every case passed."""
        self.assertEqual([], self.other_than_pass())
        incidents = self.card()["environment"].get("incidents", [])
        self.assertEqual(list(ends), [incident["then"] for incident in incidents], incidents)
        for incident in incidents:
            self.assertIn("while its speed was measured: no answer within --timeout", incident["what"])
        return [row["name"].split(".")[2] for row in self.card()["throughput"]]

    def measured(self, at, how="hang", code=0):
        # The cases of these filters launch a kernel less often.
        filters = [word for name in ("add", "mul", "fma") for word in ("--filter", f"arithmetic.fp32.{name}.portable.n4096.*")]
        self.assertEqual(code, self.run_to_end("--timeout", "4", *filters, how=how, at=at, start=150, speed=True)[0])

    def test_a_hang_costs_one_measurement(self):
        self.measured(at="fp32_add")
        self.assertEqual({"mul", "fma"}, set(self.expect_incidents("not measured")))

    def test_a_device_that_always_hangs_is_not_measured_for_long(self):
        self.measured(at="*")
        self.assertEqual([], self.expect_incidents("not measured", "nothing more is measured"))

    def test_a_crash_during_a_measurement_is_a_loss(self):
        self.measured(at="fp32_add", how="crash")
        self.assertEqual([("not measured", True)], self.ends_and_losses())
        self.assertEqual({"mul", "fma"}, {row["name"].split(".")[2] for row in self.card()["throughput"]})

    def test_a_device_that_crashes_whenever_it_is_measured_does_not_conform(self):
        self.measured(at="*", how="crash", code=1)
        self.assertEqual([("not measured", True), ("nothing more is measured", True)], self.ends_and_losses())

    # --- a training step

    def counted_step(self, code, **options):
        """A run whose only launches of statistics_total count what a training step left."""
        step = "loss_scaled_backward.portable.b16i16h16o16.scale1.fragile.s1"
        self.assertEqual(code, self.run_to_end("--filter", step, at="statistics_total", level="standard", **options)[0])
        self.assertEqual([], self.other_than_pass())
        self.assertEqual({"the training step"}, {incident["case"] for incident in self.card()["environment"]["incidents"]})

    def test_a_crash_while_a_training_step_is_counted_is_an_incident(self):
        for how in ("crash", "lose"):
            with self.subTest(how):
                (self.folder / "once").unlink(missing_ok=True)
                self.counted_step(0, how=how, once=True)
                self.assertEqual([("answered", True)], self.ends_and_losses())
                self.assertIn("training_step", self.card())

    def test_a_device_that_is_gone_while_a_training_step_is_counted_does_not_conform(self):
        self.counted_step(1, how="gone", once=True)
        self.assertEqual([("no answer", True), ("no answer", True)], self.ends_and_losses())
        self.assertNotIn("training_step", self.card())

    # --- a run that is resumed

    def rows(self):
        return sorted(row["case"] for row in self.card()["throughput"])

    def test_a_resumed_run_keeps_the_speeds_that_are_not_measured_again(self):
        self.assertEqual(0, self.run_to_end(speed=True)[0])
        rows = self.rows()
        self.assertTrue(rows)
        for speed in (False, True):  # then each is measured again, and has one row all the same
            with self.subTest(speed):
                self.assertEqual(0, self.run_to_end("--resume", speed=speed)[0])
                self.assertEqual(rows, self.rows())


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1] + sys.argv[4:], verbosity=2)
