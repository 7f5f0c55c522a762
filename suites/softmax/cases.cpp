// SPDX-License-Identifier: Apache-2.0
// The softmax cases of each level. `smoke` is an explicit list: each row targets a class of faults.
// Higher levels combine the axes.
#include <fmt/format.h>

#include "suites/core/case/axes.hpp"
#include "suites/softmax/binding.hpp"

namespace halfmark::suites::softmax {
namespace {

struct Row {
  std::string_view operation, format, output, shape, fill;
};

constexpr Row kSmoke[] = {
    {"forward", "fp16", "out-fp16", "r16n1000", "normal"},
    {"forward", "fp16", "out-fp16", "r16n1000", "tail"},
    {"forward", "fp16", "out-fp16", "r16n65", "large"},
    {"forward", "fp16", "out-fp16", "r16n63", "mask"},
    {"forward", "fp16", "out-fp16", "r16n129", "special"},
    {"forward", "fp16", "out-fp16", "r13n4097", "equal"},
    {"forward", "fp16", "out-fp16", "r16n33", "negative"},
    {"forward", "fp16", "out-fp16", "r4n4097", "uniform"},
    {"forward", "fp16", "out-fp16", "r64n3", "normal"},
    {"forward", "fp16", "out-fp32", "r8n1000", "normal"},
    {"forward", "fp16", "out-fp32", "r8n257", "deep"},
    {"forward", "bf16", "out-bf16", "r16n1000", "normal"},
    {"forward", "bf16", "out-bf16", "r16n63", "mask"},
    {"forward", "bf16", "out-fp32", "r8n500", "shift"},
    {"forward", "fp32", "out-fp32", "r16n1000", "normal"},
    {"forward", "fp32", "out-fp32", "r16n100", "large"},
    {"forward", "fp32", "out-fp32", "r8n300", "spread"},
    {"forward", "fp32", "out-fp32", "r16n129", "special"},
    {"forward", "fp32", "out-fp32", "r12n1024", "equal"},
    {"forward", "fp32", "out-fp32", "r16n257", "dominant"},
    {"log-forward", "fp16", "out-fp16", "r16n129", "dominant"},
    {"forward", "fp32", "out-fp32", "r8n257", "deep"},
    {"forward", "fp32", "out-fp16", "r8n500", "uniform"},
    {"forward", "fp16", "out-fp16", "r16n63", "heads"},
    {"forward", "bf16", "out-fp32", "r16n65", "padding"},
    {"log-forward", "fp32", "out-fp32", "r16n33", "heads"},
    {"log-forward", "fp16", "out-fp16", "r16n500", "normal"},
    {"log-forward", "fp16", "out-fp16", "r16n63", "mask"},
    {"log-forward", "fp16", "out-fp32", "r8n300", "spread"},
    {"log-forward", "bf16", "out-bf16", "r8n500", "normal"},
    {"log-forward", "fp32", "out-fp32", "r16n500", "normal"},
    {"log-forward", "fp32", "out-fp32", "r16n65", "large"},
    {"log-forward", "fp32", "out-fp32", "r16n33", "negative"},
    {"backward", "fp16", "out-fp16", "r16n500", "normal"},
    {"backward", "fp16", "out-fp16", "r8n1000", "tail"},
    {"backward", "fp16", "out-fp32", "r8n1000", "large"},
    {"backward", "bf16", "out-bf16", "r8n500", "normal"},
    {"backward", "fp32", "out-fp32", "r16n500", "normal"},
    {"backward", "fp32", "out-fp32", "r8n257", "deep"},
    {"backward", "fp32", "out-fp32", "r16n129", "special"},
    {"backward", "fp32", "out-fp32", "r8n300", "constant"},
    {"log-backward", "fp16", "out-fp16", "r16n500", "normal"},
    {"log-backward", "fp32", "out-fp32", "r16n129", "special"},
    {"log-backward", "bf16", "out-fp32", "r8n1000", "large"},
};

// For both providers: 32-bit outputs, which show the most.
constexpr Row kRelated[] = {{"backward", "fp32", "out-fp32", "r8n256", "related"}};

// What libraries run at every level in other formats, on data whose results round.
constexpr Row kLibraryFormats[] = {{"forward", "bf16", "out-bf16", "r16n1000", "normal"},
                                   {"forward", "fp32", "out-fp32", "r16n1000", "normal"},
                                   {"forward", "fp32", "out-fp32", "r8n33", "dominant"},
                                   {"forward", "bf16", "out-bf16", "r16n65", "large"},
                                   {"log-forward", "bf16", "out-bf16", "r16n500", "normal"},
                                   {"log-forward", "fp32", "out-fp32", "r16n500", "normal"},
                                   {"backward", "bf16", "out-bf16", "r16n500", "normal"},
                                   {"backward", "fp32", "out-fp32", "r16n500", "normal"}};

// What libraries run in every format; the first rows at every level.
struct LibraryRow {
  std::string_view operation, shape, fill;
};
constexpr LibraryRow kLibrary[] = {
    {"forward", "r16n1000", "normal"},     {"forward", "r16n65", "large"},
    {"forward", "r16n33", "negative"},     {"forward", "r16n64", "negative"},
    {"forward", "r16n100", "mask"},        {"forward", "r16n129", "special"},
    {"forward", "r16n100", "zeroed"},      {"forward", "r4n4097", "flat"},
    {"forward", "r8n1100", "normal"},      {"forward", "r16n1000", "tail"},
    {"forward", "r16n64", "padded"},       {"forward", "r1009n16", "stairs"},
    {"forward", "r15n66", "uneven"},       {"forward", "r300n500", "normal"},
    {"forward", "r8n33", "normal"},        {"forward", "r4n16", "second"},
    {"log-forward", "r8n300", "cliff"},    {"forward", "r12n1024", "equal"},
    {"forward", "r16n257", "dominant"},    {"log-forward", "r16n257", "dominant"},
    {"forward", "r32n48", "causal"},       {"forward", "r16n100", "keys"},
    {"backward", "r16n500", "normal"},     {"backward", "r4n4096", "normal"},
    {"log-backward", "r16n500", "normal"}, {"forward", "r8n1", "special"},
    {"forward", "r4n2049", "dominant"},    {"forward", "r3n5000", "normal"}};
constexpr LibraryRow kLibraryMore[] = {
    {"forward", "r16n17", "negative"},     {"forward", "r16n3", "negative"},
    {"forward", "r16n1024", "negative"},   {"forward", "r16n257", "mask"},
    {"forward", "r16n2048", "flat"},       {"forward", "r8n513", "flat"},
    {"forward", "r8n7", "flat"},           {"forward", "r8n1025", "normal"},
    {"forward", "r8n2049", "normal"},      {"forward", "r16n100", "columns"},
    {"log-forward", "r32n48", "causal"},   {"log-forward", "r16n100", "keys"},
    {"forward", "r16n63", "equal"},        {"forward", "r16n63", "masked"},
    {"forward", "r8n2", "normal"},         {"forward", "r8n3", "normal"},
    {"forward", "r8n127", "normal"},       {"forward", "r8n256", "normal"},
    {"forward", "r8n500", "shift"},        {"forward", "r300n300", "padded"},
    {"forward", "r16n128", "second"},      {"log-forward", "r16n500", "normal"},
    {"log-forward", "r16n65", "large"},    {"log-forward", "r16n33", "negative"},
    {"log-forward", "r16n63", "mask"},     {"log-forward", "r16n129", "special"},
    {"log-forward", "r16n64", "padded"},   {"log-forward", "r8n2049", "flat"},
    {"log-forward", "r16n100", "columns"}, {"forward", "r8n33", "dominant"},
    {"forward", "r8n1025", "large"},       {"forward", "r4n4097", "large"},
    {"forward", "r8n2049", "special"},     {"forward", "r8n1100", "mask"},
    {"backward", "r16n129", "special"},    {"backward", "r8n1000", "tail"},
    {"backward", "r15n66", "uneven"},      {"log-forward", "r8n257", "uneven"},
    {"backward", "r16n64", "padded"},      {"backward", "r16n100", "columns"},
    {"backward", "r8n300", "constant"},    {"backward", "r8n65", "normal"},
    {"log-backward", "r16n64", "padded"},  {"log-backward", "r4n4096", "normal"},
    {"forward", "r5n16", "far"},           {"log-forward", "r5n16", "far"},
    {"backward", "r5n16", "far"},          {"log-backward", "r5n16", "far"},
    {"backward", "r16n65", "related"},     {"log-backward", "r16n65", "related"}};

struct Pair {
  std::string_view format, output;
};

constexpr Pair kPairs[] = {{"fp16", "out-fp16"}, {"bf16", "out-bf16"}, {"fp32", "out-fp32"},
                           {"fp16", "out-fp32"}, {"bf16", "out-fp32"}, {"fp32", "out-fp16"}};

// Small widths, and widths around lane, wave and vector boundaries.
constexpr std::string_view kWidths[] = {"r8n2",   "r8n3",   "r8n7",   "r8n31",  "r8n32",
                                        "r8n64",  "r8n65",  "r8n127", "r8n128", "r8n255",
                                        "r8n511", "r8n513", "r4n2049"};
constexpr std::string_view kShapes[] = {"r16n63", "r16n1000"};
constexpr std::string_view kLargeShapes[] = {"r8n4097", "r64n1024", "r1n65537", "r257n96"};
// Row counts beyond 16 bits.
constexpr std::string_view kTallShapes[] = {"r65535n4", "r65536n4", "r65537n4"};

class List {
 public:
  explicit List(std::uint64_t seed) : list_("softmax", axes(), seed) {}

