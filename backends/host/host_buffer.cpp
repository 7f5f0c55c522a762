// SPDX-License-Identifier: Apache-2.0
#include "backends/host/host_buffer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <utility>
#include <vector>

namespace halfmark::backends::host {
namespace {

using Source = std::span<const std::byte>;
using Target = std::span<std::byte>;

constexpr std::uint64_t kWindow = 64 * 1024;  // the unit of a copy engine's transfers

// What remains of a copy of that many bytes when a copy of whole windows loses its last bytes.
std::uint64_t without_tail(std::uint64_t bytes, std::uint64_t lost) {
  return bytes % kWindow == 0 ? bytes - std::min(bytes, lost) : bytes;
}

class FaultyBuffer final : public HostBuffer {
 public:
  FaultyBuffer(std::uint64_t bytes, Fault fault)
      : HostBuffer(bytes), fault_(std::move(fault)), written_(fault_.is("T05") ? bytes : 0) {}

  void write(std::uint64_t offset, Source source) override {
    if (fault_.is("T01")) source = source.first(without_tail(source.size(), fault_.value("bytes")));
    if (fault_.is("T02"))
      source = source.first(source.size() - source.size() % fault_.value("granule"));
    HostBuffer::write(offset, source);
    if (fault_.is("T06")) repeat_a_block(offset, source);
    if (fault_.is("T07")) fill_up(offset, source.size());
    if (!written_.empty()) std::ranges::copy(source, Target(written_).subspan(offset).begin());
  }

  void read(std::uint64_t offset, Target target) override {
    if (fault_.is("T04")) target = target.first(without_tail(target.size(), fault_.value("bytes")));
    if (fault_.is("T03") && target.size() >= fault_.value("least"))
      return read_once(offset, target);
    if (fault_.is("T05") && target.size() >= fault_.value("least")) {
      std::ranges::copy(Source(written_).subspan(offset, target.size()), target.begin());
      return;
    }
    HostBuffer::read(offset, target);
  }

 private:
  // Returns for a range what its first read returned.
  void read_once(std::uint64_t offset, Target target) {
    const auto [kept, is_first] = kept_.try_emplace(std::pair(offset, target.size()));
    if (is_first) {
      kept->second.resize(target.size());
      HostBuffer::read(offset, kept->second);
    }
    std::ranges::copy(kept->second, target.begin());
  }

  void repeat_a_block(std::uint64_t offset, Source source) {
    const std::uint64_t block = fault_.value("block");
    if (source.size() > block)
      HostBuffer::write(offset + block,
                        source.first(std::min<std::uint64_t>(block, source.size() - block)));
  }

  void fill_up(std::uint64_t offset, std::uint64_t bytes) {
    const std::uint64_t granule = fault_.value("granule");
    const std::uint64_t end = offset + bytes;
    const std::uint64_t wanted = (granule - bytes % granule) % granule;
    const std::vector<std::byte> zeros(std::min(wanted, size_bytes() - end));
    HostBuffer::write(end, zeros);
  }

  Fault fault_;
  std::vector<std::byte> written_;  // the host's last writes at the same offsets; empty: not needed
  std::map<std::pair<std::uint64_t, std::size_t>, std::vector<std::byte>> kept_;
};

}  // namespace

HostBuffer::HostBuffer(std::uint64_t bytes)
    : memory_(static_cast<std::byte*>(::operator new(bytes, kAlignment, std::nothrow))),
      bytes_(bytes) {
  if (memory_ == nullptr)
    throw BackendError("allocate", 0, fmt::format("no memory for {} bytes", bytes));
}

void HostBuffer::write(std::uint64_t offset, Source source) {
  if (!source.empty()) std::memcpy(memory_.get() + offset, source.data(), source.size());
}

void HostBuffer::read(std::uint64_t offset, Target target) {
  if (!target.empty()) std::memcpy(target.data(), memory_.get() + offset, target.size());
}

std::unique_ptr<HostBuffer> make_buffer(std::uint64_t bytes, const Fault& fault) {
  if (fault.id().starts_with('T')) return std::make_unique<FaultyBuffer>(bytes, fault);
  return std::make_unique<HostBuffer>(bytes);
}

}  // namespace halfmark::backends::host
