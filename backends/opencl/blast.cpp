// SPDX-License-Identifier: Apache-2.0
#include "backends/opencl/blast.hpp"

#include <dlfcn.h>
#include <fmt/format.h>
#include <link.h>

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <utility>
#include <vector>

#include "backends/gemm_problem.hpp"
#include "backends/opencl/api.hpp"
#include "backends/opencl/blast_names.hpp"

namespace halfmark::backends::opencl {
namespace {

constexpr const char* kName = "CLBlast";
constexpr const char* kVariable = "HALFMARK_OPENCL_BLAS";

struct Calls {
#define HM_BLAST_MEMBER(symbol, type) type symbol = nullptr;
  HM_BLAST_CALLS(HM_BLAST_MEMBER)
#undef HM_BLAST_MEMBER
};

enum Number {
#define HM_BLAST_ENUMERATOR(enumerator, value) k##enumerator = value,
  HM_BLAST_NUMBERS(HM_BLAST_ENUMERATOR)
#undef HM_BLAST_ENUMERATOR
};

struct Answer {
  int code;
  const char* name;
  bool declines;
};
#define HM_BLAST_DECLINE(enumerator, value) {value, #enumerator, true},
#define HM_BLAST_FAILURE(enumerator, value) {value, #enumerator, false},
constexpr Answer kAnswers[] = {HM_BLAST_DECLINES(HM_BLAST_DECLINE)
                                   HM_BLAST_FAILURES(HM_BLAST_FAILURE)};

// A routine of half precision computes in fp16, of which its documents say as little: what they
// leave open of fp32 they leave open of fp16.
std::vector<Promise> promises() {
  std::vector<Promise> all = left_open(
      kName, "CLBlast's README, doc/api.md, doc/routines.md and doc/faq.md", Of::kProducts);
  for (Promise row : std::vector<Promise>(all)) {
    constexpr std::string_view kOfFp32 = "fp32.";
    if (!row.capability.starts_with(kOfFp32)) continue;
    row.capability = "fp16.arithmetic." + row.capability.substr(kOfFp32.size());
    all.push_back(std::move(row));
  }
  return all;
}

struct Found {
  Library row{.name = kName,
              .version = {},
              .kind = "library",
              .operators = {"gemm"},
              .usable = false,
              .evidence = {},
              .promises = promises()};
  Calls calls;
};

// The version from the file name that all links lead to: "libclblast.so.1.5.3" gives 1.5.3.
std::string version_of(const std::string& path) {
  std::error_code error;
  const std::string file = std::filesystem::canonical(path, error).filename().string();
  const std::size_t at = file.find(".so.");
  return at == file.npos ? "unknown" : file.substr(at + 4);
}

void* open_library(std::string& evidence) {
  const char* chosen = std::getenv(kVariable);
  const bool is_chosen = chosen != nullptr && *chosen != '\0';
  void* library = dlopen(is_chosen ? chosen : "libclblast.so.1", RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) {
    evidence = fmt::format("{}; install CLBlast (Debian: libclblast1), or name it with {}",
                           dlerror(), kVariable);
    return nullptr;
  }
  const link_map* map = nullptr;
  if (dlinfo(library, RTLD_DI_LINKMAP, &map) == 0) evidence = map->l_name;
  return library;
}

Found find() {
  Found found;
  void* library = open_library(found.row.evidence);
  if (library == nullptr) return found;
#define HM_BLAST_BIND(symbol, type)                                                     \
  found.calls.symbol = reinterpret_cast<type>(dlsym(library, #symbol));                 \
  if (found.calls.symbol == nullptr) {                                                  \
    found.row.evidence += " lacks " #symbol "; it is too old, too new or not complete"; \
    return found;                                                                       \
  }
  HM_BLAST_CALLS(HM_BLAST_BIND)
#undef HM_BLAST_BIND
  found.row.usable = true;
  found.row.version = version_of(found.row.evidence);
  return found;
}

const Found& found() {
  static const Found once = find();
  return once;
}

std::atomic<bool> was_used = false;

std::size_t natural(std::int64_t size) { return static_cast<std::size_t>(size); }

// One matrix in the library's terms: memory, first element, leading dimension.
struct Matrix {
  cl_mem memory;
  std::size_t offset, ld, stride;
  int transpose;
};

// The routines of one precision.
template <typename Scalar>
struct Precision {
  const char* name;
  Gemm<Scalar> one;
  GemmBatch<Scalar> many;
};

template <typename Scalar>
Scalar scalar(double value, const std::string& format) {
  Scalar number{};
  std::memcpy(&number, scalar_bytes(value, format).data(), sizeof number);
  return number;
}

template <typename Scalar>
void multiply(const Precision<Scalar>& with, const GemmProblem& problem,
              cl_mem (*memory_of)(DriverBuffer*), cl_command_queue queue) {
  const std::string& format = problem.d.format;
  const auto matrix = [&](const GemmOperand& operand) {
    if (operand.offset_bytes % sizeof(Scalar) != 0)
      throw NotOffered(fmt::format("{} counts offsets in elements", kName));
    return Matrix{memory_of(operand.buffer), operand.offset_bytes / sizeof(Scalar),
                  natural(operand.leading_dimension), natural(operand.batch_stride),
                  operand.is_transposed ? kCLBlastTransposeYes : kCLBlastTransposeNo};
  };
  const Matrix a = matrix(problem.first);
  const Matrix b = matrix(problem.second);
  const Matrix d = matrix(problem.d);
  const auto alpha = scalar<Scalar>(problem.alpha, format);
  const auto beta = scalar<Scalar>(problem.beta, format);
  const std::size_t m = natural(problem.rows);
  const std::size_t n = natural(problem.columns);
  const std::size_t k = natural(problem.depth);
  const int code =
      problem.batch == 1
          ? with.one(kCLBlastLayoutColMajor, a.transpose, b.transpose, m, n, k, alpha, a.memory,
                     a.offset, a.ld, b.memory, b.offset, b.ld, beta, d.memory, d.offset, d.ld,
                     &queue, nullptr)
          : with.many(kCLBlastLayoutColMajor, a.transpose, b.transpose, m, n, k, alpha, a.memory,
                      a.offset, a.ld, a.stride, b.memory, b.offset, b.ld, b.stride, beta, d.memory,
                      d.offset, d.ld, d.stride, natural(problem.batch), &queue, nullptr);
  check_blast_status(code, with.name);
}

// A routine uses one format for every matrix, its scalars and its sums.
void check_formats(const DriverOperatorCall& call, const GemmProblem& problem) {
  for (const GemmOperand* operand : {&problem.first, &problem.second, &problem.c, &problem.d}) {
    if (operand->format == call.compute) continue;
    throw NotOffered(fmt::format("{} has no gemm of {} matrices that computes in {}", kName,
                                 operand->format, call.compute));
  }
  if (problem.bias != nullptr || !problem.activation.empty())
    throw NotOffered(fmt::format("{}'s gemm adds no bias and applies no activation", kName));
}

void dispatch(const DriverOperatorCall& call, const GemmProblem& problem,
              cl_mem (*memory_of)(DriverBuffer*), cl_command_queue queue) {
  const Calls& calls = found().calls;
  if (call.compute == "fp16") {
    multiply<cl_half>({"CLBlastHgemm", calls.CLBlastHgemm, calls.CLBlastHgemmStridedBatched},
                      problem, memory_of, queue);
  } else if (call.compute == "fp32") {
    multiply<float>({"CLBlastSgemm", calls.CLBlastSgemm, calls.CLBlastSgemmStridedBatched}, problem,
                    memory_of, queue);
  } else if (call.compute == "fp64") {
    multiply<double>({"CLBlastDgemm", calls.CLBlastDgemm, calls.CLBlastDgemmStridedBatched},
                     problem, memory_of, queue);
  } else {
    throw NotOffered(fmt::format("{} has no gemm that computes in {}", kName, call.compute));
  }
}

// Enqueues a marker; returns an empty event when the clock needs none or the driver refuses.
Event mark(cl_command_queue queue, const DeviceClock& clock, cl_int& code) {
  if (!clock.uses_events() || code != CL_SUCCESS) return {};
  cl_event raw = nullptr;
  code = calls().clEnqueueMarkerWithWaitList(queue, 0, nullptr, &raw);
  return code == CL_SUCCESS ? Event(raw) : Event();
}

// The time taken by `enqueue` and the commands that it enqueues.
template <typename Enqueue>
std::uint64_t timed(cl_command_queue queue, DeviceClock& clock, const Enqueue& enqueue) {
  using Clock = std::chrono::steady_clock;
  Reading reading{.call = "clEnqueueMarkerWithWaitList"};
  const auto begin = Clock::now();
  const Event first = mark(queue, clock, reading.code);
  enqueue();
  const Event last = mark(queue, clock, reading.code);
  check("clFinish", calls().clFinish(queue));
  const auto host_ns =
      std::chrono::duration_cast<std::chrono::nanoseconds>(Clock::now() - begin).count();
  if (clock.uses_events() && reading.code == CL_SUCCESS)
    reading = counter_between(first.raw(), CL_PROFILING_COMMAND_END, last.raw());
  return clock.elapsed_ns(reading, static_cast<std::uint64_t>(host_ns));
}

}  // namespace

Library blast_library() { return found().row; }

OperatorOutcome run_blast(const DriverOperatorCall& call, cl_command_queue queue,
                          DeviceClock& clock, cl_mem (*memory_of)(DriverBuffer* buffer)) {
  try {
    const Library& row = found().row;
    if (call.library != row.name) throw NotOffered("there is no library '" + call.library + "'");
    if (!row.usable) throw NotOffered(row.evidence);
    if (call.name != "gemm") throw NotOffered(row.name + " has no " + call.name);
    const GemmProblem problem = gemm_problem(call);
    if (problem.depth == 0) throw NotOffered(fmt::format("{} takes no product of no terms", kName));
    check_formats(call, problem);
    copy_c_into_d(problem);
    was_used = true;
    const std::uint64_t elapsed_ns =
        timed(queue, clock, [&] { dispatch(call, problem, memory_of, queue); });
    return {.supported = true, .answer = {}, .elapsed_ns = elapsed_ns};
  } catch (const NotOffered& answer) {
    return {.supported = false, .answer = answer.what(), .elapsed_ns = 0};
  }
}

void check_blast_status(int status, const char* routine) {
  if (status == 0) return;
  for (const Answer& row : kAnswers) {
    if (row.code != status) continue;
    const std::string words = fmt::format("{}: {} {}", routine, status, row.name);
    if (row.declines) throw NotOffered(words);
    throw BackendError(routine, status, words);
  }
  fail(routine, status);  // all other codes are OpenCL's
}

void forget_blast_kernels() {
  if (was_used) found().calls.CLBlastClearCache();
}

}  // namespace halfmark::backends::opencl
