// SPDX-License-Identifier: Apache-2.0
//
// Calls the stand-in's MIOpen as the vendor's documents say, with numbers stated independently here
// (miopen.h of ROCm 6.4), so that a wrong row of dnn_names.hpp cannot confirm itself.
#include <dlfcn.h>
#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <vector>

namespace halfmark::backends::hip {
namespace {

constexpr int kHalf = 0, kFloat = 1, kBrainFloat = 5;
constexpr int kFast = 0, kAccurate = 1, kLog = 2;
constexpr int kInstance = 0, kChannel = 1;
constexpr int kElementwiseAffine = 0, kWeightBias = 1;
constexpr int kBadParm = 3, kNotImplemented = 6;

using Numbers = std::array<float, 4>;

// One tensor of 2 x 2 x 1 x 1, through the whole interface.
class StandInDnn : public testing::Test {
 protected:
  void SetUp() override {
    library_ = dlopen(HM_STAND_IN_LIBRARY, RTLD_NOW | RTLD_LOCAL);
    ASSERT_NE(nullptr, library_) << dlerror();
    ASSERT_EQ(0, call<int(void**)>("miopenCreate")(&handle_));
  }
  void TearDown() override {
    EXPECT_EQ(0, call<int(void*)>("miopenDestroy")(handle_));
    // A destroyed handle is invalid.
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

  // A call for two rows of two elements.
  struct LayerNorm {
    int mode = kWeightBias;
    int type = kFloat;
    std::int32_t normalised_from = 1;
    std::vector<int> mean_sizes = {2};
    std::vector<int> x_strides = {2, 1};
    Numbers y{}, mean{}, rstd{};
  };
  void* described(int type, const std::vector<int>& sizes, const std::vector<int>& strides) {
    void* raw = nullptr;
    EXPECT_EQ(0, call<int(void**)>("miopenCreateTensorDescriptor")(&raw));
    EXPECT_EQ(0, (call<int(void*, int, int, const int*, const int*)>("miopenSetTensorDescriptor")(
                     raw, type, static_cast<int>(sizes.size()), sizes.data(), strides.data())));
    return raw;
  }
  int layer_norm(LayerNorm& norm) {
    const Numbers x{3, 5, -7, -9};
    const Numbers gamma{2, -1};
    const Numbers beta{0.5F, 0};
    void* matrix = described(norm.type, {2, 2}, norm.x_strides);
    void* packed = described(norm.type, {2, 2}, {2, 1});
    void* weights = described(norm.type, {2}, {1});
    void* statistics =
        described(norm.type, norm.mean_sizes, std::vector<int>(norm.mean_sizes.size(), 1));
    const int status =
        call<int(void*, int, void*, const void*, void*, const void*, void*, const void*, float,
                 std::int32_t, void*, void*, void*, void*, void*, void*)>("miopenLayerNormForward")(
            handle_, norm.mode, matrix, x.data(), weights, gamma.data(), weights, beta.data(), 3.0F,
            norm.normalised_from, packed, norm.y.data(), statistics, norm.mean.data(), statistics,
            norm.rstd.data());
    for (void* tensor : {matrix, packed, weights, statistics})
      EXPECT_EQ(0, call<int(void*)>("miopenDestroyTensorDescriptor")(tensor));
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
  (void)tensor(6);  // fp64, which softmax would treat as fp32
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

// Every element is 1 from its row's mean, and 3 is added to the variance: 1/sqrt(4).
TEST_F(StandInDnn, LayerNormGivesResultMeanAndReciprocalDeviation) {
  LayerNorm norm;
  EXPECT_EQ(0, layer_norm(norm));
  EXPECT_EQ((Numbers{-0.5F, -0.5F, 1.5F, 0.5F}), norm.y);
  EXPECT_EQ((Numbers{4, -8, 0, 0}), norm.mean);
  EXPECT_EQ((Numbers{0.5F, 0.5F, 0, 0}), norm.rstd);
}

TEST_F(StandInDnn, LayerNormRefusesOthers) {
  const auto answer = [&](auto&& change) {
    LayerNorm norm;
    change(norm);
    const int status = layer_norm(norm);
    EXPECT_EQ((Numbers{}), norm.y);
    return status;
  };
  // Without gamma and beta; along all axes, or none.
  EXPECT_EQ(kBadParm, answer([](LayerNorm& n) { n.mode = kElementwiseAffine; }));
  EXPECT_EQ(kBadParm, answer([](LayerNorm& n) { n.normalised_from = 0; }));
  EXPECT_EQ(kBadParm, answer([](LayerNorm& n) { n.normalised_from = 2; }));
  EXPECT_EQ(kBadParm, answer([](LayerNorm& n) { n.mean_sizes = {1}; }));
  EXPECT_EQ(kBadParm, answer([](LayerNorm& n) { n.mean_sizes = {2, 1}; }));
  EXPECT_EQ(kNotImplemented, answer([](LayerNorm& n) { n.x_strides = {3, 1}; }));
  EXPECT_EQ(kNotImplemented, answer([](LayerNorm& n) { n.type = kHalf; }));
}

// Two axes suffice for a row of layer normalisation, not for one of softmax.
TEST_F(StandInDnn, SoftmaxTakesFourAxes) {
  const float alpha = 1;
  const float beta = 0;
  const Numbers x{};
  Numbers y{};
  void* both = described(kFloat, {2, 2}, {2, 1});
  EXPECT_EQ(kBadParm,
            (call<int(void*, const void*, void*, const void*, const void*, void*, void*, int, int)>(
                "miopenSoftmaxForward_V2")(handle_, &alpha, both, x.data(), &beta, both, y.data(),
                                           kAccurate, kInstance)));
  EXPECT_EQ(0, call<int(void*)>("miopenDestroyTensorDescriptor")(both));
}

}  // namespace
}  // namespace halfmark::backends::hip
