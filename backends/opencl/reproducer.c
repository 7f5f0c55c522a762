// @title@
// Rule: @rule@
// cc -DCL_TARGET_OPENCL_VERSION=120 FILE -lOpenCL && ./a.out [DEVICE]; exit code 1: results differ; 0: @otherwise@
#include <CL/cl.h>
#include <stdio.h>
#include <string.h>
static const char* source =
@kernel@;
@operands@
int main(int argc, char** argv) {
@open@
  cl_int last = @last@;
  cl_program program = clCreateProgramWithSource(context, 1, &source, 0, &e);
  if (e || clBuildProgram(program, 1, &device, "@build_options@", 0, 0)) return puts("no device or no build"), 2;
  cl_kernel kernel = clCreateKernel(program, "@entry@", &e);
  for (i = 0; i < sizeof operands / sizeof *operands; ++i)
    clSetKernelArg(kernel, i, sizeof(cl_mem), (cl_mem[]){clCreateBuffer(context, CL_MEM_COPY_HOST_PTR, operands[i].size, (void*)operands[i].data, &e)});
  cl_mem d = clCreateBuffer(context, 0, sizeof got, 0, &e);
  clSetKernelArg(kernel, i, sizeof d, &d), clSetKernelArg(kernel, i + 1, sizeof last, &last);
  clEnqueueTask(queue, kernel, 0, 0, 0);
  e = clEnqueueReadBuffer(queue, d, CL_TRUE, 0, sizeof got, &got, 0, 0, 0);
  printf("expected %x, got %x, error %d\n", expected, got, e);
  return e ? 2 : @differs@;
}
