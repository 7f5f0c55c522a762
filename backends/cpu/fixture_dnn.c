/* SPDX-License-Identifier: Apache-2.0
 *
 * A library with oneDNN's calls, for libraries_test.cpp: of a version that Halfmark does not know,
 * or, with HM_FIXTURE_SYCL, built with SYCL where there is no OpenCL driver. The calls that follow
 * end the process.
 */
#include <stdlib.h>

struct version {
  int major, minor, patch;
  const char* hash;
  unsigned cpu_runtime, gpu_runtime;
};

const struct version* dnnl_version(void) {
#ifdef HM_FIXTURE_SYCL
  static const struct version kVersion = {3, 1, 0, "fixture", 512, 0};
#else
  static const struct version kVersion = {4, 1, 0, "fixture", 0, 0};
#endif
  return &kVersion;
}
const char* dnnl_status2str(int status) { return status == 2 ? "invalid_arguments" : "unknown"; }
int dnnl_engine_create(void) { return 2; }

#define HM_STUB(name) \
  int name(void) { abort(); }
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
