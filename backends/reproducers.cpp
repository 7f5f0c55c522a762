// SPDX-License-Identifier: Apache-2.0
#include "backends/reproducers.hpp"

namespace halfmark::backends {

std::vector<ReproducerFrame> reproducer_frames(const DeviceInfo& device) {
  const auto frames = all_reproducer_frames();
  const auto found = frames.find(device.plugin.empty() ? device.backend : "plugin");
  if (found == frames.end()) return {};
  std::vector<ReproducerFrame> of_device = found->second;
  for (ReproducerFrame& frame : of_device) {
    if (device.kind == "stand-in") frame.dialect.clear();  // its compiler defines the words
  }
  return of_device;
}

std::optional<std::string> filled(std::string text, const Words& words) {
  for (std::size_t at = text.find('@'); at != std::string::npos; at = text.find('@', at)) {
    const std::size_t end = text.find('@', at + 1);
    if (end == std::string::npos) return std::nullopt;
    const auto word = words.find(text.substr(at + 1, end - at - 1));
    if (word == words.end()) return std::nullopt;
    text.replace(at, end + 1 - at, word->second);
  }
  return text;
}

}  // namespace halfmark::backends
