// SPDX-License-Identifier: Apache-2.0
#include "backends/opencl/device.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <map>
#include <utility>

#include "backends/opencl/api.hpp"
#include "backends/opencl/blast.hpp"
#include "backends/opencl/clock.hpp"
#include "backends/opencl/describe.hpp"
#include "backends/opencl/embedded.hpp"

namespace halfmark::backends::opencl {
namespace {

// What buffers and programs need from their device.
struct Opened {
  cl_device_id device = nullptr;
  Context context;
  Queue queue;
  DeviceClock clock;
};

class OpenClBuffer final : public DriverBuffer {
 public:
  OpenClBuffer(const Opened& opened, std::uint64_t bytes) : opened_(opened) {
    cl_int code = CL_SUCCESS;
    memory_ = Memory(
        calls().clCreateBuffer(opened.context.raw(), CL_MEM_READ_WRITE, bytes, nullptr, &code));
    if (code != CL_SUCCESS) fail("clCreateBuffer", code, fmt::format("{} bytes", bytes));
  }
  void write(std::uint64_t offset, std::span<const std::byte> source) override {
    check("clEnqueueWriteBuffer",
          calls().clEnqueueWriteBuffer(opened_.queue.raw(), memory_.raw(), CL_TRUE, offset,
                                       source.size(), source.data(), 0, nullptr, nullptr));
  }
  void read(std::uint64_t offset, std::span<std::byte> target) override {
    check("clEnqueueReadBuffer",
          calls().clEnqueueReadBuffer(opened_.queue.raw(), memory_.raw(), CL_TRUE, offset,
                                      target.size(), target.data(), 0, nullptr, nullptr));
  }
  [[nodiscard]] cl_mem raw() const { return memory_.raw(); }

 private:
  const Opened& opened_;
  Memory memory_;
};

std::string build_log_of(cl_program program, cl_device_id device) {
  std::size_t bytes = 0;
  if (calls().clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_LOG, 0, nullptr, &bytes) !=
      CL_SUCCESS)
    return "";
  std::string log(bytes, '\0');
  if (calls().clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_LOG, bytes, log.data(),
                                    nullptr) != CL_SUCCESS) {
    return "";
  }
  log.resize(std::min(log.find('\0'), log.size()));
  return log;
}

// The driver keeps one binary per device of the program; a program here has one device.
std::vector<std::byte> image_of(cl_program program) {
  std::size_t bytes = 0;
  if (calls().clGetProgramInfo(program, CL_PROGRAM_BINARY_SIZES, sizeof bytes, &bytes, nullptr) !=
      CL_SUCCESS)
    return {};
  std::vector<std::byte> image(bytes);
  std::byte* target = image.data();
  if (calls().clGetProgramInfo(program, CL_PROGRAM_BINARIES, sizeof target,
                               static_cast<void*>(&target), nullptr) != CL_SUCCESS) {
    return {};
  }
  return image;
}

void set_argument(cl_kernel kernel, cl_uint index, const DriverArgument& argument) {
  const auto set = [&](std::size_t bytes, const void* value) {
    const cl_int code = calls().clSetKernelArg(kernel, index, bytes, value);
    if (code != CL_SUCCESS) fail("clSetKernelArg", code, fmt::format("argument {}", index));
  };
  if (const auto* buffer = std::get_if<DriverBuffer*>(&argument)) {
    const cl_mem memory = static_cast<OpenClBuffer*>(*buffer)->raw();
    set(sizeof memory, static_cast<const void*>(&memory));
  } else if (const auto* number = std::get_if<std::int32_t>(&argument)) {
    set(sizeof *number, number);
  } else if (const auto* unsigned_number = std::get_if<std::uint32_t>(&argument)) {
    set(sizeof *unsigned_number, unsigned_number);
  } else {
    set(sizeof(float), &std::get<float>(argument));
  }
}

std::uint64_t items_of(const Grid& grid) {
  return std::uint64_t{grid.items[0]} * grid.items[1] * grid.items[2];
}

class OpenClProgram final : public DriverProgram {
 public:
  OpenClProgram(Opened& opened, std::uint32_t max_group_items, BuiltProgram program)
      : opened_(opened),
        max_group_items_(max_group_items),
        program_(std::move(program)),
        log_(build_log_of(program_.raw(), opened.device)) {}
  [[nodiscard]] std::string build_log() const override { return log_; }
  // Queried only on request: some drivers compile more than the launches need in order to answer.
  [[nodiscard]] std::span<const std::byte> image() const override {
    if (image_.empty()) image_ = image_of(program_.raw());
    return image_;
  }
  std::uint64_t launch(const std::string& entry, const Grid& grid,
                       std::span<const DriverArgument> arguments) override;

