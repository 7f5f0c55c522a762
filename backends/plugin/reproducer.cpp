// SPDX-License-Identifier: Apache-2.0
//
// Stand-alone programs for a plug-in: they load it and make the call by its table, with the
// installed header alone. A plug-in has the words of kernels, so a kernel's text stays in them.
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

}  // namespace

std::vector<ReproducerFrame> reproducers() {
  const Words words = {{"open", kOpen}};
  return {
      {.library = {}, .dialect = {}, .text = std::string(reproducer_c), .words = words},
      {.library = "*", .dialect = {}, .text = std::string(reproducer_operator_c), .words = words}};
}

}  // namespace halfmark::backends::plugin
