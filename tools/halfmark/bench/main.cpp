// SPDX-License-Identifier: Apache-2.0
#include "tools/halfmark/bench/bench.hpp"

int main(int argc, char** argv) { return halfmark::tools::run_bench_program(argc, argv); }
