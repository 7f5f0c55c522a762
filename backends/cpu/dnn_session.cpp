// SPDX-License-Identifier: Apache-2.0
#include "backends/cpu/dnn_session.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <utility>

#include "backends/cpu/libraries.hpp"

namespace halfmark::backends::cpu::dnn {
namespace {

#define HM_DNN_REQUIRED(symbol, type) {#symbol, offsetof(Calls, symbol), true},
constexpr shim::Symbol kSymbols[] = {HM_DNN_CALLS(HM_DNN_REQUIRED)};

// A stride along an axis of one element is arbitrary, and the library checks it.
Sizes checked_strides(const Sizes& sizes, const Sizes& strides) {
  std::int64_t end = 1;
  for (std::size_t i = 0; i < sizes.size(); ++i)
    if (sizes[i] > 1) end = std::max(end, sizes[i] * strides[i]);
  Sizes checked = strides;
  for (std::size_t i = 0; i < sizes.size(); ++i)
    if (sizes[i] == 1) checked[i] = end;
  return checked;
}

}  // namespace

void check(const Calls& calls, Status status, const char* call) {
  if (status == 0) return;
  const std::string words = fmt::format("{}: {}", call, calls.dnnl_status2str(status));
  if (status == k_dnnl_unimplemented || status == k_dnnl_invalid_arguments) throw Declined(words);
  throw BackendError(call, status, words);
}

Owned Forms::primitive_description(Handle made) const {
  return {made, calls_.dnnl_primitive_desc_destroy};
}

Owned Forms::reorder(const void* x, const void* y) const {
  Handle made = nullptr;
  check(calls_, calls_.dnnl_reorder_primitive_desc_create(&made, x, engine_, y, engine_, nullptr),
        "reorder");
  return primitive_description(made);
}

unsigned Forms::flags_of(const NormForm& form) const {
  return static_cast<unsigned>((form.has_scale ? numbers.dnnl_use_scale : 0) |
                               (form.has_shift ? numbers.dnnl_use_shift : 0) |
                               (form.is_rms ? int{k_dnnl_rms_norm} : 0));
}

Session::Session(const shim::OpenLibrary& library, unsigned threads) : threads_(threads) {
  library.bind(kSymbols, &calls_);
  const Version& version = *calls_.dnnl_version();
  version_ = fmt::format("{}.{}.{}", version.major, version.minor, version.patch);
  if (version.major != 2 && version.major != 3) {
    throw BackendError("trial", 0,
                       fmt::format("{} is oneDNN {}, and Halfmark knows versions 2 and 3",
                                   library.path(), version_));
  }
  Handle made = nullptr;
  const Status status = calls_.dnnl_engine_create(&made, k_dnnl_cpu, 0);
  if (status != 0 && version.cpu_runtime == k_DNNL_RUNTIME_SYCL) {
    throw BackendError(
        "dnnl_engine_create", status,
        fmt::format("{}: dnnl_engine_create: {}; it is built with SYCL, and needs an "
                    "OpenCL driver for this processor: install one (PyPI: "
                    "intel-opencl-rt), and name its folder with OCL_ICD_VENDORS",
                    library.path(), calls_.dnnl_status2str(status)));
  }
  check(calls_, status, "dnnl_engine_create");
  engine_ = Owned(made, calls_.dnnl_engine_destroy);
  check(calls_, calls_.dnnl_stream_create(&made, engine_.get(), k_dnnl_stream_default_flags),
        "dnnl_stream_create");
  stream_ = Owned(made, calls_.dnnl_stream_destroy);
  forms_ = version.major == 2 ? forms_v2(library, calls_, engine_.get())
                              : forms_v3(library, calls_, engine_.get());
  set_threads_ = reinterpret_cast<void (*)(int)>(library.find("omp_set_num_threads"));
}

int Session::type_of(const DriverTensorView& view) const {
  struct Row {
    std::string_view format;
    int type;
    bool is_fp8;
  };
  constexpr Row kRows[] = {{"fp16", k_dnnl_f16, false},
                           {"bf16", k_dnnl_bf16, false},
                           {"fp32", k_dnnl_f32, false},
                           {"e5m2", k_dnnl_f8_e5m2, true},
                           {"e4m3fn", k_dnnl_f8_e4m3, true}};
  const auto* const row = std::ranges::find(kRows, view.format, &Row::format);
  if (row == std::end(kRows) || (row->is_fp8 && !forms_->has_fp8())) {
    throw NotOffered(
        fmt::format("oneDNN {} has no format '{}' of '{}'", version_, view.format, view.role));
  }
  return row->type;
}

Operand Session::operand(const DriverTensorView& view) const {
  return operand(view, view.sizes, view.strides);
}

Operand Session::operand(const DriverTensorView& view, const Sizes& sizes,
                         const Sizes& strides) const {
  const int type = type_of(view);
  if (view.offset_bytes % element_bytes(view.format) != 0)
    throw NotOffered("oneDNN takes pointers to whole elements");
  return {.layout = forms_->layout(sizes, checked_strides(sizes, strides), type),
          .address = address_of(view.buffer, view.offset_bytes)};
}

Work Session::work(const Owned& description, std::vector<Argument> arguments) const {
  Handle made = nullptr;
  check(calls_, calls_.dnnl_primitive_create(&made, description.get()), "dnnl_primitive_create");
  const Owned primitive(made, calls_.dnnl_primitive_destroy);
  std::vector<Owned> memories;
  std::vector<ExecArgument> rows;
  for (const Argument& argument : arguments) {
    check(calls_,
          calls_.dnnl_memory_create(&made, argument.operand.layout.get(), engine_.get(),
                                    argument.operand.address),
          "dnnl_memory_create");
    memories.emplace_back(made, calls_.dnnl_memory_destroy);
    rows.push_back({.argument = argument.number, .memory = made});
  }
  return [this, primitive, memories, rows] {
    if (set_threads_ != nullptr) set_threads_(static_cast<int>(threads_));
    const auto ended = [&](Status status, const char* call) {
      if (status != 0)
        throw BackendError(call, status, fmt::format("oneDNN: {}", calls_.dnnl_status2str(status)));
    };
    ended(calls_.dnnl_primitive_execute(primitive.get(), stream_.get(),
                                        static_cast<int>(rows.size()), rows.data()),
          "dnnl_primitive_execute");
    ended(calls_.dnnl_stream_wait(stream_.get()), "dnnl_stream_wait");
  };
}

const DriverTensorView& needed(const DriverOperatorCall& call, std::string_view role) {
  const DriverTensorView* view = call.tensor(role);
  if (view == nullptr) throw NotOffered(fmt::format("the call has no '{}'", role));
  return *view;
}

void check_call(const DriverOperatorCall& call, std::initializer_list<std::string_view> roles) {
  if (call.compute != "fp32")
    throw NotOffered(
        fmt::format("oneDNN is not asked to compute {} in {}", call.name, call.compute));
  for (const DriverTensorView& view : call.tensors) {
    if (std::ranges::find(roles, view.role) == roles.end())
      throw NotOffered(fmt::format("oneDNN's {} takes no '{}'", call.name, view.role));
  }
  for (const Define& option : call.options)
    throw NotOffered(fmt::format("oneDNN's {} has no option '{}'", call.name, option.name));
}

Work mapped(const Session& session, const DriverOperatorCall& call,
            const std::function<Owned(const void* x, const void* y)>& describe) {
  check_call(call, {"x", "y"});
  const Operand x = session.operand(needed(call, "x"));
  const Operand y = session.operand(needed(call, "y"));
  return session.work(
      describe(x.layout.get(), y.layout.get()),
      {{.number = k_DNNL_ARG_SRC_0, .operand = x}, {.number = k_DNNL_ARG_DST_0, .operand = y}});
}

}  // namespace halfmark::backends::cpu::dnn
