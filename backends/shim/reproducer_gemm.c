// @title@
// Rule: @rule@
// @blas.build@ && ./a.out; exit code 1: @says@; 0: @otherwise@
#include <@driver.header@>
#include <@blas.header@>
#include <stdio.h>
#include <string.h>
@tensors@
int main(void) {
  @type.device@ device; @type.blas@ handle; @type.address@ at[@count@]; unsigned i; int e = 0;
  const @scalars@ alpha = @alpha@, beta = @beta@;
  @driver.initialise@(0), @driver.device_of@(&device, 0);
  @select@
  if (@blas.create@(&handle)) return puts("no library"), 2;
  @modes@
@run@
}
