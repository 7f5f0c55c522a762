// @title@
// Rule: @rule@
// @dnn.build@ && ./a.out; exit code 1: @says@; 0: @otherwise@
#include <@driver.header@>
#include <@dnn.header@>
#include <stdio.h>
#include <string.h>
@tensors@
int main(void) {
  @type.device@ device; @type.dnn@ handle; @type.view@ views[@view_count@]; @type.address@ at[@count@]; unsigned i; int e = 0;
  @driver.initialise@(0), @driver.device_of@(&device, 0);
  @select@
  if (@dnn.create@(&handle)) return puts("no library"), 2;
@run@
}
