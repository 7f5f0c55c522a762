#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Which sources can be compiled as one file: those in which every name of a namespace, macro and command-line definition
has the same meaning. Parsing the same headers in every source takes most of a build's and of an analysis' time.

  source_units.py --most N OUTPUT   reads lines "TARGET;FOLDER;SOURCE;..." from the standard input, and writes CMake code
                                    that groups the sources of each target, at most N in a group
"""
import functools
import os
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent

NAMESPACE = re.compile(r"(?:inline )?namespace ?([\w:]*) ?\{$")
TYPE = re.compile(r"(?:struct|class|union|enum(?: class)?) (\w+).*\{")
TEST = re.compile(r"(?:TEST|TEST_F|TEST_P|INSTANTIATE_TEST_SUITE_P)\((\w+),\s*(\w+)")
OTHER = re.compile(r"(?!\s)[^#/}()=]*?\b([\w:]+)(?:\[.*|\(.*| =(?: .*)?|\{.*|;)$")
USED = re.compile(r"using (?:[\w:]+::)?(\w+)(?: = .*)?;$")
FURTHER = re.compile(r"(?:^ +|, )(k[A-Z]\w*)(?= = |\[|\{)")  # constants behind the first of a declaration
PRECOMPILED = {"fmt", "gtest", "nlohmann", "sys"}  # halfmark.cmake; those of the system are small
MACRO = re.compile(r"#define (\w+)", re.MULTILINE)


@functools.cache
def text_of(file):
    return (ROOT / file).read_text()


@functools.cache
def declarations(file, declared):
    """(namespace, name, whether no other source sees it, what identifies its meaning); names start in the first column, as
    clang-format leaves them."""
    found, around, in_constants = [], [], False
    for line in text_of(file).splitlines():
        opened, used = NAMESPACE.match(line), USED.match(line)
        test = TEST.match(line)
        names = ["_".join(test.groups())] if test else [match[1] for match in (pattern.match(line) for pattern in declared) if match]
        in_constants = line.startswith(("constexpr ", "inline constexpr ", "const ")) or in_constants and line.startswith(" ")
        if in_constants:
            names += FURTHER.findall(line)
        if opened:
            around.append(opened[1])
        elif line.startswith("}  // namespace"):
            around = around[:-1]  # Text of other sources may appear in strings.
        elif used:
            found.append(("::".join(filter(None, around)), used[1], "" in around, line))
        else:
            found += [("::".join(filter(None, around)), name, "" in around, file) for name in dict.fromkeys(names)]
    return found


def meanings_in(file, declared):
    """(namespace, name) -> what identifies its meaning"""
    meanings = {(namespace, name): meaning for namespace, name, _, meaning in declarations(file, declared)}
    meanings.update({("", name): file for name in MACRO.findall(text_of(file))})
    return meanings


@functools.cache
def own_headers(file):
    return [name for name in re.findall(r'^#include "(.*)"', (ROOT / file).read_text(), re.MULTILINE) if (ROOT / name).exists()]


def headers_behind(file):
    """All headers of the project that the file includes, directly or indirectly."""
    seen, unread = [], list(own_headers(file))
    while unread:
        header = unread.pop()
        if header not in seen:
            seen.append(header)
            unread += own_headers(header)
    return seen


types_in = functools.cache(lambda header: meanings_in(header, (TYPE,)))


def all_meanings_in(source):
    """The meanings in the source, and the types and macros of the headers that it includes."""
    meanings = meanings_in(source, (TYPE, OTHER))
    for header in headers_behind(source):
        meanings.update(types_in(header))
    return meanings


@functools.cache
def outside_headers(source):
    """Headers of libraries that the source parses, directly or indirectly, and that are not among the precompiled ones."""
    texts = [text_of(file) for file in [source, *headers_behind(source)]]
    return sorted({name for text in texts for name in re.findall(r"^#include <(\w+)/", text, re.MULTILINE)} - PRECOMPILED)


def agree(these, those):
    return all(those.get(name, meaning) == meaning for name, meaning in these.items())


@functools.cache
def words_in(file):
    return frozenset(re.findall(r"\b[a-zA-Z_]\w*", text_of(file)))


@functools.cache
def seen_by(source):
    """Name -> the namespaces in which the headers of the source declare it, of names that the source or a header uses."""
    headers = headers_behind(source)
    words = words_in(source).union(*map(words_in, headers))
    seen = {}
    for header in headers:
        for namespace, name, _, _ in declarations(header, (TYPE, OTHER)):
            if name in words:
                seen.setdefault(name, set()).add(namespace)
    return seen


@functools.cache
def local_to(source):
    """(namespace, name) of what the source alone declares."""
    shared = {(namespace, name) for header in headers_behind(source)
              for namespace, name, _, _ in declarations(header, (TYPE, OTHER))}
    return {(namespace, name) for namespace, name, is_local, _ in declarations(source, (TYPE, OTHER))
            if is_local or (namespace, name) not in shared}


def hides(source, other):
    """Whether a name of the source would stand before one that the other means, from the same namespace or one around it."""
    seen = seen_by(other)
    return any(f"{namespace}::".startswith(f"{outer}::" if outer else "")
               for namespace, name in local_to(source) for outer in seen.get(name, ()))


class Unit:
    def __init__(self):
        self.sources, self.meanings, self.definitions, self.words = [], {}, {}, []

    def takes(self, source, meanings, definitions, most):
        return (len(self.sources) < most and agree(meanings, self.meanings) and agree(definitions, self.definitions)
                and not any(hides(source, other) or hides(other, source) for other in self.sources))

    def add(self, source, meanings, definitions, words):
        self.sources.append(source)
        self.meanings.update(meanings)
        self.definitions.update(definitions)
        self.words += [word for word in words if word not in self.words]

    def flags(self):
        return [f"{name}={value}" if value else name for name, value in self.definitions.items()] + self.words


def units_of(flags, most):
    """Sources -> (definitions by name, other words of their command lines) as units of at most that many sources. Sources that
    parse a library that is not precompiled share units, so that few do; these may be twice as large."""
    units = []
    for source, (definitions, words) in sorted(flags.items(), key=lambda item: (outside_headers(item[0]), item[0])):
        meanings = all_meanings_in(source)
        room = 2 * most if outside_headers(source) else most
        unit = next((unit for unit in units if unit.takes(source, meanings, definitions, room)), None)
        if not unit:
            units.append(unit := Unit())
        unit.add(source, meanings, definitions, words)
    return units


def stays_alone(source):
    """Whether an object of the source must be linked only where one of its names is used, or whether the source looks for
    names in a whole namespace, where those of its neighbours would stand before them."""
    return (any("[[gnu::constructor]]" in text_of(file) for file in [source, *headers_behind(source)])
            or re.search(r"^using namespace (?!std::)", text_of(source), re.MULTILINE))


def grouped(target, folder, sources, most):
    """CMake code for one target. Some sources stay alone, among them those outside the project, which may not exist
    yet."""
    paths = [os.path.normpath(os.path.join(folder, source)) for source in sources if source.endswith(".cpp")]
    own = [os.path.relpath(path, ROOT) for path in paths
           if os.path.exists(path) and not path.startswith(str(ROOT / "build"))]
    own = [path for path in own if not stays_alone(path)]
    lines = []
    for number, unit in enumerate(units_of({path: ({}, []) for path in own}, most)):
        if len(unit.sources) > 1:
            names = " ".join(f'"{ROOT / path}"' for path in unit.sources)
            lines.append(f'set_source_files_properties({names} TARGET_DIRECTORY {target} PROPERTIES UNITY_GROUP {target}_{number})')
    return lines


def main():
    if len(sys.argv) != 4 or sys.argv[1] != "--most":
        sys.exit(__doc__)
    lines = []
    for line in sys.stdin.read().split():
        target, folder, *sources = line.split(";")
        lines += grouped(target, folder, sources, int(sys.argv[2]))
    pathlib.Path(sys.argv[3]).write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
