// SPDX-License-Identifier: Apache-2.0
#include "tools/halfmark/program.hpp"

int main(int argc, char** argv) { return halfmark::tools::run_program(argc, argv); }