 private:
  cl_kernel kernel(const std::string& entry);
  void refuse_misfit(cl_kernel kernel, const Grid& grid, std::size_t argument_count) const;
  [[nodiscard]] std::size_t most_items(cl_kernel kernel) const;

  Opened& opened_;
  std::uint32_t max_group_items_;
  BuiltProgram program_;
  std::string log_;
  mutable std::vector<std::byte> image_;
  std::map<std::string, Kernel> kernels_;
};

cl_kernel OpenClProgram::kernel(const std::string& entry) {
  const auto known = kernels_.find(entry);
  if (known != kernels_.end()) return known->second.raw();
  cl_int code = CL_SUCCESS;
  Kernel made(calls().clCreateKernel(program_.raw(), entry.c_str(), &code));
  if (code != CL_SUCCESS) fail("clCreateKernel", code, entry);
  return kernels_.emplace(entry, std::move(made)).first->second.raw();
}

// Not every driver refuses what the specification calls an error, so this catches the two likely
// mistakes. It uses the device's limit: for a kernel (CL_KERNEL_WORK_GROUP_SIZE) rusticl 22.3
// reports 32 and runs 1024.
void OpenClProgram::refuse_misfit(cl_kernel kernel, const Grid& grid,
                                  std::size_t argument_count) const {
  cl_uint wanted = 0;
  check("clGetKernelInfo",
        calls().clGetKernelInfo(kernel, CL_KERNEL_NUM_ARGS, sizeof wanted, &wanted, nullptr));
  if (wanted != argument_count) {
    fail("launch", CL_INVALID_KERNEL_ARGS,
         fmt::format("{} arguments given, {} wanted", argument_count, wanted));
  }
  const std::uint64_t items = items_of(grid);
  if (items > max_group_items_) {
    fail("launch", CL_INVALID_WORK_GROUP_SIZE,
         fmt::format("{} items in a group, at most {} fit", items, max_group_items_));
  }
}

// The driver's limit for this kernel; 0 when it does not answer.
std::size_t OpenClProgram::most_items(cl_kernel kernel) const {
  std::size_t most = 0;
  const cl_int code = calls().clGetKernelWorkGroupInfo(
      kernel, opened_.device, CL_KERNEL_WORK_GROUP_SIZE, sizeof most, &most, nullptr);
  return code == CL_SUCCESS ? most : 0;
}

std::uint64_t OpenClProgram::launch(const std::string& entry, const Grid& grid,
                                    std::span<const DriverArgument> arguments) {
  cl_kernel chosen = kernel(entry);
  refuse_misfit(chosen, grid, arguments.size());
  for (std::size_t i = 0; i < arguments.size(); ++i)
    set_argument(chosen, static_cast<cl_uint>(i), arguments[i]);
  std::size_t global[3];
  std::size_t local[3];
  for (std::size_t axis = 0; axis < 3; ++axis) {
    local[axis] = grid.items[axis];
    global[axis] = std::size_t{grid.groups[axis]} * grid.items[axis];
  }
  const auto before = std::chrono::steady_clock::now();
  cl_event raw = nullptr;
  const cl_int refusal = calls().clEnqueueNDRangeKernel(opened_.queue.raw(), chosen, 3, nullptr,
                                                        global, local, 0, nullptr, &raw);
  if (refusal != CL_SUCCESS) {
    fail("clEnqueueNDRangeKernel", refusal,
         refused_launch(refusal, entry, items_of(grid), most_items(chosen)));
  }
  const Event event(raw);
  check("clWaitForEvents", calls().clWaitForEvents(1, &raw));
  cl_int status = CL_COMPLETE;
  check("clGetEventInfo", calls().clGetEventInfo(raw, CL_EVENT_COMMAND_EXECUTION_STATUS,
                                                 sizeof status, &status, nullptr));
  if (status < 0) fail("kernel execution", status, entry);
  const auto after = std::chrono::steady_clock::now();
  const auto host_ns = std::chrono::duration_cast<std::chrono::nanoseconds>(after - before).count();
  return opened_.clock.elapsed_ns(counter_between(raw, CL_PROFILING_COMMAND_START, raw),
                                  static_cast<std::uint64_t>(host_ns));
}

