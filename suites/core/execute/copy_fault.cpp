// SPDX-License-Identifier: Apache-2.0
#include "suites/core/execute/copy_fault.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "suites/core/execute/progress.hpp"

namespace halfmark::suites {
namespace {

using Bytes = std::vector<std::byte>;

// Patterns that prefill the host's memory before a read-back: a byte of the device can equal only
// one of them.
constexpr std::byte kHost[] = {std::byte{0x3c}, std::byte{0xc3}};
constexpr std::size_t kPiece = 61;
constexpr std::size_t kPieces = 64;

// The bytes from the first difference to the last.
struct Difference {
  std::size_t first = 0, last = 0;
};
template <typename Differs>
std::optional<Difference> differences(std::size_t bytes, Differs differs) {
  std::optional<Difference> found;
  for (std::size_t i = 0; i < bytes; ++i) {
    if (!differs(i)) continue;
    if (!found) found = Difference{.first = i};
    found->last = i;
  }
  return found;
}

// One stretch of a tensor, in a plan's memory.
struct Place {
  const backends::Buffer& buffer;
  const TensorSpec& spec;
  std::size_t stretch = 0;

  [[nodiscard]] Bytes read(std::byte host) const {
    return read_stretch(buffer, placed(spec), stretch, host);
  }
  [[nodiscard]] std::size_t bytes() const { return placed(spec).bytes; }
};

std::string range_of(const Difference& d) {
  return d.first == d.last ? fmt::format("byte {}", d.first)
                           : fmt::format("bytes {} to {}", d.first, d.last);
}

// Compares read-backs of small pieces, spread over the stretch and including its last bytes, with a
// read-back of the whole.
std::optional<Difference> pieces_that_differ(const Place& place, const Bytes& whole) {
  const std::size_t bytes = place.bytes();
  if (bytes <= kPiece) return std::nullopt;
  const std::size_t start = placed(place.spec).start_of(place.stretch);
  const std::size_t last = bytes - kPiece;
  for (std::size_t n = 0; n <= kPieces; ++n) {
    const std::size_t from = last / kPieces * n + (n == kPieces ? last % kPieces : 0);
    Bytes piece(kPiece);
    place.buffer.read(start + from, piece);
    const auto found =
        differences(kPiece, [&](std::size_t i) { return piece[i] != whole[from + i]; });
    if (found) return Difference{from + found->first, from + found->last};
  }
  return std::nullopt;
}

// `before` is what the host wrote to this place before the launch.
std::optional<CopyFault> fault_of_reading(const Place& place, const Bytes& before) {
  const Bytes first = place.read(kHost[0]);
  const Bytes second = place.read(kHost[1]);
  const std::string asked =
      fmt::format("a read-back of {} bytes of '{}'", place.bytes(), place.spec.name);
  const auto missing = differences(
      first.size(), [&](std::size_t i) { return first[i] == kHost[0] && second[i] == kHost[1]; });
  if (missing)
    return CopyFault{"short_copy", fmt::format("{} loses {}: the host's memory holds what it held "
                                               "before",
                                               asked, range_of(*missing))};
  const auto found = pieces_that_differ(place, first);
  if (!found) return std::nullopt;
  const bool is_old = std::equal(first.begin() + static_cast<std::ptrdiff_t>(found->first),
                                 first.begin() + static_cast<std::ptrdiff_t>(found->last) + 1,
                                 before.begin() + static_cast<std::ptrdiff_t>(found->first));
  return CopyFault{
      "stale_copy",
      fmt::format("{} gives in {} {}, and one of {} bytes does not", asked, range_of(*found),
                  is_old ? "what the host wrote before the call" : "something else", kPiece)};
}

// Compares what was just read with what was written.
std::optional<CopyFault> fault_of_writing(const Place& place, const Bytes& got,
                                          const Bytes& written, const Unset& unset) {
  const auto differs = [&](std::size_t i) { return got[i] != written[i]; };
  const std::string asked =
      fmt::format("an upload of {} bytes to '{}'", place.bytes(), place.spec.name);
  if (const auto d = differences(place.bytes(), differs)) {
    const bool is_unset = std::all_of(got.begin() + static_cast<std::ptrdiff_t>(d->first),
                                      got.begin() + static_cast<std::ptrdiff_t>(d->last) + 1,
                                      [&](std::byte b) { return b == unset.contents; });
    if (!is_unset)
      return CopyFault{"misplaced_copy",
                       fmt::format("{} puts other bytes into {}", asked, range_of(*d))};
    return CopyFault{"short_copy",
                     fmt::format("{} loses {}: the device's memory holds what it held before",
                                 asked, range_of(*d))};
  }
  const auto d = differences(got.size(), differs);
  if (!d) return std::nullopt;
  if (d->last + 1 < got.size())
    return CopyFault{"out_of_bounds", fmt::format("{} changes memory behind its end", asked)};
  return CopyFault{"short_copy", fmt::format("the upload that fills '{}' and its guard loses {}",
                                             place.spec.name, range_of(*d))};
}

class Search {
 public:
  Search(Session& session, const Plan& plan, const TensorSet& operands, const Unset& unset)
      : plan_(plan),
        operands_(operands),
        unset_(unset),
        run_(session, plan, operands, unset, Reporting::kStages) {}

  [[nodiscard]] std::optional<CopyFault> fault() {
    if (auto found = look(false)) return found;
    run_.launch();
    return look(true);
  }

 private:
  [[nodiscard]] std::optional<CopyFault> look(bool launched) const {
    enter_stage("read back", true);
    for (const TensorSpec& spec : plan_.tensors) {
      if (launched && !is_output(spec)) continue;
      for (std::size_t i = 0; i < spec.stretches; ++i) {
        const Place place{run_.buffer(spec), spec, i};
        const Bytes written = first_image(spec, i, operands_, unset_);
        if (auto found = fault_of_reading(place, written)) return found;
        if (launched) continue;
        const Bytes got = place.read(kHost[0]);
        if (auto found = fault_of_writing(place, got, written, unset_)) return found;
      }
    }
    return std::nullopt;
  }

  const Plan& plan_;
  const TensorSet& operands_;
  Unset unset_;
  PreparedPlan run_;
};

}  // namespace

std::optional<CopyFault> find_copy_fault(Session& session, const Plan& plan,
                                         const TensorSet& operands) {
  std::optional<CopyFault> found;
  try {
    const Unset other{.contents = Unset{}.behind, .behind = Unset{}.contents};
    for (const Unset& unset : {Unset{}, other}) {
      enter_stage("allocate", true);
      found = Search(session, plan, operands, unset).fault();
      if (found) break;
    }
  } catch (const backends::BackendError&) {
    found.reset();  // the case itself reports the error
  }
  enter_stage("reference", false);
  return found;
}

}  // namespace halfmark::suites
