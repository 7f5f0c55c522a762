// @title@
// Rule: @rule@
// cc -I PREFIX/include FILE -ldl && ./a.out PLUGIN.so; exit code 1: results differ; 0: @otherwise@
#include <dlfcn.h>
#include <halfmark/backend_abi.h>
#include <stdio.h>
#include <string.h>
@tensors@
int main(int argc, char** argv) {
@open@
  HmBuffer* at[@tensor_count@];
  memset(@result@, 0xff, sizeof @result@);  // nothing of it may be left
  for (i = 0; i < @tensor_count@; ++i)
    api->buffer_create(device, tensors[i].size, &at[i]), api->buffer_write(at[i], 0, tensors[i].data, tensors[i].size);
  const HmTensor views[] = {  // role, memory, first byte, format, rank, 0, sizes, strides
@views@};
  const HmScalar scalars[] = {@scalar_list@{0, 0}};
  const HmDefine options[] = {@option_list@{0, 0}};
  const HmOperator call = {"@library@", "@operator@", "@computes@", views, scalars, options, sizeof views / sizeof *views, @scalar_count@, @option_count@, 0};
  int e = api->operator_run ? api->operator_run(device, &call, &elapsed_ns) : HM_NOT_SUPPORTED;
  if (!e) e = api->buffer_read(at[@result.at@], 0, @result@, sizeof @result@);
  @result.type@ got = @result@[@index@];
  printf("expected %x, got %x, error %d\n", expected, got, e);
  return e ? 2 : @differs@;
}
