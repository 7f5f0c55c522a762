# SPDX-License-Identifier: Apache-2.0
"""A ReFrame test: one agent on the node of the test, and its devices must conform.

  reframe -c reframe_test.py -r --distribute=all
"""
import json
import os

import reframe as rfm
import reframe.utility.sanity as sn


@rfm.simple_test
class HalfmarkPulse(rfm.RunOnlyRegressionTest):
    descr = "Halfmark: the accelerators of a node compute what their drivers promise"
    valid_systems = ["*"]
    valid_prog_environs = ["*"]
    tier = variable(str, value="pulse")
    num_tasks = 1
    num_tasks_per_node = 1
    executable = "halfmark"
    time_limit = "30m"

    @run_before("run")
    def prepare(self):
        self.executable_opts = ["fleet", "run", "results", "--tier", self.tier]
        self.postrun_cmds = ["halfmark fleet merge results --json report.json"]

    @sanity_function
    def conforms(self):
        with open(os.path.join(self.stagedir, "report.json")) as file:
            report = json.load(file)
        wrong = [f"{row['node']} {row['selector']}: {row['verdict']}" for row in report["deviating"]]
        return sn.all([sn.assert_eq(report["exit_code"], 0, msg="; ".join(wrong)),
                       sn.assert_gt(report["devices"], 0, msg="no device was tested")])