  void add(const Row& row) { add(row, "portable"); }

  void add_library(std::span<const LibraryRow> rows, std::span<const Pair> pairs) {
    for (const LibraryRow& row : rows) {
      for (const Pair& pair : pairs) {
        add({row.operation, pair.format, pair.output, row.shape, row.fill}, "library");
      }
    }
  }

  void add(const Row& row, std::string_view provider) {
    list_.add({row.operation, row.format, row.output, provider, row.shape, row.fill});
  }

  // Every valid combination of operation, format pair and fill, on these shapes.
  void multiply(std::span<const std::string_view> shapes, std::span<const std::string_view> fills) {
    constexpr std::pair<std::string_view, Operation> kOperations[] = {
        {"forward", Operation::kForward},
        {"log-forward", Operation::kLogForward},
        {"backward", Operation::kBackward},
        {"log-backward", Operation::kLogBackward}};
    for (const auto& [name, operation] : kOperations) {
      for (const Pair& pair : kPairs) {
        for (const std::string_view fill : fills) {
          if (!applies(fill, operation) || only_for_libraries(fill)) continue;
          for (const std::string_view shape : shapes) {
            add({name, pair.format, pair.output, shape, fill});
          }
        }
      }
    }
  }

  [[nodiscard]] std::vector<Case> take() && { return std::move(list_).take_small_first(); }

