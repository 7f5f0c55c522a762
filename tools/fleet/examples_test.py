#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The examples beside this file: shells accept the scripts, parsers the manifests, and they name options that exist.

Usage: examples_test.py HALFMARK. Manifests are parsed if Python's yaml is installed, and compared with the schemas of
Kubernetes if kubernetes-validate is. No scheduler takes part; ci/fleet starts one.
"""
import ast
import json
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

HERE = pathlib.Path(__file__).resolve().parent
HALFMARK = sys.argv[1]
SHELLS = sorted([*HERE.glob("*.sh"), *HERE.glob("*.sbatch")])


def manifest(name):
    try:
        import yaml
    except ImportError:
        raise unittest.SkipTest("Python's yaml is not installed (python3-yaml)")
    return yaml.safe_load((HERE / name).read_text())


class Examples(unittest.TestCase):
    def test_shells_accept_the_scripts(self):
        self.assertEqual(5, len(SHELLS))
        for script in SHELLS:
            shell = "sh" if script.read_text().startswith("#!/bin/sh") else "bash"
            done = subprocess.run([shell, "-n", str(script)], capture_output=True, text=True)
            self.assertEqual((0, ""), (done.returncode, done.stderr), script.name)

    def test_options_exist(self):
        files = [*SHELLS, *HERE.glob("*.yaml"), *HERE.glob("*.py"), HERE / "README.md"]
        found = 0
        for verb in "run", "merge":
            help_text = subprocess.run([HALFMARK, "fleet", verb, "--help"], capture_output=True, text=True).stdout
            known = set(re.findall(r"--[a-z-]+", help_text))
            for file in files:
                text = file.read_text().replace("\\\n", " ")
                for command in re.findall(rf"halfmark fleet {verb} ([^\n|;`]*)", text):
                    for option in re.findall(r"(?<= )--[a-z-]+", command):
                        self.assertIn(option, known, f"{file.name}: {command}")
                        found += 1
        self.assertGreater(found, 15)

    def test_the_job_gives_each_pod_its_place(self):
        job = manifest("kubernetes_job.yaml")
        self.assertEqual(("batch/v1", "Job"), (job["apiVersion"], job["kind"]))
        spec = job["spec"]
        pod = spec["template"]["spec"]
        names = {one["name"]: one for one in pod["containers"][0]["env"]}
        self.assertEqual("Indexed", spec["completionMode"])
        self.assertEqual({"NODE_NAME", "HALFMARK_RUN", "HALFMARK_TASKS"}, set(names))
        self.assertEqual(str(spec["completions"]), names["HALFMARK_TASKS"]["value"])
        self.assertEqual(spec["completions"], spec["parallelism"])
        self.assertEqual("Never", pod["restartPolicy"])
        self.mounts_are_volumes(pod)

    def test_the_daemon_set_selects_its_pods(self):
        daemons = manifest("kubernetes_daemonset.yaml")
        self.assertEqual(("apps/v1", "DaemonSet"), (daemons["apiVersion"], daemons["kind"]))
        template = daemons["spec"]["template"]
        self.assertEqual(daemons["spec"]["selector"]["matchLabels"], template["metadata"]["labels"])
        self.mounts_are_volumes(template["spec"])
        loop = template["spec"]["containers"][0]["args"][0]
        self.assertEqual(0, subprocess.run(["sh", "-n"], input=loop, text=True).returncode)

    def test_manifests_fit_the_schemas_of_kubernetes(self):
        try:
            import kubernetes_validate
        except ImportError:
            raise unittest.SkipTest("kubernetes-validate (PyPI) is not installed")
        for name in "kubernetes_job.yaml", "kubernetes_daemonset.yaml":
            kubernetes_validate.validate(manifest(name), "1.27", strict=True)

    def mounts_are_volumes(self, pod):
        for container in pod["containers"]:
            self.assertEqual({one["name"] for one in pod["volumes"]}, {one["name"] for one in container["volumeMounts"]})

    def test_the_detector_names_the_plug_in(self):
        detector = json.loads((HERE / "node_problem_detector.json").read_text())
        self.assertEqual("custom", detector["plugin"])
        condition = detector["conditions"][0]["type"]
        for rule in detector["rules"]:
            self.assertEqual(condition, rule["condition"])
            self.assertTrue((HERE / pathlib.Path(rule["path"]).name).exists())

    def test_the_plug_in_reads_reports(self):
        with tempfile.TemporaryDirectory() as name:
            report = pathlib.Path(name) / "report.json"

            def answer(**environment):
                done = subprocess.run(["sh", str(HERE / "node_problem.sh")], capture_output=True, text=True,
                                      env={"PATH": "/usr/bin:/bin", "HALFMARK_REPORT": str(report), **environment})
                self.assertLessEqual(len(done.stdout.strip()), 80)
                return done.returncode
            self.assertEqual(2, answer())
            for code, expected in (0, 0), (1, 1), (4, 2):
                report.write_text(json.dumps({"devices": 1, "exit_code": code, "notes": []}, indent=2))
                self.assertEqual(expected, answer())
            self.assertEqual(2, answer(HALFMARK_MOST_AGE_MINUTES="0"))

    def test_the_plug_in_reads_what_merge_writes(self):
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            (folder / "nothing").mkdir()
            (folder / "roster").write_text("a\n")
            subprocess.run([HALFMARK, "fleet", "merge", str(folder / "nothing"), "--roster", str(folder / "roster"), "--json",
                            str(folder / "report.json")], capture_output=True)
            done = subprocess.run(["sh", str(HERE / "node_problem.sh")], capture_output=True, text=True,
                                  env={"PATH": "/usr/bin:/bin", "HALFMARK_REPORT": str(folder / "report.json")})
            self.assertEqual((2, "halfmark: a device gave no answer\n"), (done.returncode, done.stdout))

    def test_python_parses(self):
        ast.parse((HERE / "reframe_test.py").read_text())


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
