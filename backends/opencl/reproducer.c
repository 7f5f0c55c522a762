// @title@
// Rule: @rule@
// cc -DCL_TARGET_OPENCL_VERSION=120 FILE -lOpenCL && ./a.out [DEVICE]; exit code 1: @says@; 0: @otherwise@
#include <CL/cl.h>
#include <stdio.h>
#include <string.h>
#define TEXT(...) #__VA_ARGS__
static const char* source =@directives@ TEXT(
@kernel@);
@tensors@
int main(int argc, char** argv) {
@open@
  cl_program program = clCreateProgramWithSource(context, 1, &source, 0, &e); cl_kernel kernel; cl_mem at[@count@];
  if (e || clBuildProgram(program, 1, &device, "@build_options@", 0, 0)) return puts("no device or no build"), 2;
@run@
}
