// SPDX-License-Identifier: Apache-2.0
#include "backends/cpu/dnn.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "backends/cpu/dnn_session.hpp"
#include "backends/cpu/folders.hpp"

namespace halfmark::backends::cpu {
namespace {

constexpr const char* kNames[] = {"libdnnl.so.3", "libdnnl.so.2"};
// Of the build with SYCL, in the order in which they need one another.
constexpr const char* kCompanions[] = {"libintlc.so.5", "libimf.so", "libsvml.so", "libtbb.so.12",
                                       "libsycl.so.[0-9]"};
constexpr shim::Library kWhere = {
    .variable = "HALFMARK_CPU_ONEDNN",
    .names = kNames,
    .folders = kLibraryFolders,
    .symbols = {},  // they differ by version: dnn_session.hpp
    .remedy = "install oneDNN (Debian: libdnnl2), or name libdnnl.so.3 with HALFMARK_CPU_ONEDNN",
    .companions = kCompanions};

std::vector<dnn::OperatorRow> all_rows() {
  std::vector<dnn::OperatorRow> rows;
  for (const auto family : {dnn::product_operators(), dnn::row_operators(), dnn::norm_operators(),
                            dnn::element_operators()})
    rows.insert(rows.end(), family.begin(), family.end());
  return rows;
}

// "a fp16, b fp16, d fp32": which formats a declined call had.
std::string formats_of(const DriverOperatorCall& call) {
  std::string text;
  for (const DriverTensorView& view : call.tensors)
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", view.role, view.format);
  return text;
}

class Dnn final : public ProcessorLibrary {
 public:
  Dnn(shim::OpenLibrary library, unsigned threads) : session_(library, threads) {
    library.keep();  // its threads are still there
  }

  [[nodiscard]] std::string version() const override { return session_.version(); }
  [[nodiscard]] std::function<void()> prepared(const DriverOperatorCall& call) override {
    const std::vector<dnn::OperatorRow> rows = all_rows();
    const auto row = std::ranges::find(rows, call.name, &dnn::OperatorRow::name);
    if (row == rows.end()) throw NotOffered("Halfmark asks oneDNN for no " + call.name);
    try {
      return row->prepare(session_, call);
    } catch (const dnn::Declined& answer) {
      throw NotOffered(
          fmt::format("oneDNN {} with {}: {}", version(), formats_of(call), answer.what()));
    }
  }

 private:
  dnn::Session session_;
};

std::unique_ptr<ProcessorLibrary> open(shim::OpenLibrary library, unsigned threads) {
  return std::make_unique<Dnn>(std::move(library), threads);
}

const std::string kGuide =
    "oneDNN developer guide, 2.6 and 3, pages Eltwise, Reduction, Softmax, Layer Normalization, "
    "Matrix Multiplication and Data Types";

}  // namespace

LibraryRow dnn_row() {
  LibraryRow row{.name = "oneDNN",
                 .where = &kWhere,
                 .operators = {},
                 .open = &open,
                 .promises = left_open("oneDNN", kGuide, Of::kProducts)};
  *std::ranges::find(row.promises, "fp32.subnormals", &Promise::capability) = {
      .capability = "fp32.subnormals",
      .offered = false,
      .evidence = "oneDNN's documents leave it to the hardware",
      .clause =
          "oneDNN developer guide 3, Data Types: on some hardware low-precision acceleration "
          "ignores the floating-point environment and flushes denormal outputs"};
  row.promises.push_back({.capability = "convert.correctly_rounded",
                          .offered = false,
                          .evidence = "oneDNN's documents promise faithful rounding alone",
                          .clause = "oneDNN developer guide 3, Data Types: conversions are "
                                    "guaranteed to be faithfully rounded but not guaranteed to be "
                                    "correctly rounded"});
  row.promises.push_back({.capability = "operators.nan",
                          .offered = false,
                          .evidence = "oneDNN's documents do not say",
                          .clause = kGuide +
                                    ": ReLU is s for s > 0 and 0 for s <= 0; of "
                                    "a NaN, there, in reductions and in softmax, it says nothing"});
  row.promises.push_back({.capability = "operators.masked_rows",
                          .offered = false,
                          .evidence = "oneDNN's documents do not say",
                          .clause = kGuide + ": softmax is a formula; of a row of -inf, for "
                                             "which it has no number, it says nothing"});
  row.promises.push_back({.capability = "operators.accuracy",
                          .offered = false,
                          .evidence = "oneDNN's documents do not say",
                          .clause = kGuide +
                                    ": softmax, normalisations, activations and losses are "
                                    "formulas; nothing is said of the digits of results"});
  for (const dnn::OperatorRow& each : all_rows()) row.operators.emplace_back(each.name);
  return row;
}

}  // namespace halfmark::backends::cpu
