// SPDX-License-Identifier: Apache-2.0
// What `halfmark diagnose` prints for people of one training: figures, then stage by stage in the
// order of row R042 what was recorded and which rules apply. Decides the layout alone.
#pragma once

#include <ostream>
#include <vector>

#include "tools/halfmark/training/rules.hpp"

namespace halfmark::tools {

void print_figures(const TrainingLog& log, std::ostream& out);
/// The model, its data, the first steps, the course of the scale, the gradients of each layer.
void print_stages(const TrainingLog& log, const std::vector<Applied>& applied, std::ostream& out);

}  // namespace halfmark::tools
