// SPDX-License-Identifier: Apache-2.0
#include "fleet/launcher.hpp"

#include <fmt/format.h>

#include <charconv>

#include "fleet/roster.hpp"
#include "reference/text/visible.hpp"

namespace halfmark::fleet {
namespace {

// Each column names environment variables, of which the first that is set counts; "":
// there is none.
struct Row {
  const char* name;
  const char* rank;
  const char* size[2];
  const char* node[2];
  const char* run[3];
  const char* array;  // elements of a job array are tasks of one run
  const char* array_size;
  const char* array_run;
};

// The first row whose rank is set counts: inside of an allocation of Slurm, mpirun's own words are
// right and those of Slurm describe its daemons.
constexpr Row kRows[] = {
    {"open-mpi",
     "OMPI_COMM_WORLD_RANK",
     {"OMPI_COMM_WORLD_SIZE", ""},
     {"", ""},
     {"SLURM_JOB_ID", "PMIX_NAMESPACE", "OMPI_MCA_ess_base_jobid"},
     "SLURM_ARRAY_TASK_ID",
     "SLURM_ARRAY_TASK_COUNT",
     "SLURM_ARRAY_JOB_ID"},
    {"slurm",
     "SLURM_PROCID",
     {"SLURM_STEP_NUM_TASKS", "SLURM_NTASKS"},
     {"SLURMD_NODENAME", ""},
     {"SLURM_JOB_ID", "", ""},
     "SLURM_ARRAY_TASK_ID",
     "SLURM_ARRAY_TASK_COUNT",
     "SLURM_ARRAY_JOB_ID"},
    {"pmi",
     "PMI_RANK",
     {"PMI_SIZE", ""},
     {"", ""},
     {"PBS_JOBID", "LSB_JOBID", "PMI_JOBID"},
     "",
     "",
     ""},
    {"kubernetes",
     "JOB_COMPLETION_INDEX",
     {"HALFMARK_TASKS", ""},
     {"NODE_NAME", ""},
     {"HALFMARK_RUN", "", ""},
     "",
     "",
     ""},
};

std::optional<std::string> value_of(const Environment& environment, const char* variable) {
  if (*variable == '\0') return std::nullopt;
  auto value = environment(variable);
  return value && !value->empty() ? value : std::nullopt;
}

template <std::size_t n>
std::string first_of(const Environment& environment, const char* const (&variables)[n]) {
  for (const char* variable : variables) {
    if (auto value = value_of(environment, variable)) return *value;
  }
  return {};
}

std::uint64_t number_in(const Environment& environment, const char* variable,
                        std::uint64_t otherwise) {
  const auto text = value_of(environment, variable);
  if (!text) return otherwise;
  std::uint64_t number = 0;
  const auto [end, error] = std::from_chars(text->data(), text->data() + text->size(), number);
  if (error == std::errc{} && end == text->data() + text->size()) return number;
  throw LauncherError(fmt::format("{} is '{}', which is no whole number; unset it to start by hand",
                                  variable, text::visible_line(*text)));
}

template <std::size_t n>
std::uint64_t first_number(const Environment& environment, const char* const (&variables)[n]) {
  for (const char* variable : variables) {
    if (value_of(environment, variable)) return number_in(environment, variable, 0);
  }
  return 0;
}

Task task_of(const Row& row, const Environment& environment, const std::string& host,
             const std::string& fresh_run) {
  const std::uint64_t rank = number_in(environment, row.rank, 0);
  Task task{.launcher = row.name,
            .run = first_of(environment, row.run),
            .task = std::to_string(rank),
            .size = first_number(environment, row.size),
            .node = first_of(environment, row.node)};
  if (value_of(environment, row.array)) {
    task.task = fmt::format("{}.{}", number_in(environment, row.array, 0), rank);
    task.size = std::max<std::uint64_t>(task.size, 1) * number_in(environment, row.array_size, 0);
    if (const auto run = value_of(environment, row.array_run)) task.run = *run;
  }
  task.run = task.run.empty() ? fresh_run : fmt::format("{}-{}", row.name, task.run);
  if (task.node.empty()) task.node = host;
  return task;
}

}  // namespace

Task task_from(const Environment& environment, const std::string& host,
               const std::string& fresh_run) {
  Task task{.launcher = "by hand", .run = fresh_run, .task = "0", .size = 0, .node = host};
  for (const Row& row : kRows) {
    if (!value_of(environment, row.rank)) continue;
    task = task_of(row, environment, host, fresh_run);
    break;
  }
  task.run = plain_name(task.run);
  task.node = plain_name(task.node);
  return task;
}

std::string plain_name(std::string name) {
  for (char& c : name) {
    if (!is_plain_name(std::string(1, 'x') + c)) c = '-';
  }
  if (name.empty() || !is_plain_name(name)) name = "x" + name;
  if (name.size() > 253) name.resize(253);
  return name;
}

}  // namespace halfmark::fleet
