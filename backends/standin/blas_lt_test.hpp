// SPDX-License-Identifier: Apache-2.0
//
// Calls the stand-in of a vendor's "Lt" BLAS as the vendor's documents say, with numbers that the
// vendor's blas_lt_test.cpp states independently, so that a wrong row of blas_lt_names.hpp cannot
// confirm itself. For tests.
#pragma once

#include <dlfcn.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <future>
#include <string>
#include <vector>

namespace halfmark::backends::shim::standin {

// The numbers from the documents that the test needs.
struct LtDocument {
  const char* prefix;  // of every symbol
  int fp32, fp16, e4m3, compute, no_operation, transpose;
  int layout_batch, layout_stride;
  int transpose_first, transpose_second, epilogue, bias, first_scale, second_scale;
  int workspace;
  std::size_t algorithm_bytes;
  int invalid, declined;
};

// 2 first' second + c for `size` x `size` matrices in column-major order; tests change one field at
// a time.
struct LtCall {
  int type = -1, c_type = -1;
  int compute = -1;
  int first_operation = -1, second_operation = -1;
  std::uint32_t epilogue = 1;
  std::int64_t ld = -1;
  std::size_t epilogue_bytes = sizeof epilogue;
  std::size_t workspace_bytes = SIZE_MAX;  // default: what the algorithm requests
  bool destroys_layout = false;            // before it is used
  bool changes_after_choice = false;
  std::ptrdiff_t shift = 0;  // of the first matrix, in bytes
  const float *first_scale = nullptr, *second_scale = nullptr;
  const void* bias = nullptr;
};

class LtLibrary {
 public:
  LtLibrary(const char* file, const LtDocument& document)
      : document_(document), library_(dlopen(file, RTLD_NOW | RTLD_LOCAL)) {
    call<int (*)(void**)>("Create")(&handle_);
  }
  LtLibrary(const LtLibrary&) = delete;
  LtLibrary& operator=(const LtLibrary&) = delete;
  ~LtLibrary() {
    call<int (*)(void*)>("Destroy")(handle_);
    dlclose(library_);
  }

  // Returns the first status that is not 0, or 0.
  int multiply(const LtCall& wanted, std::int64_t size, const void* first, const void* second,
               const void* c, void* d);

  // Creates, sets and destroys so many objects. Returns how many calls the library refused.
  int refused_preferences(int count) const {
    const auto create = call<int (*)(void**)>("MatmulPreferenceCreate");
    const auto set = call<Set>("MatmulPreferenceSetAttribute");
    const auto destroy = call<int (*)(void*)>("MatmulPreferenceDestroy");
    int refused = 0;
    for (int i = 0; i < count; ++i) {
      void* made = nullptr;
      const std::size_t limit = 1 << 20;
      for (const int status :
           {create(&made), set(made, document_.workspace, &limit, sizeof limit), destroy(made)})
        refused += status == 0 ? 0 : 1;
    }
    return refused;
  }

 private:
  using Set = int (*)(void*, int, const void*, std::size_t);
  template <typename Function>
  Function call(const std::string& name) const {
    return reinterpret_cast<Function>(dlsym(library_, (document_.prefix + name).c_str()));
  }
  void* layout(int type, std::int64_t size, std::int64_t ld) {
    using Create = int (*)(void**, int, std::uint64_t, std::uint64_t, std::int64_t);
    void* made = nullptr;
    const auto sizes = static_cast<std::uint64_t>(size);
    first_of(call<Create>("MatrixLayoutCreate")(&made, type, sizes, sizes, ld));
    const auto set = call<Set>("MatrixLayoutSetAttribute");
    const std::int32_t batch = 1;
    const std::int64_t stride = 0;
    first_of(set(made, document_.layout_batch, &batch, sizeof batch));
    first_of(set(made, document_.layout_stride, &stride, sizeof stride));
    return made;
  }
  void* product(const LtCall& wanted);
  void first_of(int status) {
    if (status_ == 0) status_ = status;
  }

