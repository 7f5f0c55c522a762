// SPDX-License-Identifier: Apache-2.0
// The layernorm cases of each level. `smoke` is an explicit list: each row targets a class of
// faults. Higher levels combine the axes.
#include <fmt/format.h>

#include "suites/core/case/axes.hpp"
#include "suites/layernorm/binding.hpp"

namespace halfmark::suites::layernorm {
namespace {

struct Row {
  std::string_view operation, format, shape, eps, fill;
};

constexpr Row kSmoke[] = {
    {"forward", "fp16", "r16n1000", "eps1e-5", "normal"},
    {"forward", "fp16", "r8n1000", "eps1e-12", "constant"},
    {"forward", "fp16", "r8n1000", "eps1e-5", "constant"},
    {"forward", "fp16", "r8n1000", "eps1e-5", "plateau"},
    {"forward", "fp16", "r8n1024", "eps1e-5", "large"},
    {"forward", "fp16", "r10n500", "eps1e-5", "small"},
    {"forward", "fp16", "r10n500", "eps1e-12", "small"},
    {"forward", "fp16", "r8n257", "eps1e-5", "offset"},
    {"forward", "fp16", "r16n129", "eps1e-5", "special"},
    {"forward", "fp16", "r8n63", "eps1e-5", "columns"},
    {"forward", "fp16", "r16n2", "eps1e-5", "normal"},
    {"forward", "fp16", "r3n4097", "eps1e-5", "uniform"},
    {"forward", "bf16", "r16n1000", "eps1e-5", "normal"},
    {"forward", "bf16", "r8n300", "eps1e-5", "offset"},
    {"forward", "fp32", "r16n1000", "eps1e-5", "normal"},
    {"forward", "fp32", "r8n1000", "eps1e-5", "plateau"},
    {"forward", "fp32", "r8n1000", "eps1e-5", "offset"},
    {"forward", "fp32", "r10n500", "eps1e-12", "small"},
    {"forward", "fp32", "r8n300", "eps1e-12", "subnormal"},
    {"forward", "fp32", "r16n65", "eps1e-5", "special"},
    {"backward", "fp16", "r64n500", "eps1e-5", "normal"},
    {"backward", "fp16", "r512n256", "eps1e-5", "signs"},
    {"backward", "fp16", "r16n63", "eps1e-5", "columns"},
    {"backward", "fp16", "r8n500", "eps1e-5", "small"},
    {"backward", "fp16", "r8n256", "eps1e-5", "large"},
    {"backward", "bf16", "r64n129", "eps1e-5", "normal"},
    {"backward", "fp32", "r65n500", "eps1e-5", "normal"},
    {"backward", "fp32", "r8n300", "eps1e-12", "subnormal"},
    {"backward", "fp32", "r16n65", "eps1e-5", "special"},
    {"backward", "fp32", "r256n64", "eps1e-5", "signs"},
    {"rms-forward", "fp16", "r16n300", "eps1e-5", "normal"},
    {"rms-forward", "fp16", "r4n100", "eps1e-12", "constant"},
    {"rms-forward", "fp16", "r4n1024", "eps1e-5", "large"},
    {"rms-forward", "fp16", "r10n64", "eps1e-5", "small"},
    {"rms-forward", "fp16", "r10n65", "eps1e-12", "small"},
    {"rms-forward", "fp16", "r8n63", "eps1e-5", "columns"},
    {"rms-forward", "fp16", "r8n257", "eps1e-5", "offset"},
    {"rms-forward", "bf16", "r16n129", "eps1e-5", "normal"},
    {"rms-forward", "fp32", "r4n1000", "eps1e-5", "normal"},
    {"rms-forward", "fp32", "r8n300", "eps1e-12", "subnormal"},
    {"rms-forward", "fp32", "r16n65", "eps1e-5", "special"},
    {"rms-backward", "fp16", "r64n100", "eps1e-5", "normal"},
    {"rms-backward", "fp16", "r512n64", "eps1e-5", "signs"},
    {"rms-backward", "fp16", "r8n257", "eps1e-5", "small"},
    {"rms-backward", "bf16", "r64n129", "eps1e-5", "normal"},
    {"rms-backward", "fp32", "r65n65", "eps1e-5", "normal"},
    {"rms-backward", "fp32", "r16n65", "eps1e-5", "special"},
};

// For both providers.
constexpr Row kRelated[] = {{"forward", "fp32", "r8n256", "eps1e-5", "related"},
                            {"backward", "fp16", "r16n64", "eps1e-5", "related"},
                            {"rms-forward", "fp32", "r8n256", "eps1e-5", "related"}};

// What libraries also run in the other formats at every level, on data whose results round.
constexpr Row kLibraryFormats[] = {{"forward", "bf16", "r16n1000", "eps1e-5", "normal"},
                                   {"forward", "fp32", "r16n1000", "eps1e-5", "normal"},
                                   {"rms-forward", "bf16", "r16n500", "eps1e-5", "normal"},
                                   {"rms-forward", "fp32", "r16n500", "eps1e-5", "normal"},
                                   {"backward", "bf16", "r64n500", "eps1e-5", "normal"},
                                   {"backward", "fp32", "r64n500", "eps1e-5", "normal"}};

// What libraries run: kLibrary at every level, in fp16 alone at level smoke, kLibraryMore from
// level standard on; both in every format there.
struct LibraryRow {
  std::string_view operation, shape, eps, fill;
};
constexpr LibraryRow kLibrary[] = {{"forward", "r16n1000", "eps1e-5", "normal"},
                                   {"forward", "r16n64", "eps1e-5", "normal"},
                                   {"forward", "r16n2", "eps1e-5", "normal"},
                                   {"forward", "r16n63", "eps1e-5", "columns"},
                                   {"forward", "r8n1000", "eps1e-12", "constant"},
                                   {"forward", "r7n1000", "eps1e-5", "wobble"},
                                   {"forward", "r7n4096", "eps1e-5", "wobble"},
                                   {"forward", "r8n1024", "eps1e-5", "large"},
                                   {"forward", "r10n64", "eps1e-5", "small"},
                                   {"forward", "r8n64", "eps1e-5", "offset"},
                                   {"forward", "r8n64", "eps1e-5", "padded"},
                                   {"forward", "r16n129", "eps1e-5", "special"},
                                   {"forward", "r65537n4", "eps1e-5", "normal"},
                                   {"backward", "r64n500", "eps1e-5", "normal"},
                                   {"backward", "r5000n16", "eps1e-5", "alike"},
                                   {"backward", "r16n64", "eps1e-5", "axes3"},
                                   {"forward", "r8n1000", "eps1e-12", "zeros"},
                                   {"forward", "r8n1024", "eps1e-5", "flip"},
                                   {"rms-forward", "r8n66", "eps1e-5", "flip"},
                                   {"rms-forward", "r16n500", "eps1e-5", "normal"},
                                   {"rms-backward", "r64n129", "eps1e-5", "normal"},
                                   {"forward", "r16n66", "eps1e-5", "bare"},
                                   {"forward", "r16n66", "eps1e-5", "unshifted"},
                                   {"backward", "r16n66", "eps1e-5", "bare"},
                                   {"rms-forward", "r16n66", "eps1e-5", "bare"},
                                   {"rms-forward", "r10n64", "eps1e-5", "small"},
                                   {"forward", "r4n2049", "eps1e-5", "normal"}};
constexpr LibraryRow kLibraryMore[] = {{"backward", "r16n66", "eps1e-5", "unshifted"},
                                       {"rms-backward", "r16n66", "eps1e-5", "bare"},
                                       {"forward", "r16n63", "eps1e-12", "bare"},
                                       {"forward", "r16n3", "eps1e-5", "normal"},
                                       {"forward", "r16n65", "eps1e-5", "uniform"},
                                       {"forward", "r16n127", "eps1e-5", "normal"},
                                       {"forward", "r10n64", "eps1e-12", "small"},
                                       {"forward", "r8n1000", "eps1e-5", "constant"},
                                       {"forward", "r16n64", "eps1e-5", "axes3"},
                                       {"forward", "r65535n4", "eps1e-5", "normal"},
                                       {"forward", "r65536n4", "eps1e-5", "normal"},
                                       {"forward", "r5n16", "eps1e-5", "far"},
                                       {"rms-forward", "r5n16", "eps1e-5", "far"},
                                       {"backward", "r16n63", "eps1e-5", "columns"},
                                       {"backward", "r8n256", "eps1e-5", "large"},
                                       {"backward", "r63n64", "eps1e-5", "normal"},
                                       {"backward", "r512n256", "eps1e-5", "signs"},
                                       {"backward", "r65537n4", "eps1e-5", "alike"},
                                       {"backward", "r16n65", "eps1e-5", "special"},
                                       {"rms-forward", "r10n64", "eps1e-12", "small"},
                                       {"rms-forward", "r4n2049", "eps1e-5", "normal"},
                                       {"rms-forward", "r8n1024", "eps1e-5", "large"},
                                       {"rms-forward", "r16n63", "eps1e-5", "columns"},
                                       {"rms-forward", "r8n64", "eps1e-5", "padded"},
                                       {"rms-forward", "r16n129", "eps1e-5", "special"},
                                       {"rms-forward", "r65537n4", "eps1e-5", "normal"},
                                       {"rms-backward", "r5000n16", "eps1e-5", "alike"},
                                       {"rms-backward", "r16n64", "eps1e-5", "axes3"},
                                       {"forward", "r16n65", "eps1e-5", "related"},
                                       {"forward", "r4n2049", "eps1e-5", "related"},
                                       {"backward", "r16n65", "eps1e-5", "related"},
                                       {"rms-backward", "r16n65", "eps1e-5", "related"}};

constexpr std::string_view kFormats[] = {"fp16", "bf16", "fp32"};
constexpr std::string_view kEpsilons[] = {"eps1e-5", "eps1e-12"};
// Around lane, wave and vector boundaries.
constexpr std::string_view kWidths[] = {"r8n2",  "r8n3",   "r8n5",   "r8n31",  "r8n32",  "r8n64",
                                        "r8n65", "r8n127", "r8n128", "r8n255", "r8n511", "r8n2049"};
constexpr std::string_view kShapes[] = {"r16n63", "r16n1000"};
constexpr std::string_view kLargeShapes[] = {"r8n4097", "r64n1024", "r2n65537", "r512n96"};
// Row counts beyond 16 bits.
constexpr std::string_view kTallShapes[] = {"r65535n4", "r65536n4", "r65537n4"};

class List {
 public:
  explicit List(std::uint64_t seed) : list_("layernorm", axes(), seed) {}