 private:
  CaseList list_;
};

}  // namespace

std::vector<Case> cases(Level level, std::uint64_t seed) {
  constexpr std::string_view kNormal[] = {"normal"};
  constexpr std::string_view kCommon[] = {"uniform", "normal"};
  List list(seed);
  for (const Row& row : kSmoke) list.add(row);
  for (const Row& row : kRelated) {
    list.add(row, "portable");
    list.add(row, "library");
  }
  for (const Row& row : kLibraryFormats) list.add(row, "library");
  const std::span<const Pair> plain = std::span(kPairs).first(3);
  list.add_library(kLibrary, plain.first(level == Level::kSmoke ? 1 : 3));
  if (level >= Level::kStandard) list.add_library(kLibraryMore, plain);
  if (level >= Level::kStandard) {
    list.multiply(kShapes, fill_names());
    for (const Pair& pair : std::span(kPairs).first(3)) {
      for (const std::string_view operation :
           {"forward", "log-forward", "backward", "log-backward"}) {
        for (const std::string_view shape : kWidths) {
          list.add({operation, pair.format, pair.output, shape, "normal"});
        }
        // Rows of one element have a unique result unless they contain NaN.
        list.add({operation, pair.format, pair.output, "r8n1", "special"});
      }
    }
  }
  if (level >= Level::kFull) {
    list.multiply(kLargeShapes, kCommon);
    list.multiply(kTallShapes, kNormal);
  }
  if (level >= Level::kExhaustive) {
    list.multiply(kWidths, fill_names());
    list.multiply(kLargeShapes, fill_names());
  }
  return std::move(list).take();
}

}  // namespace halfmark::suites::softmax
