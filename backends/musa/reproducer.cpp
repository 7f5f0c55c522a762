// SPDX-License-Identifier: Apache-2.0
#include "backends/musa/vendor.hpp"
// clang-format off: the words are made of the rows
#include "backends/musa/names.hpp"
#include "backends/musa/blas_names.hpp"
#include "backends/shim/reproducer_words.hpp"
// clang-format on

namespace halfmark::backends::musa {

std::vector<ReproducerFrame> reproducers() {
  static constexpr shim::Word kWords[] = {
      {"build", "cc -I/usr/local/musa/include FILE -L/usr/local/musa/lib -lmusa -lmtrtc"},
      {"driver.header", "musa.h"},
      {"compiler.header", "mtrtc.h"},
      {"type.device", "MUdevice"},
      {"type.context", "MUcontext"},
      {"type.module", "MUmodule"},
      {"type.function", "MUfunction"},
      {"type.address", "MUdeviceptr"},
      {"type.program", "mtrtcProgram"},
      {"blas.build", "cc -I/usr/local/musa/include FILE -L/usr/local/musa/lib -lmusa -lmublas"},
      {"blas.header", "mublas.h"},
      {"type.blas", "mublasHandle_t"},
  };
  return shim::reproducers(kVendor, shim::kTableWords, kWords);
}

}  // namespace halfmark::backends::musa
