// SPDX-License-Identifier: Apache-2.0
//
// The clock that times a call of CLBlast, on the first registered device with a timer: events if
// its queue has profiling; if not, the host's clock, which is then declared.
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "backends/opencl/api.hpp"
#include "backends/opencl/blast.hpp"
#include "backends/opencl/clock.hpp"
#include "backends/opencl/describe.hpp"
#include "backends/opencl/platforms.hpp"

namespace halfmark::backends::opencl {
namespace {

constexpr std::int64_t kSize = 64;

std::optional<FoundDevice> device_with_timer() {
  for (const FoundDevice& found : discover().devices) {
    if (found.known_to_loader && has_timer(found.device)) return found;
  }
  return std::nullopt;
}

// A matrix of zeros; the product itself is not checked.
class Matrix final : public DriverBuffer {
 public:
  Matrix(cl_context context, std::vector<float> zeros) {
    cl_int code = CL_SUCCESS;
    memory_ = Memory(calls().clCreateBuffer(context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR,
                                            zeros.size() * sizeof(float), zeros.data(), &code));
    check("clCreateBuffer", code);
  }
  void write(std::uint64_t, std::span<const std::byte>) override { FAIL() << "nobody writes"; }
  void read(std::uint64_t, std::span<std::byte>) override { FAIL() << "nobody reads"; }
  [[nodiscard]] cl_mem raw() const { return memory_.raw(); }

 private:
  Memory memory_;
};

class BlastClock : public testing::Test {
 protected:
  void SetUp() override {
    const std::optional<FoundDevice> found = device_with_timer();
    if (!found) GTEST_SKIP() << "no OpenCL device with a timer";
    if (!blast_library().usable) GTEST_SKIP() << blast_library().evidence;
    device_ = found->device;
    cl_int code = CL_SUCCESS;
    context_ = Context(calls().clCreateContext(nullptr, 1, &device_, nullptr, nullptr, &code));
    check("clCreateContext", code);
  }
  void TearDown() override { forget_blast_kernels(); }

  // A product on a queue with these properties.
  OperatorOutcome product(cl_command_queue_properties properties, DeviceClock& clock) {
    cl_int code = CL_SUCCESS;
    const Queue queue(calls().clCreateCommandQueue(context_.raw(), device_, properties, &code));
    check("clCreateCommandQueue", code);
    const std::vector<float> zeros(kSize * kSize);
    Matrix a(context_.raw(), zeros);
    Matrix b(context_.raw(), zeros);
    Matrix d(context_.raw(), zeros);
    const auto view = [](const char* role, Matrix& matrix) {
      return DriverTensorView{.role = role,
                              .buffer = &matrix,
                              .offset_bytes = 0,
                              .format = "fp32",
                              .sizes = {kSize, kSize},
                              .strides = {kSize, 1}};
    };
    const DriverOperatorCall call{.library = blast_library().name,
                                  .name = "gemm",
                                  .compute = "fp32",
                                  .tensors = {view("a", a), view("b", b), view("d", d)},
                                  .scalars = {},
                                  .options = {}};
    return run_blast(call, queue.raw(), clock,
                     [](DriverBuffer* buffer) { return static_cast<Matrix*>(buffer)->raw(); });
  }

  cl_device_id device_ = nullptr;
  Context context_;
};

TEST_F(BlastClock, IsOfEventsOnAQueueThatProfiles) {
  DeviceClock clock(true);
  const OperatorOutcome outcome = product(CL_QUEUE_PROFILING_ENABLE, clock);
  ASSERT_TRUE(outcome.supported) << outcome.answer;
  EXPECT_GT(outcome.elapsed_ns, 0u);
  EXPECT_EQ("events", clock.words());
}

// If the host's clock were used silently, nobody would notice the missing events.
TEST_F(BlastClock, TurnsToTheHostsAndSaysSoWhereTheQueueDoesNotProfile) {
  DeviceClock clock(true);
  const OperatorOutcome outcome = product(0, clock);
  ASSERT_TRUE(outcome.supported) << outcome.answer;
  EXPECT_GT(outcome.elapsed_ns, 0u);
  EXPECT_EQ("host: clGetEventProfilingInfo failed with CL_PROFILING_INFO_NOT_AVAILABLE",
            clock.words());
}

TEST_F(BlastClock, AsksNoEventsOfADeviceWithoutATimer) {
  DeviceClock clock(false);
  const std::string before = clock.words();
  const OperatorOutcome outcome = product(0, clock);
  ASSERT_TRUE(outcome.supported) << outcome.answer;
  EXPECT_GT(outcome.elapsed_ns, 0u);
  EXPECT_EQ(before, clock.words());
}

}  // namespace
}  // namespace halfmark::backends::opencl
