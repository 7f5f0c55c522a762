// SPDX-License-Identifier: Apache-2.0
// Determines what happened to the bytes of a copy from the bytes that arrived. Decides the wording
// and the class of each kind of event. A wrong byte inside the range is explained only by a pattern
// that contains it there, in place or moved by some distance; outside the range nothing may change
// at all, and what changed the device's memory there is named only if the bytes tell.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string>

#include "suites/transfer/binding.hpp"

namespace halfmark::suites::transfer {
namespace {

/// In the order in which several events are reported.
enum class Event : std::uint8_t {
  kNeverUploaded,
  kNeverRead,
  kStale,
  kNotArrived,  // before an upload, or before a read-back: nothing tells
  kMisplaced,
  kReversed,
  kAround,   // outside the range
  kUnknown,  // no pattern has these bytes
};

/// The origin of bytes: a pattern, shifted by a distance.
struct Source {
  Generation generation = Generation::kBefore;
  std::ptrdiff_t distance = 0;
  bool reversed = false;  // bytes are reversed within each word

  /// Nothing past the end of the pattern.
  [[nodiscard]] std::optional<std::byte> at(std::size_t place, std::size_t end) const {
    const auto from = static_cast<std::ptrdiff_t>(place) + distance;
    if (from < 0 || from >= static_cast<std::ptrdiff_t>(end)) return std::nullopt;
    const auto index = static_cast<std::size_t>(from);
    return byte_at(generation, reversed ? index ^ 3U : index);
  }
};

struct Stretch {
  const Image* image = nullptr;
  std::size_t first = 0, bytes = 0;
  Event event = Event::kUnknown;
  bool is_known = false;  // a pattern has these bytes
  bool of_upload = false;
  Source source = {};

  [[nodiscard]] std::size_t end() const { return first + bytes; }
};

using Bytes = std::span<const std::byte>;

constexpr std::size_t kOneWord = 4, kTwoWords = 8;

std::size_t reach(const Source& source, Bytes got, std::size_t from, std::size_t limit) {
  std::size_t place = from;
  while (place < limit && source.at(place, got.size()) == got[place]) ++place;
  return place - from;
}

// The source that matches the longest stretch. Bytes from another place must match twice: a few may
// match another place by chance.
struct Found {
  Source source;
  std::size_t bytes = 0;
};

void take(Found& found, const Source& source, Bytes got, std::size_t from, std::size_t limit) {
  const std::size_t bytes = reach(source, got, from, limit);
  if (bytes > found.bytes) found = {source, bytes};
}

Found source_at(Bytes got, std::size_t from, std::size_t limit) {
  Found in_place, moved;
  for (const Generation g : kGenerations) take(in_place, {g, 0, false}, got, from, limit);
  for (const Generation g : kGenerations) take(moved, {g, 0, true}, got, from, limit);
  for (std::size_t place = from; place < from + 4 && place + 4 <= got.size(); ++place) {
    const std::optional<Word> word = word_in(&got[place]);
    if (!word || word->place >= got.size()) continue;
    const auto distance =
        static_cast<std::ptrdiff_t>(word->place) - static_cast<std::ptrdiff_t>(place);
    take(moved, {word->generation, distance, false}, got, from, limit);
  }
  return moved.bytes > in_place.bytes && moved.bytes >= kTwoWords ? moved : in_place;
}

bool is_hosts(const Source& source) { return source.generation >= Generation::kHostBeforeFirst; }

// Whether a copy of all memory caused it, and not a copy of the range.
bool is_of_all(const Binding& b, const Stretch& s) {
  if (s.image->name != kMemory) return false;
  if (b.holds(s.first)) return !s.of_upload;
  const std::size_t fewest = is_hosts(s.source) && s.source.distance == 0 ? kOneWord : kTwoWords;
  if (!s.is_known || (s.bytes < fewest && s.end() < b.memory_bytes())) return false;
  return !s.of_upload || (s.source.generation == Generation::kBefore && s.source.distance != 0);
}

// Wrong bytes of one image, cut into stretches with one origin each.
class Reader {
 public:
  Reader(const Binding& b, const TensorSet& outputs) : b_(b) {
    for (std::size_t i = 0; i < images_.size(); ++i) {
      const std::string name(kImages[i].name);
      images_[i] = {outputs.at(name).bytes, expected_image(b, kImages[i])};
    }
  }