  const LtDocument& document_;
  void* library_;
  void* handle_ = nullptr;
  int status_ = 0;
};

inline void* LtLibrary::product(const LtCall& wanted) {
  const LtDocument& of = document_;
  void* made = nullptr;
  const int compute = wanted.compute < 0 ? of.compute : wanted.compute;
  first_of(call<int (*)(void**, int, int)>("MatmulDescCreate")(&made, compute, of.fp32));
  const auto set = call<Set>("MatmulDescSetAttribute");
  const std::int32_t first = wanted.first_operation < 0 ? of.transpose : wanted.first_operation;
  const std::int32_t second =
      wanted.second_operation < 0 ? of.no_operation : wanted.second_operation;
  first_of(set(made, of.transpose_first, &first, sizeof first));
  first_of(set(made, of.transpose_second, &second, sizeof second));
  first_of(set(made, of.epilogue, &wanted.epilogue, wanted.epilogue_bytes));
  const auto point = [&](int attribute, const void* address) {
    if (address != nullptr) first_of(set(made, attribute, &address, sizeof address));
  };
  point(of.first_scale, wanted.first_scale);
  point(of.second_scale, wanted.second_scale);
  point(of.bias, wanted.bias);
  return made;
}

inline int LtLibrary::multiply(const LtCall& wanted, std::int64_t size, const void* first,
                               const void* second, const void* c, void* d) {
  using Destroy = int (*)(void*);
  using Choose = int (*)(void*, void*, void*, void*, void*, void*, void*, int, void*, int*);
  using Multiply =
      int (*)(void*, void*, const void*, const void*, void*, const void*, void*, const void*,
              const void*, void*, void*, void*, const void*, void*, std::size_t, void*);
  const LtDocument& of = document_;
  status_ = 0;
  const int type = wanted.type < 0 ? of.fp32 : wanted.type;
  const std::int64_t ld = wanted.ld < 0 ? size : wanted.ld;
  void* a = layout(type, size, ld);
  void* b = layout(type, size, size);
  void* result = layout(wanted.c_type < 0 ? of.fp32 : wanted.c_type, size, size);
  void* matmul = product(wanted);
  void* preference = nullptr;
  first_of(call<int (*)(void**)>("MatmulPreferenceCreate")(&preference));
  const std::size_t limit = 1 << 20;
  first_of(
      call<Set>("MatmulPreferenceSetAttribute")(preference, of.workspace, &limit, sizeof limit));
  const auto destroy_layout = call<Destroy>("MatrixLayoutDestroy");
  if (wanted.destroys_layout) destroy_layout(a);
  std::array<std::uint64_t, 16> choice{};
  int found = 0;
  if (status_ == 0) {
    first_of(call<Choose>("MatmulAlgoGetHeuristic")(handle_, matmul, a, b, result, result,
                                                    preference, 1, choice.data(), &found));
  }
  const std::size_t asked = choice[of.algorithm_bytes / sizeof(std::uint64_t)];
  if (wanted.changes_after_choice) {
    const std::int32_t operation = of.no_operation;
    call<Set>("MatmulDescSetAttribute")(matmul, of.transpose_first, &operation, sizeof operation);
  }
  std::vector<std::uint64_t> workspace(asked / sizeof(std::uint64_t));
  const float alpha = 2;
  const float beta = 1;
  if (status_ == 0) {
    const std::size_t bytes = std::min(wanted.workspace_bytes, asked);
    first_of(call<Multiply>("Matmul")(
        handle_, matmul, &alpha, static_cast<const std::byte*>(first) + wanted.shift, a, second, b,
        &beta, c, result, d, result, choice.data(), workspace.data(), bytes, nullptr));
  }
  call<Destroy>("MatmulPreferenceDestroy")(preference);
  call<Destroy>("MatmulDescDestroy")(matmul);
  if (!wanted.destroys_layout) destroy_layout(a);
  destroy_layout(b);
  destroy_layout(result);
  return status_;
}

// The same expectations for every vendor.
class LtContract : public testing::Test {
 protected:
  LtContract(const char* file, const LtDocument& document)
      : document_(document), library_(file, document) {}

  void expect_products() {
    EXPECT_EQ(0, multiply({}));
    EXPECT_EQ((Matrix{35, 79, 47, 107}), d_);
    EXPECT_EQ(0, multiply({.first_operation = document_.no_operation}));
    EXPECT_EQ((Matrix{47, 69, 63, 93}), d_);
    EXPECT_EQ(0, multiply({.second_operation = document_.transpose}));
    EXPECT_EQ((Matrix{39, 87, 45, 101}), d_);
  }

  // One element of the bias for each row of the column-major result.
  void expect_epilogues() {
    const std::array<float, 2> bias{-40, -80};
    EXPECT_EQ(0, multiply({.epilogue = 4, .bias = bias.data()}));
    EXPECT_EQ((Matrix{-5, -1, 7, 27}), d_);
    EXPECT_EQ(0, multiply({.epilogue = 6, .bias = bias.data()}));
    EXPECT_EQ((Matrix{0, 0, 7, 27}), d_);
    c_ = {-50, 1, -50, 1};
    EXPECT_EQ(0, multiply({.epilogue = 2}));
    EXPECT_EQ((Matrix{0, 79, 0, 107}), d_);
    // 34 - 50 and 46 - 50; beyond 8 the smooth form equals its argument or zero.
    EXPECT_EQ(0, multiply({.epilogue = 32}));
    EXPECT_EQ(0, d_[0]);
    EXPECT_NEAR(-0.00007F, d_[2], 0.00001F);  // with erf: -0.00013
    EXPECT_EQ(0, multiply({.epilogue = 36, .bias = bias.data()}));
    EXPECT_EQ(27, d_[3]);
  }

