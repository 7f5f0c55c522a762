#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Fails when an include points up, when the core names a vendor, when a file grows too large, or when a suite lacks its README
or a test. (Functions are measured by clang-tidy: `ci/tidy`.)

Decides the arrows between rooms (the single table below) and where vendor words may appear. Reads text only; compiles
nothing. `--self-test` proves that each rule can fail, and then holds the tree to what a build of a new suite does not need
yet: a link from the map in the root README to the README of every suite.
"""
import argparse
import pathlib
import re
import sys
import tempfile

# Room -> rooms that it may include. A room is the longest matching prefix of a path.
ARROWS = {
    "reference/files": [],
    "reference/text": [],
    "reference/formats": [],
    "reference/soft": ["reference/formats"],
    "reference/models": ["reference/soft", "reference/formats"],
    "reference/operators": ["reference/models", "reference/soft", "reference/formats"],
    "reference/fast": ["reference/operators", "reference/models", "reference/soft", "reference/formats"],
    "reference/inference": ["reference/fast", "reference/operators", "reference/models", "reference/soft", "reference/formats"],
    "reference/slow": ["reference/operators", "reference/models", "reference/soft", "reference/formats"],
    "kernels": [],
    "backends": ["reference/formats", "reference/files", "reference/text", "kernels"],
    "suites/core/case": ["reference/fast", "reference/operators", "reference/soft", "reference/formats", "reference/text"],
    "suites/core/execute": ["suites/core/case", "backends", "kernels", "reference/formats", "reference/text"],
    "suites/core/bounds": ["suites/core/case", "suites/core/execute", "reference"],
    "suites/core/judge": ["suites/core/case", "suites/core/execute", "backends", "reference/formats", "reference/text"],
    "suites/core/suite": ["suites/core/case", "suites/core/execute", "suites/core/judge", "backends", "reference"],
    "suites/core/diagnose": ["suites/core/case", "suites/core/execute", "suites/core/bounds", "suites/core/judge", "suites/core/suite",
                             "reference"],
    "suites/core/identify": ["suites/core/case", "suites/core/execute", "suites/core/bounds", "suites/core/suite", "reference"],
    "suites/core/verdict": ["suites/core/case", "suites/core/execute", "suites/core/judge", "suites/core/suite", "suites/core/diagnose",
                            "backends", "reference"],
    "suites/core/golden": ["suites/core/execute", "suites/core/judge", "suites/core/suite", "suites/core/case", "backends",
                           "reference/fast", "reference/formats"],
    "suites/core/run": ["suites/core/case", "suites/core/execute", "suites/core/judge", "suites/core/golden", "suites/core/suite",
                        "suites/core/verdict", "backends", "reference/formats", "reference/models"],
    "suites/core/experiment": ["suites/core/case", "suites/core/execute", "suites/core/judge", "suites/core/suite",
                               "suites/core/diagnose", "suites/core/verdict", "suites/core/run", "backends", "reference"],
    "suites/core/shrink": ["suites/core", "backends", "reference"],
    "suites/core/testing": ["suites", "reference", "backends", "kernels"],
    "suites": ["suites", "reference", "backends", "kernels"],
    "suites/runner": ["suites", "reference", "backends", "kernels"],
    "reports": ["suites/core", "reference/formats", "reference/files", "reference/text"],
    "reports/writers": ["reports", "suites/core", "reference/formats", "reference/files", "reference/text"],
    "fleet": ["reports", "reference/text"],
    "tools": ["tools", "fleet", "reports", "suites", "backends", "kernels", "reference"],
}
# Of the rooms below them, reports may include only plain data: never tensors, backends or kernels.
REPORTS_MAY_SEE = {"suites/core/judge/result.hpp", "suites/core/case/contract.hpp", "suites/core/case/finding_classes.hpp"}
# The naive twin serves tests and the shipped self-test; its parts that need foreign libraries serve only tests.
TWIN_MAY_SERVE = ("reference/slow/", "tools/halfmark/selftest/")
TWIN_OF_TESTS_ONLY = re.compile(r"^reference/slow/(mpfr|rational|unit|check|fuzz)")
# The software device's library shares no code with the reference; its tests compare the two.
TESTED_AGAINST = {"backends/host/library/": "reference/"}
# A suite must not include another suite; code that two suites share belongs in suites/core.
SHARED_SUITE_ROOMS = {"core", "runner", "throughput"}
# ... but a suite of a composed operator launches the kernels of the operators that it consists of.
COMPOSED_OF = {"loss_scaled_backward": {"gemm"}}

CORE = ("reference", "kernels", "suites", "reports", "fleet")
VENDOR = re.compile(
    r"(?<![a-z])(nvidia|cuda|nvrtc|cublas|hip|hiprtc|rocm|rocblas|amd|musa|mthreads|mublas|intel|opencl|pocl|mesa|rusticl|"
    r"llvmpipe|oclgrind|clblast)(?![a-z])", re.IGNORECASE)
# Citations name specifications, and the dialect is defined in terms of the languages as which it must compile.
MAY_CITE = re.compile(r"^(kernels/README\.md|suites/[a-z_]+/contract\.cpp|suites/[a-z_]+/README\.md|reports/golden/.*)$")

SOURCE = {".cpp", ".hpp", ".h", ".hk"}
# .hk texts and documents of the core are checked for vendor words too.
TEXT = SOURCE | {".md", ".json", ".html", ".css", ".txt"}
MAX_FILE_LINES = 500


def room_of(path: str) -> str:
    matches = [room for room in ARROWS if path == room or path.startswith(room + "/")]
    return max(matches, key=len, default="")


def suite_of(path: str) -> str:
    parts = path.split("/")
    return parts[1] if parts[0] == "suites" and len(parts) > 2 else ""


def arrow_errors(path: str, text: str):
    here = room_of(path)
    is_test = path.endswith(("_test.cpp", "_fuzz.cpp")) or "/testing/" in path
    for number, line in enumerate(text.splitlines(), 1):
        match = re.match(r'\s*#include "([^"]+)"', line)
        if not match:
            continue
        target = match.group(1)
        there = room_of(target)
        if not there or there == here:
            pass
        elif is_test and here.split("/")[0] == there.split("/")[0]:
            pass  # a test may use its whole room, including the naive twin
        elif is_test and any(path.startswith(a) and target.startswith(b) for a, b in TESTED_AGAINST.items()):
            pass
        elif not any(there == a or there.startswith(a + "/") for a in ARROWS[here]):
            yield f"{path}:{number}: {here} may not include {target}"
        shipped = not is_test and not path.startswith("reference/slow/")
        if shipped and target.startswith("reference/slow/"):
            if not path.startswith(TWIN_MAY_SERVE) or TWIN_OF_TESTS_ONLY.match(target):
                yield f"{path}:{number}: {target} is for tests"
        if here in ("reports", "reports/writers") and target.startswith("suites/") and target not in REPORTS_MAY_SEE:
            yield f"{path}:{number}: reports see plain data only, not {target}"
        mine, other = suite_of(path), suite_of(target)
        neighbours = mine and other and mine != other and not {mine, other} & SHARED_SUITE_ROOMS
        if neighbours and other not in COMPOSED_OF.get(mine, ()):
            yield f"{path}:{number}: suite {mine} may not look at suite {other}"


def vendor_errors(path: str, text: str):
    # Published files are data about devices, written by programs, and name them.
    if path.split("/")[0] not in CORE or MAY_CITE.match(path) or path.startswith("reports/published/"):
        return
    for number, line in enumerate(text.splitlines(), 1):
        match = VENDOR.search(line)
        if match:
            yield f"{path}:{number}: the core may not name a vendor or API: '{match.group(0)}'"

# What drives a device stays in a few rooms of the core: the others are functions of values.
LAUNCHES = {"suites/core/execute/execute.hpp", "suites/core/execute/copy_fault.hpp"}
OF_VALUES = ("suites/core/case/", "suites/core/bounds/", "suites/core/judge/", "suites/core/diagnose/", "suites/core/verdict/")


def launch_errors(path: str, text: str):
    if not path.startswith(OF_VALUES) or path.endswith("_test.cpp"):
        return
    for number, line in enumerate(text.splitlines(), 1):
        match = re.match(r'\s*#include "([^"]+)"', line)
        if match and match.group(1) in LAUNCHES or re.search(r"\bSession\b(?=[ &*>])", line):
            yield f"{path}:{number}: {room_of(path)} is a room of values, which drives no device"


def size_errors(path: str, text: str):
    lines = text.count("\n")
    if lines > MAX_FILE_LINES and not path.startswith("reports/golden/"):
        yield f"{path}: {lines} lines; the limit is {MAX_FILE_LINES}"


def header_errors(path: str, text: str):
    if path.endswith((".cpp", ".hpp", ".h", ".hk")) and "SPDX-License-Identifier" not in text[:200]:
        yield f"{path}: the SPDX line is missing"


def types_in(text: str):
    """The full names of the types that a file defines outside of functions and unnamed namespaces."""
    spaces = []
    for line in text.splitlines():
        if opened := re.match(r"namespace ([\w:]*) ?\{$", line):
            spaces.append(opened[1])
        elif re.match(r"\}  // namespace", line) and spaces:
            spaces.pop()
        elif (found := re.match(r"(?:class|struct|union) (\w+)(?: final)?(?: : .*)?(?: \{.*)?$", line)) and "" not in spaces:
            yield "::".join([*spaces, found[1]])


# Two definitions of one name are undefined behaviour that no compiler and no linker reports.
def type_errors(places: dict):
    for name, paths in sorted(places.items()):
        if len(paths) > 1:
            yield f"{paths[1]}: {name} is another type in {paths[0]}"


def suites_in(root: pathlib.Path):
    return sorted(header.parent for header in root.glob("suites/*/suite.hpp"))


def suite_errors(root: pathlib.Path):
    for folder in suites_in(root):
        if not (folder / "README.md").is_file():
            yield f"suites/{folder.name}: the suite has no README.md"
        if not any(folder.glob("*_test.cpp")):
            yield f"suites/{folder.name}: the suite has no test"


def link_errors(root: pathlib.Path):
    text = (root / "README.md").read_text(encoding="utf-8")
    for folder in suites_in(root):
        if f"(suites/{folder.name}/README.md)" not in text:
            yield f"README.md: the map has no link to suites/{folder.name}/README.md"


def check(root: pathlib.Path):
    places = {}
    for path in sorted(root.rglob("*")):
        relative = path.relative_to(root).as_posix()
        if not room_of(relative) or path.suffix not in TEXT or not path.is_file():
            continue
        text = path.read_text(encoding="utf-8")
        yield from vendor_errors(relative, text)
        if path.suffix in SOURCE:
            yield from arrow_errors(relative, text)
            yield from launch_errors(relative, text)
            yield from size_errors(relative, text)
            yield from header_errors(relative, text)
            if path.suffix in (".hpp", ".cpp") and not relative.endswith(("_test.cpp", "_fuzz.cpp")):
                for name in set(types_in(text)):
                    places.setdefault(name, []).append(relative)
    yield from type_errors(places)
    yield from suite_errors(root)


def self_test_of_suites() -> None:
    """A suite needs each of its files, and its link."""
    with tempfile.TemporaryDirectory() as name:
        root = pathlib.Path(name)
        folder = root / "suites/softmax"
        files = {"suite.hpp": "// SPDX-License-Identifier: Apache-2.0\n", "suite_test.cpp": "// SPDX-License-Identifier: Apache-2.0\n",
                 "README.md": "# softmax\n"}
        folder.mkdir(parents=True)
        for file, text in files.items():
            (folder / file).write_text(text)
        (root / "README.md").write_text("[softmax](suites/softmax/README.md)\n")
        assert not [*check(root), *link_errors(root)], "a whole suite is refused"
        for file in "suite_test.cpp", "README.md":
            (folder / file).unlink()
            assert list(check(root)), f"not caught: a suite without {file}"
            (folder / file).write_text(files[file])
        (root / "README.md").write_text("softmax, of suites/softmax/README.md\n")
        assert list(link_errors(root)), "not caught: a suite without a link"


def self_test() -> None:
    spdx = "// SPDX-License-Identifier: Apache-2.0\n"
    wrong = {
        "reference/soft/a.hpp": spdx + '#include "reference/models/m.hpp"\n',
        "backends/b.cpp": spdx + '#include "suites/core/case/case.hpp"\n',
        "reports/c.cpp": spdx + '#include "suites/core/execute/execute.hpp"\n',
        "suites/gemm/d.cpp": spdx + '#include "suites/softmax/suite.hpp"\n',
        "suites/core/judge/e.cpp": spdx + "// works around CUDA\n",
        "reports/n.cpp": spdx + '#include "reports/writers/text.hpp"\n',
        "reports/l.cpp": spdx + '#include "fleet/merge.hpp"\n',
        "fleet/m.cpp": spdx + '#include "suites/runner/run.hpp"\n',
        "kernels/f.hk": "no licence\n",
        "tools/halfmark/run.cpp": spdx + '#include "reference/slow/slow.hpp"\n',
        "tools/halfmark/selftest/i.cpp": spdx + '#include "reference/slow/mpfr.hpp"\n',
        "tools/g.cpp": spdx + "\n" * 501,
        "suites/core/judge/j.cpp": spdx + '#include "suites/core/execute/execute.hpp"\n',
        "suites/core/verdict/k.hpp": spdx + "void judge(Session& session);\n",
    }
    right = {
        "reference/soft/a.hpp": spdx + '#include "reference/formats/m.hpp"\n// a ship, a hipster, an amdahl\n',
        "tools/halfmark/selftest/i.cpp": spdx + '#include "reference/slow/slow.hpp"\n',
        "tools/halfmark/ref/a_test.cpp": spdx + '#include "reference/slow/mpfr.hpp"\n',
        "suites/gemm/contract.cpp": spdx + '// OpenCL C 1.2, 7.4\n#include "suites/core/case/contract.hpp"\n',
    }
    for path, text in wrong.items():
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder) / path
            file.parent.mkdir(parents=True)
            file.write_text(text)
            assert list(check(pathlib.Path(folder))), f"not caught: {path}"
    twice = spdx + "namespace halfmark::suites {\nclass Answer final : public Base {\n};\n}  // namespace halfmark::suites\n"
    with tempfile.TemporaryDirectory() as folder:
        for path in "suites/core/judge/a.hpp", "suites/runner/b.cpp":
            file = pathlib.Path(folder) / path
            file.parent.mkdir(parents=True)
            file.write_text(twice)
        assert list(check(pathlib.Path(folder))), "not caught: one name for two types"
    with tempfile.TemporaryDirectory() as folder:
        right["suites/core/judge/unnamed.cpp"] = right["suites/core/run/unnamed.cpp"] = spdx + "namespace {\nstruct Row {\n};\n}\n"
        for path, text in right.items():
            file = pathlib.Path(folder) / path
            file.parent.mkdir(parents=True)
            file.write_text(text)
        errors = list(check(pathlib.Path(folder)))
        assert not errors, errors


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("root", nargs="?", default=".")
    parser.add_argument("--self-test", action="store_true")
    args = parser.parse_args()
    if args.self_test:
        self_test()
        self_test_of_suites()
        print("check_layers: every rule can fail")
    root = pathlib.Path(args.root)
    errors = [*check(root), *(link_errors(root) if args.self_test else ())]
    for error in errors:
        print(error, file=sys.stderr)
    return 1 if errors else 0


if __name__ == "__main__":
    sys.exit(main())