  [[nodiscard]] std::vector<Stretch> read() const {
    std::vector<Stretch> stretches;
    for (std::size_t i = 0; i < images_.size(); ++i) {
      const auto& [got, expected] = images_[i];
      for (std::size_t place = 0; place < got.size();) {
        if (got[place] == expected[place]) {
          ++place;
          continue;
        }
        const Stretch found = stretch_at(kImages[i], got, place);
        place = found.end();
        if (stretches.empty() || !are_one(stretches.back(), found)) {
          stretches.push_back(found);
          continue;
        }
        stretches.back().bytes += found.bytes;
        stretches.back().is_known = stretches.back().of_upload = false;
      }
    }
    return stretches;
  }

 private:
  struct Pair {
    Bytes got;
    std::vector<std::byte> expected;
  };

  [[nodiscard]] std::size_t limit_of(std::size_t place) const {
    if (place < b_.offset) return b_.offset;
    return place < b_.end() ? b_.end() : b_.memory_bytes();
  }

  [[nodiscard]] Stretch stretch_at(const Image& image, Bytes got, std::size_t place) const {
    const Found found = source_at(got, place, limit_of(place));
    Stretch s{.image = &image,
              .first = place,
              .bytes = std::max<std::size_t>(found.bytes, 1),
              .is_known = found.bytes > 0,
              .source = found.source};
    s.of_upload = is_of_upload(s);
    s.event = event_of(s);
    return s;
  }

  // Bytes of no pattern are found one by one, and a few around the range have a pattern by chance.
  [[nodiscard]] bool are_one(const Stretch& before, const Stretch& s) const {
    const auto is_loose = [](const Stretch& one) {
      return !one.is_known || (one.event == Event::kAround && one.bytes < kOneWord);
    };
    return before.image == s.image && before.event == s.event && before.end() == s.first &&
           limit_of(before.first) == limit_of(s.first) && is_loose(before) && is_loose(s);
  }

  // Both read-backs after an upload see what it left in memory.
  [[nodiscard]] bool is_of_upload(const Stretch& s) const {
    const bool is_last = s.image->name == kMemory;
    if (!b_.holds(s.first)) return is_last && s.is_known && !is_hosts(s.source);
    const Pair& other = is_last ? images_[1] : images_.back();
    return other.got[s.first] != other.expected[s.first] && !is_hosts(s.source);
  }

  [[nodiscard]] Event event_of(const Stretch& s) const {
    if (!b_.holds(s.first) && !is_of_all(b_, s)) return Event::kAround;
    if (!s.is_known) return Event::kUnknown;
    if (s.source.reversed) return Event::kReversed;
    if (s.source.distance != 0) return Event::kMisplaced;
    if (is_hosts(s.source)) return Event::kNeverRead;
    if (s.of_upload) return Event::kNeverUploaded;
    // The upload after the first read-back has hidden what memory held then.
    const bool is_hidden = s.image == &kImages[0] && s.source.generation == Generation::kBefore;
    return is_hidden ? Event::kNotArrived : Event::kStale;
  }

