// SPDX-License-Identifier: Apache-2.0
#include "suites/runner/tensor_files.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <iterator>

#include "suites/registry.hpp"

namespace halfmark::suites {
namespace {

using formats::Tensor;

std::string read(const std::filesystem::path& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

// NEP 1: magic, version 1.0, the header's length in two bytes, a header that ends with a line feed
// at a multiple of 64, then the elements.
TEST(Npy, HasTheHeaderOfNumPy) {
  const std::string file =
      npy_of(Tensor::from_bits(formats::kFp16, std::array<formats::Bits, 2>{0x3c00, 0x7e01}));
  EXPECT_EQ(std::string("\x93NUMPY\x01\0", 8), file.substr(0, 8));
  const std::size_t length =
      static_cast<unsigned char>(file[8]) + 256u * static_cast<unsigned char>(file[9]);
  EXPECT_EQ(0u, (10 + length) % 64);
  EXPECT_EQ('\n', file[10 + length - 1]);
  EXPECT_EQ(0u, file.substr(10).find("{'descr': '<f2', 'fortran_order': False, 'shape': (2,), }"));
  EXPECT_EQ(std::string("\x00\x3c\x01\x7e", 4), file.substr(10 + length));
}

TEST(Npy, HoldsEncodingsOfFormatsThatNumPyLacks) {
  EXPECT_NE(std::string::npos, npy_of(Tensor::zeros(formats::kBf16, 3)).find("'<u2'"));
  EXPECT_NE(std::string::npos, npy_of(Tensor::zeros(formats::kE4m3fn, 3)).find("'|u1'"));
}

class TensorFiles : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = std::filesystem::path(testing::TempDir()) / "halfmark-tensors";
    std::filesystem::remove_all(folder_);
    std::filesystem::create_directories(folder_);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  std::filesystem::path folder_;
};

constexpr const char* kCase = "layernorm.forward.fp16.portable.r16n64.eps1e-5.normal.s1";

TEST_F(TensorFiles, AreOperandsResultsAndExpectations) {
  Session session(backends::Device::open("host"));
  const auto names = write_tensors(session, parse_case(kCase), folder_);
  EXPECT_TRUE(std::ranges::count(names, "operand.x.npy") == 1);
  EXPECT_TRUE(read(folder_ / "expected.y.npy") == read(folder_ / "result.y.npy"));
  EXPECT_FALSE(read(folder_ / "operand.x.npy") == read(folder_ / "result.y.npy"));
}

TEST_F(TensorFiles, ShowWhatADeviceGotWrong) {
  Session session(backends::Device::open("host", {{"fault", "G07"}}));
  const Case c = parse_case("gemm.fp16.acc-fp32.out-fp16.library.nn.m64n64k64.plain.normal.s1");
  static_cast<void>(write_tensors(session, c, folder_));
  EXPECT_FALSE(read(folder_ / "expected.d.npy") == read(folder_ / "result.d.npy"));
}

TEST_F(TensorFiles, NameTheFileThatCannotBeWritten) {
  Session session(backends::Device::open("host"));
  try {
    static_cast<void>(write_tensors(session, parse_case(kCase), folder_ / "missing"));
    FAIL();
  } catch (const std::runtime_error& e) {
    EXPECT_NE(std::string::npos, std::string(e.what()).find("operand.beta.npy cannot be written"))
        << e.what();
  }
}

}  // namespace
}  // namespace halfmark::suites