  // Of 46 - 50, and of a number in the saturated range, without and with a bias. Not every vendor
  // offers it.
  void expect_swish(std::uint32_t alone, std::uint32_t with_bias) {
    const std::array<float, 2> bias{-40, -80};
    c_ = {-50, 1, -50, 1};
    EXPECT_EQ(0, multiply({.epilogue = alone}));
    EXPECT_NEAR(-0.0719F, d_[2], 0.0001F);
    EXPECT_EQ(107, d_[3]);
    EXPECT_EQ(0, multiply({.epilogue = with_bias, .bias = bias.data()}));
    EXPECT_EQ(27, d_[3]);
  }

  void expect_scales() {
    alignas(256) std::array<std::uint8_t, 256> ones{};
    ones.fill(0x38);  // 1 in e4m3
    alignas(256) std::array<float, 256> c{};
    alignas(256) std::array<float, 256> d{};
    const float two = 2;
    const float quarter = 0.25F;
    LtCall call{.type = document_.e4m3};
    EXPECT_EQ(0, library_.multiply(call, 16, ones.data(), ones.data(), c.data(), d.data()));
    EXPECT_EQ(32, d[0]);
    call.first_scale = &two;
    EXPECT_EQ(0, library_.multiply(call, 16, ones.data(), ones.data(), c.data(), d.data()));
    EXPECT_EQ(64, d[255]);
    call.second_scale = &quarter;
    EXPECT_EQ(0, library_.multiply(call, 16, ones.data(), ones.data(), c.data(), d.data()));
    EXPECT_EQ(16, d[1]);
    call.shift = 1;
    EXPECT_EQ(document_.invalid,
              library_.multiply(call, 16, ones.data(), ones.data(), c.data(), d.data()));
    call.shift = 0;
    call.second_operation = document_.transpose;
    EXPECT_EQ(document_.declined,
              library_.multiply(call, 16, ones.data(), ones.data(), c.data(), d.data()));
  }

  void expect_refusals() {
    const float one = 1;
    const int invalid = document_.invalid;
    EXPECT_EQ(invalid, multiply({.type = 9999}));
    EXPECT_EQ(invalid, multiply({.compute = 9999}));
    EXPECT_EQ(invalid, multiply({.first_operation = 77}));
    EXPECT_EQ(invalid, multiply({.epilogue = 3}));
    EXPECT_EQ(invalid, multiply({.epilogue_bytes = 1}));
    EXPECT_EQ(invalid, multiply({.epilogue = 4}));  // without a bias pointer
    EXPECT_EQ(invalid, multiply({.ld = 1}));
    EXPECT_EQ(invalid, multiply({.workspace_bytes = 0}));
    EXPECT_EQ(invalid, multiply({.destroys_layout = true}));
    EXPECT_EQ(invalid, multiply({.changes_after_choice = true}));
    EXPECT_EQ(invalid, multiply({.first_scale = &one}));
    EXPECT_EQ(document_.declined, multiply({.type = document_.fp16, .c_type = document_.e4m3}));
  }

  // The vendors allow threads to call at the same time. Calls of several kinds, since a lock of one
  // kind of call is no lock of the library.
  void expect_parallel_calls() {
    std::array<std::future<int>, 3> threads;
    for (auto& thread : threads)
      thread =
          std::async(std::launch::async, [&] { return library_.refused_preferences(400'000); });
    for (auto& thread : threads) EXPECT_EQ(0, thread.get());
  }

 private:
  using Matrix = std::array<float, 4>;  // column by column

  int multiply(const LtCall& wanted) {
    return library_.multiply(wanted, 2, a_.data(), b_.data(), c_.data(), d_.data());
  }

  const LtDocument& document_;
  LtLibrary library_;
  alignas(256) Matrix a_{1, 2, 3, 4};
  alignas(256) Matrix b_{5, 6, 7, 8};
  alignas(256) Matrix c_{1, 1, 1, 1};
  alignas(256) Matrix d_{};
};

}  // namespace halfmark::backends::shim::standin
