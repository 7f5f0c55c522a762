// SPDX-License-Identifier: Apache-2.0
#include "suites/transfer/suite.hpp"

#include <fmt/format.h>

#include "suites/core/case/axes.hpp"
#include "suites/core/case/errors.hpp"
#include "suites/core/execute/provider.hpp"
#include "suites/transfer/binding.hpp"

namespace halfmark::suites::transfer {
namespace {

constexpr std::size_t kPage = 4096;
constexpr std::size_t kWindow = 65536;  // the unit in which engines and staging memory move bytes
constexpr std::size_t kMebibyte = std::size_t{1} << 20;

struct Cut {
  std::string_view upload, read;
  std::size_t bytes;  // 0: none
};
constexpr Cut kCuts[] = {{"upload-whole", "read-whole", 0},
                         {"upload-by1021", "read-by1021", 1021},
                         {"upload-by4096", "read-by4096", kPage},
                         {"upload-by65536", "read-by65536", kWindow}};

std::vector<std::string_view> words_of(std::string_view Cut::* word) {
  std::vector<std::string_view> words;
  for (const Cut& cut : kCuts) words.push_back(cut.*word);
  return words;
}

std::size_t part_of(std::string_view token, std::string_view Cut::* word) {
  for (const Cut& cut : kCuts) {
    if (cut.*word == token) return cut.bytes;
  }
  return 0;
}

class List {
 public:
  explicit List(std::uint64_t seed) : list_("transfer", axes(), seed) {}

  void add(std::size_t bytes, std::size_t offset, const Cut& upload, const Cut& read) {
    const std::string range = fmt::format("n{}o{}", bytes, offset);
    list_.add({kPortable, range, upload.upload, read.read});
  }
  void add_whole(std::size_t bytes, std::size_t offset) { add(bytes, offset, kCuts[0], kCuts[0]); }
  // One direction in parts and the other whole, so that each is tested separately.
  void add_parts(std::size_t bytes, std::size_t offset, std::size_t most_parts) {
    for (const Cut& cut : kCuts) {
      if (cut.bytes == 0 || cut.bytes >= bytes || bytes / cut.bytes > most_parts) continue;
      add(bytes, offset, cut, kCuts[0]);
      add(bytes, offset, kCuts[0], cut);
    }
  }
  [[nodiscard]] std::vector<Case> take() && { return std::move(list_).take(); }

