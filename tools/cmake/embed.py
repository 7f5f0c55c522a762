#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Turns text files into one C++ source of string_view constants.

Decides how text gets into the binary; does not interpret the text. Assumes UTF-8 files.
Splits long literals because compilers limit one literal to 64 KiB.
"""
import argparse
import pathlib
import re

CHUNK = 12000


def literal(text: str) -> str:
    chunks = [text[i : i + CHUNK] for i in range(0, len(text), CHUNK)] or [""]
    return "\n    ".join(f'R"HM_TEXT({chunk})HM_TEXT"' for chunk in chunks)


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--header", required=True)
    parser.add_argument("--include", required=True)
    parser.add_argument("--namespace", required=True)
    parser.add_argument("files", nargs="+")
    args = parser.parse_args()
    header = pathlib.Path(args.header)
    header.parent.mkdir(parents=True, exist_ok=True)
    names = {re.sub(r"\W", "_", pathlib.Path(f).name): pathlib.Path(f) for f in args.files}
    declarations = "".join(f"extern const std::string_view {name};\n" for name in names)
    header.write_text(f"#pragma once\n#include <string_view>\n// NOLINTBEGIN: named after the files\nnamespace {args.namespace} {{\n{declarations}}}\n// NOLINTEND\n")
    definitions = "".join(
        f"const std::string_view {name} =\n    {literal(path.read_text())};\n" for name, path in names.items()
    )
    header.with_suffix(".cpp").write_text(
        f'#include "{args.include}"\nnamespace {args.namespace} {{\n{definitions}}}\n'
    )


if __name__ == "__main__":
    main()
