// SPDX-License-Identifier: Apache-2.0
#include "backends/cpu/blas.hpp"

#include <fmt/format.h>

#include <cstddef>
#include <sstream>
#include <utility>

#include "backends/cpu/blas_names.hpp"

namespace halfmark::backends::cpu {
namespace {

struct Calls {
#define HM_CPU_BLAS_MEMBER(symbol, type) type symbol = nullptr;
  HM_CPU_BLAS_CALLS(HM_CPU_BLAS_MEMBER)
  HM_CPU_BLAS_CALLS_OPTIONAL(HM_CPU_BLAS_MEMBER)
#undef HM_CPU_BLAS_MEMBER
};

enum Number {
#define HM_CPU_BLAS_ENUMERATOR(enumerator, value) k##enumerator = value,
  HM_CPU_BLAS_NUMBERS(HM_CPU_BLAS_ENUMERATOR)
#undef HM_CPU_BLAS_ENUMERATOR
};

#define HM_CPU_BLAS_REQUIRED(symbol, type) {#symbol, offsetof(Calls, symbol), true},
#define HM_CPU_BLAS_OPTIONAL(symbol, type) {#symbol, offsetof(Calls, symbol), false},
constexpr shim::Symbol kSymbols[] = {HM_CPU_BLAS_CALLS(HM_CPU_BLAS_REQUIRED)
                                         HM_CPU_BLAS_CALLS_OPTIONAL(HM_CPU_BLAS_OPTIONAL)};
constexpr const char* kNames[] = {"libopenblas.so.0"};
constexpr shim::Library kWhere = {
    .variable = "HALFMARK_CPU_OPENBLAS",
    .names = kNames,
    .folders = {},
    .symbols = kSymbols,
    .remedy =
        "install OpenBLAS (Debian: libopenblas0-pthread), or name libopenblas.so.0 with "
        "HALFMARK_CPU_OPENBLAS"};

// The words of "OpenBLAS 0.3.21 NO_LAPACKE DYNAMIC_ARCH NO_AFFINITY Zen MAX_THREADS=64".
std::string version_of(const std::string& configuration) {
  std::istringstream stream(configuration);
  std::string name, version;
  stream >> name >> version;
  return version;
}

class Blas final : public ProcessorLibrary {
 public:
  Blas(shim::OpenLibrary library, unsigned threads) {
    library.bind(kSymbols, &calls_);
    const std::string configuration = calls_.openblas_get_config();
    if (configuration.find("USE64BITINT") != configuration.npos) {
      throw BackendError("trial", 0,
                         fmt::format("{} is built with 64-bit integers", library.path()));
    }
    version_ = fmt::format("{} ({})", version_of(configuration), calls_.openblas_get_corename());
    calls_.openblas_set_num_threads(static_cast<int>(threads));
    library.keep();  // its threads are still there
  }

  [[nodiscard]] std::string version() const override { return version_; }
  [[nodiscard]] std::function<void()> prepared(const DriverOperatorCall& call) override;

 private:
  template <typename In>
  [[nodiscard]] std::function<void()> product(BlasGemm<In> routine,
                                              const GemmProblem& problem) const;

  Calls calls_;
  std::string version_;
};

template <typename In>
std::function<void()> Blas::product(BlasGemm<In> routine, const GemmProblem& problem) const {
  struct Matrix {
    std::byte* first;
    std::int64_t stride_bytes;
    int ld, transpose;
  };
  const auto matrix = [](const GemmOperand& operand) {
    const std::uint64_t size = element_bytes(operand.format);
    if (operand.offset_bytes % size != 0)
      throw NotOffered("OpenBLAS takes pointers to whole elements");
    return Matrix{address_of(operand.buffer, operand.offset_bytes),
                  operand.batch_stride * static_cast<std::int64_t>(size),
                  narrow(operand.leading_dimension),
                  operand.is_transposed ? kCblasTrans : kCblasNoTrans};
  };
  const int m = narrow(problem.rows), n = narrow(problem.columns), k = narrow(problem.depth);
  return [=, a = matrix(problem.first), b = matrix(problem.second), d = matrix(problem.d),
          batch = problem.batch, alpha = static_cast<float>(problem.alpha),
          beta = static_cast<float>(problem.beta)] {
    for (std::int64_t i = 0; i < batch; ++i) {
      routine(kCblasColMajor, a.transpose, b.transpose, m, n, k, alpha,
              reinterpret_cast<const In*>(a.first + i * a.stride_bytes), a.ld,
              reinterpret_cast<const In*>(b.first + i * b.stride_bytes), b.ld, beta,
              reinterpret_cast<float*>(d.first + i * d.stride_bytes), d.ld);
    }
  };
}

std::function<void()> Blas::prepared(const DriverOperatorCall& call) {
  if (call.name != "gemm") throw NotOffered("OpenBLAS has no " + call.name);
  if (call.compute != "fp32")
    throw NotOffered(fmt::format("OpenBLAS has no gemm that computes in {}", call.compute));
  const GemmProblem problem = gemm_problem(call);
  if (problem.bias != nullptr || !problem.activation.empty())
    throw NotOffered("OpenBLAS's gemm adds no bias and applies no activation");
  const std::string& in = problem.first.format;
  if (in != problem.second.format || problem.d.format != "fp32") {
    throw NotOffered(fmt::format("OpenBLAS has no gemm of {} and {} with a result of {}", in,
                                 problem.second.format, problem.d.format));
  }
  const auto offered = [&](const void* routine, const char* symbol) {
    if (routine == nullptr)
      throw NotOffered(fmt::format("OpenBLAS {} exports no {}", version_, symbol));
  };
  copy_c_into_d(problem);
  if (in == "fp32") return product(calls_.cblas_sgemm, problem);
  if (in == "bf16") {
    offered(reinterpret_cast<const void*>(calls_.cblas_sbgemm), "cblas_sbgemm");
    return product(calls_.cblas_sbgemm, problem);
  }
  if (in == "fp16") {
    offered(reinterpret_cast<const void*>(calls_.cblas_shgemm), "cblas_shgemm");
    return product(calls_.cblas_shgemm, problem);
  }
  throw NotOffered(fmt::format("OpenBLAS has no gemm of {}", in));
}

std::unique_ptr<ProcessorLibrary> open(shim::OpenLibrary library, unsigned threads) {
  return std::make_unique<Blas>(std::move(library), threads);
}

}  // namespace

LibraryRow blas_row() {
  return {.name = "OpenBLAS",
          .where = &kWhere,
          .operators = {"gemm"},
          .open = &open,
          .promises = left_open("OpenBLAS",
                                "OpenBLAS's manual, and the BLAS Technical Forum "
                                "Standard, 1.6",
                                Of::kProducts)};
}

}  // namespace halfmark::backends::cpu
