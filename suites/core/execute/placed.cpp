// SPDX-License-Identifier: Apache-2.0
#include "suites/core/execute/placed.hpp"

#include <algorithm>
#include <span>

namespace halfmark::suites {
namespace {

// The input bytes of a stretch.
std::span<const std::byte> given(const TensorSpec& spec, std::size_t stretch,
                                 const TensorSet& inputs) {
  const std::size_t bytes = placed(spec).bytes;
  return std::span(inputs.at(spec.name).bytes).subspan(stretch * bytes, bytes);
}

std::vector<std::byte> unset_image(std::size_t bytes, const Unset& unset) {
  std::vector<std::byte> image(bytes + kGuardBytes, unset.contents);
  std::fill(image.end() - kGuardBytes, image.end(), unset.behind);
  return image;
}

// The last piece includes the guard.
void write_poison(backends::Buffer& buffer, std::size_t start, std::size_t bytes,
                  const Unset& unset) {
  const std::vector<std::byte> image = unset_image(std::min(bytes, kPieceBytes), unset);
  std::size_t done = 0;
  for (; bytes - done > kPieceBytes; done += kPieceBytes)
    buffer.write(start + done, std::span(image).first(kPieceBytes));
  buffer.write(start + done, std::span(image).last(bytes - done + kGuardBytes));
}

}  // namespace

Placed placed(const TensorSpec& spec) {
  const auto width = static_cast<std::size_t>(spec.format->storage_bytes());
  return {.stretches = spec.stretches,
          .bytes = spec.count * width / spec.stretches,
          .apart = spec.apart * width};
}

bool is_given(const TensorSpec& spec) {
  return spec.role == Role::kInput || spec.role == Role::kInOut;
}

bool is_output(const TensorSpec& spec) {
  return spec.role == Role::kOutput || spec.role == Role::kInOut;
}

std::vector<std::byte> first_image(const TensorSpec& spec, std::size_t stretch,
                                   const TensorSet& inputs, const Unset& unset) {
  std::vector<std::byte> image = unset_image(placed(spec).bytes, unset);
  if (is_given(spec)) std::ranges::copy(given(spec, stretch, inputs), image.begin());
  return image;
}

void write_first(backends::Buffer& buffer, const TensorSpec& spec, const TensorSet& inputs,
                 const Unset& unset) {
  const Placed place = placed(spec);
  for (std::size_t i = 0; i < place.stretches; ++i) {
    write_poison(buffer, place.start_of(i), place.bytes, unset);
    if (is_given(spec) && place.bytes > 0) buffer.write(place.start_of(i), given(spec, i, inputs));
  }
}

std::vector<std::byte> read_stretch(const backends::Buffer& buffer, const Placed& place,
                                    std::size_t stretch, std::byte host) {
  std::vector<std::byte> image(place.bytes + kGuardBytes, host);
  const std::size_t start = place.start_of(stretch);
  if (place.bytes > 0) buffer.read(start, std::span(image).first(place.bytes));
  buffer.read(start + place.bytes, std::span(image).subspan(place.bytes));
  return image;
}

}  // namespace halfmark::suites
