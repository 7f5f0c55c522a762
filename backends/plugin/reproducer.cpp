// SPDX-License-Identifier: Apache-2.0
//
// Stand-alone programs for a plug-in: they load it and make the call through its table, using only
// the installed header. A plug-in defines the kernel dialect, so a kernel's text stays unchanged.
#include <string>
#include <vector>

#include "backends/plugin/embedded.hpp"
#include "backends/reproducers.hpp"

namespace halfmark::backends::plugin {
namespace {

constexpr const char* kOpen =
    R"(  void* library = argc > 1 ? dlopen(argv[1], RTLD_NOW) : 0; HmBackendEntryPoint entry = 0;
  if (library) *(void**)&entry = dlsym(library, HM_BACKEND_ENTRY_POINT);
  const HmBackendApi* api = entry ? entry() : 0; HmDevice* device; uint64_t elapsed_ns; unsigned i;
  if (!api || strcmp("ok", api->status(api->context)) || api->device_open(api->context, @device.index@, "{}", &device)) return puts("no device"), 2;)";

constexpr const char* kLaunch =
    R"(if (!e) e = api->program_launch(program, "@entry@", &(HmGrid){{@groups@}, {@group@}}, (HmArgument[]){
      @arguments@}, @argument_count@, &elapsed_ns);)";

// A view: role, buffer, first byte, format, rank, 0, sizes, strides.
constexpr const char* kOperator = R"(const HmTensor views[] = {
@views@};
  const HmScalar scalars[] = {@scalar_list@{0, 0}}; const HmDefine options[] = {@option_list@{0, 0}};
  const HmOperator call = {"@library@", "@operator@", "@computes@", views, scalars, options, @view_count@, @scalar_count@, @option_count@, 0};
  if (!e) e = api->operator_run ? api->operator_run(device, &call, &elapsed_ns) : HM_NOT_SUPPORTED;)";

}  // namespace

std::vector<ReproducerFrame> reproducers() {
  const Words words = {
      {"open", kOpen},
      {"create", "e |= api->buffer_create(device, tensors[i].size@guard@, &at[i])"},
      {"write", "e |= api->buffer_write(at[i], 0, tensors[i].data, tensors[i].size@guard@)"},
      {"read", "api->buffer_read(at[@result.at@], 0, @into@, @bytes@)"},
      {"launch", kLaunch},
      {"argument.tensor", "{HM_ARGUMENT_BUFFER, 0, {.buffer = at[@tensor@]}}"},
      {"argument.int", "{HM_ARGUMENT_INT32, 0, {.int32 = @value@}}"},
      {"argument.unsigned", "{HM_ARGUMENT_UINT32, 0, {.uint32 = @value@}}"},
      {"argument.float", "{HM_ARGUMENT_FLOAT, 0, {.float32 = @value@}}"},
      {"operate", kOperator}};
  return {
      {.library = {}, .dialect = {}, .text = std::string(reproducer_c), .words = words},
      {.library = "*", .dialect = {}, .text = std::string(reproducer_operator_c), .words = words}};
}

}  // namespace halfmark::backends::plugin
