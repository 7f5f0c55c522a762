// SPDX-License-Identifier: Apache-2.0
//
// Where the packages of Python lie, in which vendors publish their libraries as wheels.
#pragma once

// A list of string literals: the folder in all places where packages may be installed, the active
// environment first.
// clang-format off: one row per line
#define HM_PYTHON_FOLDERS(folder) \
  "$VIRTUAL_ENV/lib*/python3*/site-packages/" folder, \
  "$CONDA_PREFIX/lib/python3*/site-packages/" folder, \
  "$PYTHON3/lib*/python3*/*-packages/" folder, \
  "$HOME/.local/lib*/python3*/site-packages/" folder, \
  "/usr/local/lib*/python3*/*-packages/" folder, \
  "$HOME/.pyenv/versions/*/lib/python3*/site-packages/" folder, \
  "/opt/*/lib*/python3*/site-packages/" folder, \
  "/opt/*/.venv/lib*/python3*/site-packages/" folder
// clang-format on