  void add(const Row& row) { add(row, "portable"); }

  void add_library(std::span<const LibraryRow> rows, std::span<const std::string_view> formats) {
    for (const LibraryRow& row : rows) {
      for (const std::string_view format : formats) {
        add({row.operation, format, row.shape, row.eps, row.fill}, "library");
      }
    }
  }

  void add(const Row& row, std::string_view provider) {
    list_.add({row.operation, row.format, provider, row.shape, row.eps, row.fill});
  }

  // Both directions in every format, on these shapes, with every meaningful fill.
  void multiply(std::string_view kind, std::span<const std::string_view> shapes,
                std::span<const std::string_view> epsilons,
                std::span<const std::string_view> fills) {
    for (const bool backward : {false, true}) {
      const std::string operation = fmt::format("{}{}", kind, backward ? "backward" : "forward");
      for (const std::string_view fill : fills) {
        if (!applies(fill, backward) || only_for_libraries(fill)) continue;
        for (const std::string_view format : kFormats) {
          for (const std::string_view shape : shapes) {
            for (const std::string_view eps : epsilons) {
              add({operation, format, shape, eps, fill});
            }
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
  constexpr std::string_view kCommon[] = {"uniform", "normal", "signs"};
  const std::span<const std::string_view> usual_eps = std::span(kEpsilons).first(1);
  List list(seed);
  for (const Row& row : kSmoke) list.add(row);
  for (const Row& row : kRelated) {
    list.add(row, "portable");
    list.add(row, "library");
  }
  for (const Row& row : kLibraryFormats) list.add(row, "library");
  const std::span<const std::string_view> formats(kFormats);
  list.add_library(kLibrary, formats.first(level == Level::kSmoke ? 1 : 3));
  if (level >= Level::kStandard) {
    list.add_library(kLibraryMore, formats);
    list.add({"backward", "fp16", "r65537n4", "eps1e-5", "normal"}, "library");
    list.multiply("", kShapes, kEpsilons, fill_names());
    list.multiply("rms-", std::span(kShapes).first(1), usual_eps, fill_names());
  }
  for (const std::string_view kind : {"", "rms-"}) {
    if (level >= Level::kStandard) list.multiply(kind, kWidths, usual_eps, kNormal);
    if (level >= Level::kFull) {
      list.multiply(kind, kLargeShapes, usual_eps, kCommon);
      list.multiply(kind, kTallShapes, usual_eps, kNormal);
    }
    if (level >= Level::kExhaustive) {
      list.multiply(kind, kWidths, kEpsilons, fill_names());
      list.multiply(kind, kLargeShapes, kEpsilons, fill_names());
    }
  }
  return std::move(list).take();
}

}  // namespace halfmark::suites::layernorm
