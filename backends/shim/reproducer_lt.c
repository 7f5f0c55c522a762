// @title@
// Rule: @rule@
// @lt.build@ && ./a.out; exit code 1: @says@; 0: @otherwise@
#include <@driver.header@>
#include <@lt.header@>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
@tensors@
static int layout(@type.layout@* made, int type, uint64_t rows, uint64_t columns, int64_t ld, int64_t stride) {
  const int32_t batch = @batch@;
  return @lt.layout_create@(made, (@type.number@)type, rows, columns, ld) || @lt.layout_set@(*made, @lt.layout_batch@, &batch, 4) || @lt.layout_set@(*made, @lt.layout_stride@, &stride, 8);
}
int main(void) {
  @type.device@ device; @type.lt@ handle; @type.layout@ layouts[4]; @type.product@ product; @type.preference@ preference; @type.choice@ choice;
  @type.address@ at[@count@], workspace = 0; unsigned i; int e = 0, found = 0; const @scalars@ alpha = @alpha@, beta = @beta@;
  @driver.initialise@(0), @driver.device_of@(&device, 0);
  @select@
  if (@lt.create@(&handle)) return puts("no library"), 2;
@run@
}
