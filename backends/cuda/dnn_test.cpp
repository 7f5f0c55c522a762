// SPDX-License-Identifier: Apache-2.0
//
// Calls the stand-in's cuDNN as the vendor's documents say, with numbers stated independently
// here (cudnn_graph.h and cudnn_ops.h of 9.19), so that a wrong row of dnn_names.hpp cannot
// confirm itself.
#include <dlfcn.h>
#include <gtest/gtest.h>

#include <array>
#include <cstring>

namespace halfmark::backends::cuda {
namespace {

constexpr int kFloat = 0, kDouble = 1, kHalf = 2, kBrainFloat = 9;
constexpr int kFast = 0, kAccurate = 1, kLog = 2;
constexpr int kInstance = 0, kChannel = 1;
constexpr int kBadParam = 2000, kNotSupported = 3000;

using Numbers = std::array<float, 4>;

// One tensor of 2 x 2 x 1 x 1, through the whole interface.
class StandInDnn : public testing::Test {
 protected:
  void SetUp() override {
    library_ = dlopen(HM_STAND_IN_LIBRARY, RTLD_NOW | RTLD_LOCAL);
    ASSERT_NE(nullptr, library_) << dlerror();
    ASSERT_EQ(0, call<int(void**)>("cudnnCreate")(&handle_));
  }
  void TearDown() override { EXPECT_EQ(0, call<int(void*)>("cudnnDestroy")(handle_)); }
  template <typename Signature>
  Signature* call(const char* symbol) {
    return reinterpret_cast<Signature*>(dlsym(library_, symbol));
  }
  int describe(void* tensor, int type, const std::array<int, 4>& strides) {
    constexpr std::array<int, 4> kSizes{2, 2, 1, 1};
    return call<int(void*, int, int, const int*, const int*)>("cudnnSetTensorNdDescriptor")(
        tensor, type, 4, kSizes.data(), strides.data());
  }
  template <typename Scalar>
  int softmax(int algorithm, int mode, int type, const Numbers& x, Numbers& y, Scalar alpha = 1,
              const std::array<int, 4>& strides = {2, 1, 1, 1}) {
    // The bytes after the scalar are a NaN pattern, so reading too far shows.
    std::array<unsigned char, 16> one{};
    std::array<unsigned char, 16> zero{};
    one.fill(0xff);
    zero.fill(0xff);
    const Scalar beta = 0;
    std::memcpy(one.data(), &alpha, sizeof alpha);
    std::memcpy(zero.data(), &beta, sizeof beta);
    void* both = nullptr;
    EXPECT_EQ(0, call<int(void**)>("cudnnCreateTensorDescriptor")(&both));
    int status = describe(both, type, strides);
    if (status == 0) {
      status =
          call<int(void*, int, int, const void*, void*, const void*, const void*, void*, void*)>(
              "cudnnSoftmaxForward")(handle_, algorithm, mode, one.data(), both, x.data(),
                                     zero.data(), both, y.data());
    }
    EXPECT_EQ(0, call<int(void*)>("cudnnDestroyTensorDescriptor")(both));
    return status;
  }

  void* library_ = nullptr;
  void* handle_ = nullptr;
};

TEST_F(StandInDnn, TakesTheNumbersOfTheDocuments) {
  const Numbers x{3, 3, -5, -5};
  Numbers y{};
  EXPECT_EQ(0, softmax(kAccurate, kInstance, kFloat, x, y, 1.0F));
  EXPECT_EQ((Numbers{0.5F, 0.5F, 0.5F, 0.5F}), y);
  EXPECT_EQ(0, softmax(kAccurate, kChannel, kFloat, x, y, 1.0F));
  EXPECT_EQ(0, softmax(kLog, kInstance, kFloat, x, y, 1.0F));
  EXPECT_FLOAT_EQ(-0.69314718F, y[3]);
  EXPECT_EQ(0, softmax(kAccurate, kInstance, kHalf, x, y, 1.0F));
  EXPECT_EQ(0, softmax(kAccurate, kInstance, kBrainFloat, x, y, 1.0F));
}

TEST_F(StandInDnn, ReadsScalarsInTheTypeOfTheDocuments) {
  const Numbers x{};
  Numbers y{};
  EXPECT_EQ(kNotSupported, softmax(kAccurate, kInstance, kDouble, x, y, 1.0));
  EXPECT_EQ(kBadParam, softmax(kAccurate, kInstance, kDouble, x, y, 1.0F));
  EXPECT_EQ(kBadParam, softmax(kAccurate, kInstance, kHalf, x, y, 1.0));
  EXPECT_EQ(kBadParam, softmax(kAccurate, kInstance, kFloat, x, y, 2.0F));
}

TEST_F(StandInDnn, RefusesOthers) {
  const Numbers x{};
  Numbers y{};
  EXPECT_EQ(kBadParam, softmax(kFast, kInstance, kFloat, x, y, 1.0F));  // without the maximum
  EXPECT_EQ(kBadParam, softmax(kAccurate, 2, kFloat, x, y, 1.0F));
  EXPECT_EQ(kBadParam, softmax(kAccurate, kInstance, 3, x, y, 1.0F));                     // int8
  EXPECT_EQ(kBadParam, softmax(kAccurate, kInstance, kFloat, x, y, 1.0F, {1, 1, 1, 1}));  // overlap
  EXPECT_EQ(kBadParam, softmax(kAccurate, kInstance, kFloat, x, y, 1.0F, {0, 1, 1, 1}));
  EXPECT_EQ(kBadParam, call<int(void*)>("cudnnDestroy")(&library_));
}

TEST_F(StandInDnn, NamesItsAnswers) {
  const auto name = call<const char*(int)>("cudnnGetErrorString");
  EXPECT_STREQ("CUDNN_STATUS_NOT_SUPPORTED", name(kNotSupported));
  EXPECT_STREQ("CUDNN_STATUS_BAD_PARAM", name(kBadParam));
  int major = 0;
  EXPECT_EQ(0, call<int(int, int*)>("cudnnGetProperty")(0, &major));
  EXPECT_EQ(99, major);
}

}  // namespace
}  // namespace halfmark::backends::cuda
