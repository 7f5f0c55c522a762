// SPDX-License-Identifier: Apache-2.0
// Copies with and without a planted fault.
#include "backends/host/host_buffer.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

namespace halfmark::backends::host {
namespace {

constexpr std::size_t kWindow = 64 * 1024;

std::vector<std::byte> bytes_of(std::size_t count, int value) {
  return std::vector(count, static_cast<std::byte>(value));
}

std::vector<std::byte> read(HostBuffer& buffer, std::uint64_t offset, std::size_t count) {
  std::vector<std::byte> target = bytes_of(count, 9);
  buffer.read(offset, target);
  return target;
}

std::size_t count_of(const std::vector<std::byte>& bytes, int value) {
  return static_cast<std::size_t>(std::ranges::count(bytes, static_cast<std::byte>(value)));
}

// A buffer of two windows and a little more, filled with ones.
std::unique_ptr<HostBuffer> buffer_with(std::string_view fault) {
  std::unique_ptr<HostBuffer> buffer = make_buffer(2 * kWindow + 32, parse_fault(fault));
  std::fill_n(buffer->address(), buffer->size_bytes(), std::byte{1});
  return buffer;
}

TEST(HostBuffer, CopiesWhatItIsGiven) {
  const auto buffer = buffer_with("");
  buffer->write(3, bytes_of(kWindow, 2));
  EXPECT_EQ(bytes_of(kWindow, 2), read(*buffer, 3, kWindow));
  EXPECT_EQ(bytes_of(3, 1), read(*buffer, 0, 3));
  EXPECT_EQ(bytes_of(32, 1), read(*buffer, kWindow + 3, 32));
}

TEST(HostBuffer, LosesTheEndsOfUploads) {
  const auto windows = buffer_with("T01:bytes=5");
  windows->write(0, bytes_of(kWindow, 2));
  EXPECT_EQ(5u, count_of(read(*windows, 0, kWindow), 1));
  windows->write(0, bytes_of(kWindow + 1, 3));
  EXPECT_EQ(kWindow + 1, count_of(read(*windows, 0, 2 * kWindow), 3));
  const auto granules = buffer_with("T02:granule=64");
  granules->write(0, bytes_of(130, 2));
  EXPECT_EQ(128u, count_of(read(*granules, 0, kWindow), 2));
}

TEST(HostBuffer, GivesARangeAsItWasWhenItWasReadFirst) {
  const auto buffer = buffer_with("T03:least=4");
  EXPECT_EQ(bytes_of(4, 1), read(*buffer, 0, 4));
  buffer->write(0, bytes_of(4, 2));
  EXPECT_EQ(bytes_of(4, 1), read(*buffer, 0, 4));
  EXPECT_EQ(bytes_of(3, 2), read(*buffer, 0, 3));
  EXPECT_EQ(2u, count_of(read(*buffer, 2, 4), 2));
}

TEST(HostBuffer, LosesTheEndsOfReadBacks) {
  const auto buffer = buffer_with("T04:bytes=5");
  EXPECT_EQ(5u, count_of(read(*buffer, 0, kWindow), 9));
  EXPECT_EQ(0u, count_of(read(*buffer, 0, kWindow - 1), 9));
}

TEST(HostBuffer, GivesWhatTheHostWrote) {
  const auto buffer = buffer_with("T05:least=128");
  buffer->write(0, bytes_of(256, 2));
  std::fill_n(buffer->address(), 256, std::byte{3});
  EXPECT_EQ(bytes_of(128, 2), read(*buffer, 4, 128));
  EXPECT_EQ(bytes_of(127, 3), read(*buffer, 4, 127));
}

TEST(HostBuffer, PutsABlockIntoTwoPlaces) {
  const auto buffer = buffer_with("T06:block=256");
  std::vector<std::byte> source = bytes_of(256, 2);
  source.resize(300, std::byte{3});
  buffer->write(0, source);
  EXPECT_EQ(bytes_of(300, 2), read(*buffer, 0, 300));
  EXPECT_EQ(bytes_of(100, 1), read(*buffer, 300, 100));
}

TEST(HostBuffer, WritesBehindTheEndsOfUploads) {
  const auto buffer = buffer_with("T07:granule=4");
  buffer->write(0, bytes_of(5, 2));
  EXPECT_EQ(3u, count_of(read(*buffer, 0, 16), 0));
  buffer->write(2 * kWindow + 31, bytes_of(1, 2));  // nothing follows
  EXPECT_EQ(bytes_of(1, 2), read(*buffer, 2 * kWindow + 31, 1));
}

}  // namespace
}  // namespace halfmark::backends::host