class OpenClDevice final : public DriverDevice {
 public:
  OpenClDevice(const FoundDevice& found, DeviceInfo info);
  OpenClDevice(const OpenClDevice&) = delete;
  OpenClDevice& operator=(const OpenClDevice&) = delete;
  ~OpenClDevice() override { forget_blast_kernels(); }
  [[nodiscard]] DeviceInfo describe() override {
    info_.extra["clock"] = opened_.clock.words();
    if (const Reading& last = opened_.clock.last(); last.end != 0)
      info_.extra["last_work_ns"] = {last.begin, last.end};
    return info_;
  }
  [[nodiscard]] std::unique_ptr<DriverBuffer> allocate(std::uint64_t bytes) override {
    return std::make_unique<OpenClBuffer>(opened_, bytes);
  }
  [[nodiscard]] std::unique_ptr<DriverProgram> build(const std::string& source,
                                                     std::span<const Define> defines) override;
  [[nodiscard]] OperatorOutcome run(const DriverOperatorCall& call) override {
    return run_blast(call, opened_.queue.raw(), opened_.clock, [](DriverBuffer* buffer) {
      return static_cast<OpenClBuffer*>(buffer)->raw();
    });
  }
  [[nodiscard]] MemoryAnswer memory() override { return memory_of(opened_.device); }

 private:
  [[nodiscard]] std::string full_text(const std::string& source,
                                      std::span<const Define> defines) const;

  DeviceInfo info_;
  Opened opened_;
};

OpenClDevice::OpenClDevice(const FoundDevice& found, DeviceInfo info)
    : info_(std::move(info)),
      opened_{.device = found.device,
              .context = {},
              .queue = {},
              .clock = DeviceClock(has_timer(found.device))} {
  // A loader refuses a platform that it does not know; without a platform, it uses the device's.
  const cl_context_properties properties[] = {
      CL_CONTEXT_PLATFORM, reinterpret_cast<cl_context_properties>(found.platform), 0};
  cl_int code = CL_SUCCESS;
  opened_.context = Context(calls().clCreateContext(found.known_to_loader ? properties : nullptr, 1,
                                                    &found.device, nullptr, nullptr, &code));
  check("clCreateContext", code);
  opened_.queue = Queue(calls().clCreateCommandQueue(opened_.context.raw(), found.device,
                                                     CL_QUEUE_PROFILING_ENABLE, &code));
  check("clCreateCommandQueue", code);
}

std::string OpenClDevice::full_text(const std::string& source,
                                    std::span<const Define> defines) const {
  std::string text;
  if (info_.offers("fp32.divide_sqrt_correctly_rounded")) text += "#define HM_HAS_CR_DIVSQRT 1\n";
  if (info_.offers("fp16.arithmetic")) text += "#define HM_HAS_HALF_ARITH 1\n";
  for (const Define& define : defines)
    text += fmt::format("#define {} {}\n", define.name, define.value);
  return fmt::format("{}#line 1 \"dialect.h\"\n{}#line 1 \"source\"\n{}", text, dialect_h, source);
}

std::unique_ptr<DriverProgram> OpenClDevice::build(const std::string& source,
                                                   std::span<const Define> defines) {
  const std::string text = full_text(source, defines);
  const char* begin = text.c_str();
  const std::size_t length = text.size();
  cl_int code = CL_SUCCESS;
  BuiltProgram program(
      calls().clCreateProgramWithSource(opened_.context.raw(), 1, &begin, &length, &code));
  check("clCreateProgramWithSource", code);
  std::string options = "-cl-std=CL1.2";
  if (info_.offers("fp32.divide_sqrt_correctly_rounded"))
    options += " -cl-fp32-correctly-rounded-divide-sqrt";
  code =
      calls().clBuildProgram(program.raw(), 1, &opened_.device, options.c_str(), nullptr, nullptr);
  if (code != CL_SUCCESS) fail("clBuildProgram", code, build_log_of(program.raw(), opened_.device));
  return std::make_unique<OpenClProgram>(opened_, info_.max_group_items, std::move(program));
}

}  // namespace

std::string refused_launch(cl_int code, const std::string& entry, std::uint64_t items,
                           std::size_t most_items) {
  const bool may_be_limit = code == CL_INVALID_WORK_GROUP_SIZE || code == CL_OUT_OF_RESOURCES;
  if (!may_be_limit || most_items == 0 || most_items >= items) return entry;
  return fmt::format("{}: {} items in a group, CL_KERNEL_WORK_GROUP_SIZE of this kernel is {}",
                     entry, items, most_items);
}

std::unique_ptr<DriverDevice> open_device(const FoundDevice& found, const DeviceInfo& info) {
  return std::make_unique<OpenClDevice>(found, info);
}

}  // namespace halfmark::backends::opencl
