/* SPDX-License-Identifier: Apache-2.0
 *
 * A library with oneDNN's calls and a version that Halfmark does not know: for libraries_test.cpp.
 * A call other than dnnl_version ends the process.
 */
#include <stdlib.h>

struct version {
  int major, minor, patch;
  const char* hash;
  unsigned cpu_runtime, gpu_runtime;
};

const struct version* dnnl_version(void) {
  static const struct version kVersion = {4, 1, 0, "fixture", 0, 0};
  return &kVersion;
}

#define HM_STUB(name) \
  int name(void) { abort(); }
HM_STUB(dnnl_status2str)
HM_STUB(dnnl_engine_create)
HM_STUB(dnnl_engine_destroy)
HM_STUB(dnnl_stream_create)
HM_STUB(dnnl_stream_wait)
HM_STUB(dnnl_stream_destroy)
HM_STUB(dnnl_memory_create)
HM_STUB(dnnl_memory_destroy)
HM_STUB(dnnl_primitive_create)
HM_STUB(dnnl_primitive_execute)
HM_STUB(dnnl_primitive_destroy)
HM_STUB(dnnl_primitive_desc_destroy)
HM_STUB(dnnl_reorder_primitive_desc_create)
HM_STUB(dnnl_primitive_attr_create)
HM_STUB(dnnl_primitive_attr_set_post_ops)
HM_STUB(dnnl_primitive_attr_destroy)
HM_STUB(dnnl_post_ops_create)
HM_STUB(dnnl_post_ops_append_binary)
HM_STUB(dnnl_post_ops_destroy)
