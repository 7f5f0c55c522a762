// @title@
// Rule: @rule@
// cc -DCL_TARGET_OPENCL_VERSION=120 FILE -lclblast -lOpenCL && ./a.out [DEVICE]; exit code 1: @says@; 0: @otherwise@
#include <CL/cl.h>
#include <clblast_c.h>
#include <stdio.h>
#include <string.h>
@tensors@
int main(int argc, char** argv) {
@open@
  if (e) return puts("no device"), 2;
  cl_mem at[@count@];
@run@
}