  const Binding& b_;
  std::array<Pair, std::size(kImages)> images_;
};

std::string counted(std::size_t bytes) {
  return fmt::format("{} byte{}", bytes, bytes == 1 ? "" : "s");
}

// The copy that the host requested: its start, its length and its parts.
struct Asked {
  std::string words;
  std::size_t first = 0, bytes = 0;
};

Asked asked_of(const Binding& b, const Stretch& s) {
  const std::string_view copy = s.of_upload ? "an upload" : "a read-back";
  const bool is_whole = is_of_all(b, s);
  const std::size_t bytes = is_whole ? b.memory_bytes() : b.bytes;
  const std::size_t part = is_whole ? 0 : s.of_upload ? b.upload_part : b.read_part;
  const std::string parts = part == 0 ? "" : fmt::format(" in parts of {}", part);
  return {.words = fmt::format("{} of {}{}", copy, counted(bytes), parts),
          .first = is_whole ? 0 : b.offset,
          .bytes = bytes};
}

std::string bytes_of(const Asked& asked, const Stretch& s) {
  const std::size_t first = s.first - asked.first;
  if (s.bytes == asked.bytes) return "all of them";
  if (s.bytes == 1) return fmt::format("byte {}", first);
  return fmt::format("bytes {} to {}", first, first + s.bytes - 1);
}

std::string lost(const Asked& asked, const Stretch& s, std::string_view holder) {
  const bool is_end = s.end() == asked.first + asked.bytes && s.bytes < asked.bytes;
  const std::string which = is_end ? fmt::format("its last {}", s.bytes) : bytes_of(asked, s);
  return fmt::format("{} loses {}: {} holds what it held before", asked.words, which, holder);
}

std::string around(const Binding& b, const Asked& asked, const Stretch& s) {
  const std::string_view side = s.first < b.offset ? "before its beginning" : "behind its end";
  if (s.image->name == kMemory && !s.of_upload)
    return fmt::format("memory around the range does not hold what was written there, in {} {}",
                       counted(s.bytes), side);
  return fmt::format("{} changes {} of the {}'s memory {}", asked.words, counted(s.bytes),
                     s.of_upload ? "device" : "host", side);
}

std::string words_of(const Binding& b, const Stretch& s) {
  const Asked asked = asked_of(b, s);
  switch (s.event) {
    case Event::kNeverUploaded:
      return lost(asked, s, "the device's memory");
    case Event::kNeverRead:
      return lost(asked, s, "the host's memory");
    case Event::kStale:
      return fmt::format("{} gives in {} what memory held before the last upload", asked.words,
                         bytes_of(asked, s));
    case Event::kNotArrived:
      return fmt::format("the upload or the read-back of {} gives in {} what memory held before",
                         counted(b.bytes), bytes_of(asked, s));
    case Event::kMisplaced:
      return fmt::format("{} puts into {} what belongs {} {}", asked.words, bytes_of(asked, s),
                         counted(static_cast<std::size_t>(std::abs(s.source.distance))),
                         s.source.distance < 0 ? "before" : "behind");
    case Event::kReversed:
      return fmt::format("{} reverses the bytes of each word in {}", asked.words,
                         bytes_of(asked, s));
    case Event::kAround:
      return around(b, asked, s);
    case Event::kUnknown:
      break;
  }
  return fmt::format("{} gives in {} what nobody wrote", asked.words, bytes_of(asked, s));
}

struct Name {
  std::string_view hypothesis;
  FindingClassName finding_class;
};
Name name_of(Event event) {
  switch (event) {
    case Event::kNeverUploaded:
      return {"upload-is-short", "short_copy"};
    case Event::kNeverRead:
      return {"read-back-is-short", "short_copy"};
    case Event::kStale:
      return {"read-back-is-stale", "stale_copy"};
    case Event::kNotArrived:
      return {"upload-or-read-back-lost", "undecided"};
    case Event::kMisplaced:
      return {"bytes-moved", "misplaced_copy"};
    case Event::kReversed:
      return {"bytes-reversed", "misplaced_copy"};
    case Event::kAround:
      return {"written-around", "out_of_bounds"};
    case Event::kUnknown:
      break;
  }
  return {"unknown-bytes", "unexplained"};
}

// The images with these stretches inserted.
TensorSet images_with(const Binding& b, const std::vector<Stretch>& stretches,
                      const TensorSet& outputs) {
  TensorSet images;
  for (const Image& image : kImages) {
    const std::string name(image.name);
    std::vector<std::byte> bytes = expected_image(b, image);
    for (const Stretch& s : stretches) {
      if (s.image != &image) continue;
      for (std::size_t i = s.first; i < s.end(); ++i) {
        const std::byte there = outputs.at(name).bytes[i];
        const bool is_told = s.event != Event::kAround && s.event != Event::kUnknown;
        bytes[i] = is_told ? s.source.at(i, bytes.size()).value() : there;
      }
    }
    images.emplace(name, tensor_of(std::move(bytes)));
  }
  return images;
}

std::string sentence_of(const Binding& b, const std::vector<Stretch>& stretches,
                        const Stretch& first) {
  const auto alike = std::ranges::count_if(stretches, [&](const Stretch& s) {
    return s.image == first.image && s.event == first.event;
  });
  const std::string more =
      alike < 2 ? "" : fmt::format("; {} stretches of it are like this", alike);
  return words_of(b, first) + more;
}

}  // namespace

std::vector<Hypothesis> decoded(const Case& c, const TensorSet& outputs) {
  const Binding b = bind(c);
  const std::vector<Stretch> stretches = Reader(b, outputs).read();
  const auto first = std::ranges::min_element(stretches, {}, &Stretch::event);
  if (first == stretches.end() || first->event == Event::kUnknown) return {};
  // A few bytes among others are too short to identify their origin.
  std::size_t unknown = 0;
  for (const Stretch& s : stretches) unknown += s.event == Event::kUnknown ? s.bytes : 0;
  if (unknown >= kTwoWords) return {};
  const Name name = name_of(first->event);
  return {{.name = std::string(name.hypothesis),
           .finding_class = name.finding_class,
           .sentence = sentence_of(b, stretches, *first),
           .evaluate = [images = images_with(b, stretches, outputs)](
                           const Case&, const TensorSet&) { return images; }}};
}

}  // namespace halfmark::suites::transfer
