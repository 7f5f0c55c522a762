// SPDX-License-Identifier: Apache-2.0
#include "backends/cpu/blas.hpp"

#include <fmt/format.h>

#include <cstddef>
#include <sstream>
#include <utility>

#include "backends/cpu/blas_names.hpp"
#include "backends/cpu/folders.hpp"

namespace halfmark::backends::cpu {
namespace {

// By the format of a and b; null: not exported.
struct Gemms {
#define HM_BLAS_MEMBER(format, type) BlasGemm<type> format = nullptr;
  HM_BLAS_INPUTS(HM_BLAS_MEMBER)
#undef HM_BLAS_MEMBER
};

#define HM_BLAS_GEMM(format, symbol, required) {#symbol, offsetof(Gemms, format), required},
#define HM_BLAS_MEMBER(symbol, type) type symbol = nullptr;
#define HM_BLAS_CALL(symbol, type) {#symbol, offsetof(Calls, symbol), true},

enum Number {
#define HM_BLAS_ENUMERATOR(enumerator, value) k##enumerator = value,
  HM_BLAS_NUMBERS(HM_BLAS_ENUMERATOR) HM_MKL_NUMBERS(HM_BLAS_ENUMERATOR)
#undef HM_BLAS_ENUMERATOR
};

// The word at that place, from 0.
std::string word_of(const std::string& text, int place) {
  std::istringstream stream(text);
  std::string word;
  for (int i = 0; i <= place; ++i) stream >> word;
  return word;
}

[[noreturn]] void refuse_wide(const shim::OpenLibrary& library) {
  throw BackendError("trial", 0, fmt::format("{} is built with 64-bit integers", library.path()));
}

// What differs between the libraries.
struct Vendor {
  const char* name;
  const char* documents;
  shim::Library where;  // its symbols are the products
  // Starts it with that many threads and returns its version. Throws BackendError when it is not
  // what it should be.
  std::string (*start)(const shim::OpenLibrary& library, unsigned threads);
};

// "OpenBLAS 0.3.21 NO_LAPACKE DYNAMIC_ARCH NO_AFFINITY Zen MAX_THREADS=64"
std::string start_openblas(const shim::OpenLibrary& library, unsigned threads) {
  struct Calls {
    HM_OPENBLAS_CALLS(HM_BLAS_MEMBER)
  } calls;
  constexpr shim::Symbol kCalls[] = {HM_OPENBLAS_CALLS(HM_BLAS_CALL)};
  library.bind(kCalls, &calls);
  const std::string configuration = calls.openblas_get_config();
  if (configuration.find("USE64BITINT") != configuration.npos) refuse_wide(library);
  calls.openblas_set_num_threads(static_cast<int>(threads));
  return fmt::format("{} ({})", word_of(configuration, 1), calls.openblas_get_corename());
}

// "Intel(R) oneAPI Math Kernel Library Version 2026.2-Product Build 20260915 for ...". Which
// integers it takes, and which threads it uses, is decided when it is first called:
// MKL_INTERFACE_LAYER must not choose the integers here.
std::string start_mkl(const shim::OpenLibrary& library, unsigned threads) {
  struct Calls {
    HM_MKL_CALLS(HM_BLAS_MEMBER)
  } calls;
  constexpr shim::Symbol kCalls[] = {HM_MKL_CALLS(HM_BLAS_CALL)};
  library.bind(kCalls, &calls);
  calls.MKL_Set_Interface_Layer(kMKL_INTERFACE_LP64);
  calls.MKL_Set_Num_Threads(static_cast<int>(threads));
  char text[256] = {};
  calls.MKL_Get_Version_String(text, static_cast<int>(sizeof text) - 1);
  const std::string_view all = text, before = "Version ";
  const std::size_t at = all.find(before);
  if (at == all.npos) return "unknown";
  const std::string version = word_of(std::string(all.substr(at + before.size())), 0);
  return version.substr(0, version.find("-Product"));
}

std::string start_blis(const shim::OpenLibrary& library, unsigned threads) {
  struct Calls {
    HM_BLIS_CALLS(HM_BLAS_MEMBER)
  } calls;
  constexpr shim::Symbol kCalls[] = {HM_BLIS_CALLS(HM_BLAS_CALL)};
  library.bind(kCalls, &calls);
  if (calls.bli_info_get_blas_int_type_size() != 32) refuse_wide(library);
  calls.bli_thread_set_num_threads(static_cast<std::int64_t>(threads));
  return fmt::format("{} ({})", calls.bli_info_get_version_str(),
                     calls.bli_arch_string(calls.bli_arch_query_id()));
}

constexpr shim::Symbol kOpenBlasGemms[] = {HM_OPENBLAS_GEMMS(HM_BLAS_GEMM)};
constexpr shim::Symbol kMklGemms[] = {HM_MKL_GEMMS(HM_BLAS_GEMM)};
constexpr shim::Symbol kBlisGemms[] = {HM_BLIS_GEMMS(HM_BLAS_GEMM)};
constexpr const char* kOpenBlasNames[] = {"libopenblas.so.0"};
constexpr const char* kMklNames[] = {"libmkl_rt.so.3", "libmkl_rt.so.2", "libmkl_rt.so"};
constexpr const char* kBlisNames[] = {"libblis.so.4", "libblis.so.5", "libblis-mt.so"};

constexpr Vendor kVendors[] = {
    {.name = "OpenBLAS",
     .documents = "OpenBLAS's manual, and the BLAS Technical Forum Standard, 1.6",
     .where = {.variable = "HALFMARK_CPU_OPENBLAS",
               .names = kOpenBlasNames,
               .folders = kLibraryFolders,
               .symbols = kOpenBlasGemms,
               .remedy = "install OpenBLAS (Debian: libopenblas0-pthread), or name "
                         "libopenblas.so.0 with HALFMARK_CPU_OPENBLAS"},
     .start = &start_openblas},
    {.name = "MKL",
     .documents = "oneMKL's developer reference for C, BLAS and BLAS-like extensions, and the BLAS "
                  "Technical Forum Standard, 1.6",
     .where = {.variable = "HALFMARK_CPU_MKL",
               .names = kMklNames,
               .folders = kLibraryFolders,
               .symbols = kMklGemms,
               .remedy = "install MKL (PyPI: mkl), or name libmkl_rt.so.3 with HALFMARK_CPU_MKL"},
     .start = &start_mkl},
    {.name = "BLIS",
     .documents = "BLIS's documents (docs/BLISTypedAPI.md, docs/FAQ.md), and the BLAS Technical "
                  "Forum Standard, 1.6",
     .where = {.variable = "HALFMARK_CPU_BLIS",
               .names = kBlisNames,
               .folders = kLibraryFolders,
               .symbols = kBlisGemms,
               .remedy = "install BLIS (Debian: libblis4-pthread), or name libblis.so.4 with "
                         "HALFMARK_CPU_BLIS"},
     .start = &start_blis}};

class Blas final : public ProcessorLibrary {
 public:
  Blas(const Vendor& vendor, shim::OpenLibrary library, unsigned threads) : vendor_(vendor) {
    library.bind(vendor.where.symbols, &gemms_);
    version_ = vendor.start(library, threads);
    library.keep();  // its threads are still there
  }

