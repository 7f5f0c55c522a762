// @title@
// Rule: @rule@
// cc -DCL_TARGET_OPENCL_VERSION=120 FILE -lclblast -lOpenCL && ./a.out [DEVICE]; exit code 1: results differ; 0: @otherwise@
#include <CL/cl.h>
#include <clblast_c.h>
#include <stdio.h>
#include <string.h>
@tensors@
int main(int argc, char** argv) {
@open@
  if (e) return puts("no device"), 2;
  memset(@result@, 0xff, sizeof @result@);  // nothing of it may be left
  @prepare@
  cl_mem at[9];
  for (i = 0; i < sizeof tensors / sizeof *tensors; ++i)
    at[i] = clCreateBuffer(context, CL_MEM_COPY_HOST_PTR, tensors[i].size, tensors[i].data, &e);
  e = @compute@@variant@(CLBlastLayoutColMajor, @first.operation@, @second.operation@, @m@, @n@, @k@, @alpha@,
      at[@first@], @first.offset@, @first.ld@@first.step@, at[@second@], @second.offset@, @second.ld@@second.step@, @beta@,
      at[@d@], @d.offset@, @d.ld@@d.step@@batch.step@, &queue, 0);
  if (!e) e = clEnqueueReadBuffer(queue, at[@d@], CL_TRUE, 0, sizeof @result@, @result@, 0, 0, 0);
  @result.type@ got = @result@[@index@];
  printf("expected %x, got %x, status %d\n", expected, got, e);
  return e ? 2 : @differs@;
}
