// SPDX-License-Identifier: Apache-2.0
//
// The stand-in's MIOpen, called as the vendor's documents say: with numbers that are written here a
// second time (miopen.h of ROCm 6.4), so that a wrong row of dnn_names.hpp does not agree with
// itself.
#include <dlfcn.h>
#include <gtest/gtest.h>

#include <array>

namespace halfmark::backends::hip {
namespace {

constexpr int kHalf = 0, kFloat = 1, kBrainFloat = 5;
constexpr int kFast = 0, kAccurate = 1, kLog = 2;
constexpr int kInstance = 0, kChannel = 1;
constexpr int kBadParm = 3, kNotImplemented = 6;

using Numbers = std::array<float, 4>;

// One tensor of 2 x 2 x 1 x 1, through the whole of the interface.
class StandInDnn : public testing::Test {
 protected:
  void SetUp() override {
    library_ = dlopen(HM_STAND_IN_LIBRARY, RTLD_NOW | RTLD_LOCAL);
    ASSERT_NE(nullptr, library_) << dlerror();
    ASSERT_EQ(0, call<int(void**)>("miopenCreate")(&handle_));
  }
  void TearDown() override {
    EXPECT_EQ(0, call<int(void*)>("miopenDestroy")(handle_));
    // A handle that is gone is no handle.
    EXPECT_EQ(kBadParm, call<int(void*)>("miopenDestroy")(handle_));
  }
  template <typename Signature>
  Signature* call(const char* symbol) {
    return reinterpret_cast<Signature*>(dlsym(library_, symbol));
  }
  void* tensor(int type) {
    constexpr std::array<int, 4> kSizes{2, 2, 1, 1};
    constexpr std::array<int, 4> kStrides{2, 1, 1, 1};
    void* raw = nullptr;
    EXPECT_EQ(0, call<int(void**)>("miopenCreateTensorDescriptor")(&raw));
    status_ = call<int(void*, int, int, const int*, const int*)>("miopenSetTensorDescriptor")(
        raw, type, 4, kSizes.data(), kStrides.data());
    return raw;
  }
  int softmax(int algorithm, int mode, int type, const Numbers& x, Numbers& y, float beta = 0) {
    const float alpha = 1;
    void* both = tensor(type);
    const int status =
        call<int(void*, const void*, void*, const void*, const void*, void*, void*, int, int)>(
            "miopenSoftmaxForward_V2")(handle_, &alpha, both, x.data(), &beta, both, y.data(),
                                       algorithm, mode);
    EXPECT_EQ(0, call<int(void*)>("miopenDestroyTensorDescriptor")(both));
    return status;
  }

  void* library_ = nullptr;
  void* handle_ = nullptr;
  int status_ = 0;
};

TEST_F(StandInDnn, TakesTheNumbersOfTheDocuments) {
  const Numbers x{3, 3, -5, -5};
  Numbers y{};
  EXPECT_EQ(0, softmax(kAccurate, kInstance, kFloat, x, y));
  EXPECT_EQ((Numbers{0.5F, 0.5F, 0.5F, 0.5F}), y);
  EXPECT_EQ(0, softmax(kAccurate, kChannel, kFloat, x, y));
  EXPECT_EQ(0, softmax(kLog, kInstance, kFloat, x, y));
  EXPECT_FLOAT_EQ(-0.69314718F, y[3]);
}

TEST_F(StandInDnn, RefusesOthers) {
  const Numbers x{};
  Numbers y{};
  EXPECT_EQ(kBadParm, softmax(kFast, kInstance, kFloat, x, y));  // without the maximum
  EXPECT_EQ(kBadParm, softmax(kAccurate, 2, kFloat, x, y));
  EXPECT_EQ(kBadParm, softmax(kAccurate, kInstance, kFloat, x, y, 1));
  EXPECT_EQ(kNotImplemented, softmax(kAccurate, kInstance, kBrainFloat, x, y));
  (void)tensor(kHalf);
  EXPECT_EQ(0, status_);
  (void)tensor(6);  // fp64, which softmax would take for fp32
  EXPECT_EQ(kBadParm, status_);
}

TEST_F(StandInDnn, GradientTakesTheResultBeforeItsGradient) {
  const float alpha = 1;
  const float beta = 0;
  const Numbers y{0.5F, 0.5F, 1, 0};
  const Numbers dy{4, 0, 3, 5};
  Numbers dx{};
  void* all = tensor(kFloat);
  EXPECT_EQ(0, (call<int(void*, const void*, void*, const void*, void*, const void*, const void*,
                         void*, void*, int, int)>("miopenSoftmaxBackward_V2")(
                   handle_, &alpha, all, y.data(), all, dy.data(), &beta, all, dx.data(), kAccurate,
                   kInstance)));
  EXPECT_EQ((Numbers{1, -1, 0, 0}), dx);
}

}  // namespace
}  // namespace halfmark::backends::hip