  [[nodiscard]] std::string version() const override { return version_; }
  [[nodiscard]] std::function<void()> prepared(const DriverOperatorCall& call) override;

 private:
  template <typename In>
  [[nodiscard]] std::function<void()> product(BlasGemm<In> routine, std::size_t slot,
                                              const GemmProblem& problem) const;
  // For a routine that is not there.
  [[noreturn]] void decline(std::size_t slot, const std::string& format) const;

  const Vendor& vendor_;
  Gemms gemms_;
  std::string version_;
};

void Blas::decline(std::size_t slot, const std::string& format) const {
  for (const shim::Symbol& symbol : vendor_.where.symbols) {
    if (symbol.slot == slot)
      throw NotOffered(fmt::format("{} {} exports no {}", vendor_.name, version_, symbol.name));
  }
  throw NotOffered(fmt::format("{} has no gemm of {}", vendor_.name, format));
}

template <typename In>
std::function<void()> Blas::product(BlasGemm<In> routine, std::size_t slot,
                                    const GemmProblem& problem) const {
  if (routine == nullptr) decline(slot, problem.first.format);
  copy_c_into_d(problem);
  struct Matrix {
    std::byte* first;
    std::int64_t stride_bytes;
    int ld, transpose;
  };
  const auto matrix = [this](const GemmOperand& operand) {
    const std::uint64_t size = element_bytes(operand.format);
    if (operand.offset_bytes % size != 0)
      throw NotOffered(fmt::format("{} takes pointers to whole elements", vendor_.name));
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
  const char* name = vendor_.name;
  if (call.name != "gemm") throw NotOffered(fmt::format("{} has no {}", name, call.name));
  if (call.compute != "fp32")
    throw NotOffered(fmt::format("{} has no gemm that computes in {}", name, call.compute));
  const GemmProblem problem = gemm_problem(call);
  if (problem.bias != nullptr || !problem.activation.empty())
    throw NotOffered(fmt::format("{}'s gemm adds no bias and applies no activation", name));
  const std::string& in = problem.first.format;
  if (in != problem.second.format || problem.d.format != "fp32") {
    throw NotOffered(fmt::format("{} has no gemm of {} and {} with a result of {}", name, in,
                                 problem.second.format, problem.d.format));
  }
#define HM_BLAS_PRODUCT(format, type) \
  if (in == #format) return product(gemms_.format, offsetof(Gemms, format), problem);
  HM_BLAS_INPUTS(HM_BLAS_PRODUCT)
#undef HM_BLAS_PRODUCT
  throw NotOffered(fmt::format("{} has no gemm of {}", name, in));
}

template <std::size_t kNumber>
std::unique_ptr<ProcessorLibrary> open(shim::OpenLibrary library, unsigned threads) {
  return std::make_unique<Blas>(kVendors[kNumber], std::move(library), threads);
}

template <std::size_t... kNumbers>
std::vector<LibraryRow> rows_of(std::index_sequence<kNumbers...>) {
  return {LibraryRow{.name = kVendors[kNumbers].name,
                     .where = &kVendors[kNumbers].where,
                     .operators = {"gemm"},
                     .open = &open<kNumbers>,
                     .promises = left_open(kVendors[kNumbers].name, kVendors[kNumbers].documents,
                                           Of::kProducts)}...};
}

}  // namespace

std::vector<LibraryRow> blas_rows() {
  return rows_of(std::make_index_sequence<std::size(kVendors)>());
}

}  // namespace halfmark::backends::cpu