 private:
  CaseList list_;
};

void add_smoke(List& list) {
  for (const std::size_t bytes :
       {std::size_t{1}, std::size_t{2}, std::size_t{3}, std::size_t{4}, std::size_t{63},
        std::size_t{64}, std::size_t{65}, kPage - 1, kPage, kPage + 1, kWindow - 1, kWindow,
        kWindow + 1, 2 * kWindow, 3 * kWindow, kMebibyte}) {
    list.add_whole(bytes, 0);
    list.add_whole(bytes, 1);
  }
  for (const std::size_t bytes : {kPage, kWindow, kWindow + 1}) list.add_whole(bytes, kPage);
  for (const std::size_t bytes : {kPage + 1, kWindow - 1, kWindow, kWindow + 1, 3 * kWindow}) {
    list.add_parts(bytes, 0, kPage);
  }
  list.add_parts(kWindow + 1, 3, kPage);
  for (const std::size_t bytes : {4 * kMebibyte - 1, 4 * kMebibyte, 4 * kMebibyte + 1})
    list.add_whole(bytes, 0);
}

void add_standard(List& list) {
  constexpr std::size_t kMostParts = 1024;
  for (std::size_t bytes = 1; bytes <= 64 * kMebibyte; bytes *= 2) {
    for (const std::size_t near : {bytes - 1, bytes, bytes + 1}) {
      if (near == 0) continue;
      list.add_whole(near, 0);
      if (bytes <= 4 * kMebibyte) list.add_whole(near, 3);
      if (bytes <= 4 * kMebibyte) list.add_parts(near, 0, kMostParts);
    }
  }
  for (std::size_t windows = 1; windows <= 16; ++windows) {
    list.add_whole(windows * kWindow, kPage);
    list.add_parts(windows * kWindow, 0, kMostParts);
  }
  list.add_parts(64 * kMebibyte, 0, kMostParts);
}

std::vector<Case> cases(Level level, std::uint64_t seed) {
  List list(seed);
  add_smoke(list);
  if (level >= Level::kStandard) add_standard(list);
  return std::move(list).take();
}

}  // namespace

std::span<const Axis> axes() {
  static const std::vector<Axis> kAxes = [] {
    std::vector<Axis> axes = {
        provider_axis(Providers::kHalfmark),
        axis_of_numbers("range", "n bytes from byte o of the memory on", "no"),
        axis_of_words("upload", "in one piece, or in parts of so many bytes",
                      words_of(&Cut::upload)),
        axis_of_words("read", "in one piece, or in parts of so many bytes", words_of(&Cut::read))};
    axes[2].simplest = kCuts[0].upload;
    axes[3].simplest = kCuts[0].read;
    return axes;
  }();
  return kAxes;
}

Binding bind(const Case& c) {
  constexpr std::uint64_t kMost = std::uint64_t{1} << 28;
  const std::uint64_t bytes = c.number("range", 'n');
  const std::uint64_t offset = c.number("range", 'o');
  if (bytes == 0 || bytes > kMost || offset > kMost) {
    throw UsageError(fmt::format(
        "case '{}': n must lie between 1 and 2^28, and o must be 2^28 at most", print(c)));
  }
  return {.bytes = static_cast<std::size_t>(bytes),
          .offset = static_cast<std::size_t>(offset),
          .upload_part = part_of(c.word("upload"), &Cut::upload),
          .read_part = part_of(c.word("read"), &Cut::read)};
}

// Copies of all memory have a size of their own: not a multiple of a window, and never odd.
std::size_t Binding::memory_bytes() const {
  const std::size_t pages = (end() + kGuardBytes + kPage - 1) / kPage * kPage;
  return pages % kWindow == 0 ? pages + kPage : pages;
}

std::vector<std::byte> expected_image(const Binding& b, const Image& image) {
  std::vector<std::byte> bytes = pattern(image.outside, b.memory_bytes());
  for (std::size_t i = b.offset; i < b.end(); ++i) bytes[i] = byte_at(image.inside, i);
  return bytes;
}

formats::Tensor tensor_of(std::vector<std::byte> bytes) {
  return {.format = &formats::kFp32, .bytes = std::move(bytes)};
}

namespace {

class TransferProblem final : public Problem {
 public:
  explicit TransferProblem(const Case& c) : Problem(c) { static_cast<void>(bind(c)); }

  const ContractRow& row(const backends::DeviceInfo& device) const override {
    return contract_row(c(), device);
  }
  // Nothing is launched: own_work() makes the copies.
  Plan plan(const backends::DeviceInfo&) const override { return {}; }
  TensorSet inputs() const override { return {}; }
  Expectation expect(const TensorSet&, const models::Machine&) const override {
    const Binding b = bind(c());
    TensorSet expected;
    for (const Image& image : kImages)
      expected.emplace(image.name, tensor_of(expected_image(b, image)));
    return {std::move(expected)};
  }
  std::vector<Operand> operands(const TensorSet&, std::string_view,
                                std::size_t index) const override {
    return {{.label = "byte", .format = nullptr, .bits = 4 * index}};
  }
  bool follows_machine() const override { return false; }
  bool holds_integers(std::string_view) const override { return true; }  // four bytes each
  OwnWork own_work() const override { return copy; }
  std::vector<Hypothesis> mistakes_seen_in(const Places&, const TensorSet& outputs) const override {
    return decoded(c(), outputs);
  }
};

}  // namespace

const Suite& suite() {
  static const Suite kSuite{.name = "transfer",
                            .summary = "copies between host and device, before any kernel",
                            .axes = axes(),
                            .contract = contract(),
                            .cases = cases,
                            .bind = bind_as<TransferProblem>,
                            .foremost = true};
  return kSuite;
}

}  // namespace halfmark::suites::transfer
