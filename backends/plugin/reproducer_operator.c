// @title@
// Rule: @rule@
// cc -I PREFIX/include FILE -ldl && ./a.out PLUGIN.so; exit code 1: @says@; 0: @otherwise@
#include <dlfcn.h>
#include <halfmark/backend_abi.h>
#include <stdio.h>
#include <string.h>
@tensors@
int main(int argc, char** argv) {
@open@
  HmBuffer* at[@count@]; int e = 0;
@run@
}
